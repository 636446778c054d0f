import { hash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import {
  createPrinter,
  createSender,
  Delivery,
  type DeliveryOptions,
} from '../../packages/webhooks/src/deliver.ts';
import { follow, type FollowOptions } from '../../packages/webhooks/src/follow.ts';
import { GraphFailure } from '../../packages/webhooks/src/graph.ts';
import { accountHealth, queue } from '../../packages/webhooks/src/lists.ts';
import { Outbox, type OutboxStore } from '../../packages/webhooks/src/outbox.ts';
import { ConfigError, type Config } from '../config.ts';
import { isLoopback } from '../config/setting.ts';
import { folderProblem, openSecret, type FolderPart } from '../journal/data-directory.ts';
import { seal, unseal } from '../journal/sealing.ts';
import { openStore } from '../journal/store.ts';
import { openLog, type Log } from '../observability/log.ts';
import { configFromEnvironment, SERVES_NOBODY } from './environment.ts';
import { openCurrentGraph } from './own-graph.ts';
import { endInOrder } from './signals.ts';

/** Where changes are reported: to a URL, or on standard output. */
export interface WatchOptions {
  readonly webhook?: string;
  readonly print?: boolean;
}

/** How long work in progress may take to finish, in milliseconds. */
const END_MS = 30_000;
const LONG_MS = 3_600_000;
/** How long after a failure, or a doubt about what has left, watching resumes, in milliseconds. */
const PAUSE_MS = 10_000;

/** Reports changes in the queue and in the health of the accounts until the process is stopped. */
export async function watch(options: WatchOptions): Promise<void> {
  const config = configFromEnvironment(SERVES_NOBODY);
  const target = targetOf(options, config);
  const log = openLog(config.logLevel, (line) => void process.stderr.write(line));
  const own = await openCurrentGraph({ ...config, dataDirectory: null }, log);
  const outbox = new Outbox(target === null ? NOWHERE : await openOutboxStore(target.folder));
  const delivery = new Delivery(outbox, {
    send: target === null ? createPrinter(process.stdout) : createSender(target.url, target.secret),
    ...reportsTo(log, () => giveUp()),
  });
  const following = new AbortController();
  // Waiting for a change does not keep the process alive, so a timer does.
  const awake = setInterval(() => undefined, LONG_MS);
  const giveUp = endInOrder(log, {
    withinMs: END_MS,
    endsWithReader: true,
    close: async () => {
      clearInterval(awake);
      following.abort();
      await delivery.stop();
      await outbox.close();
      await own.close();
    },
  });
  const destination = target === null ? 'printed' : `sent to ${target.url.host}`;
  process.stderr.write(
    `Watching the queue and the accounts at ${own.currentApiUrl.host}. Changes are ${destination}; press Ctrl-C to stop.\n`,
  );
  const followed = { graph: own.graph, outbox, onAdded: () => delivery.look(), signal: following.signal };
  await Promise.all([keepFollowing(queue, followed, log), keepFollowing(accountHealth, followed, log)]);
}

interface Target {
  readonly url: URL;
  readonly secret: string;
  readonly folder: string;
}

function targetOf({ webhook, print = false }: WatchOptions, config: Config): Target | null {
  if ((webhook === undefined) === !print)
    throw new ConfigError(['watch: needs either --webhook <url> or --print']);
  if (webhook === undefined) return null;
  const { webhookSecret: secret, outboxDirectory: folder } = config;
  const problems = [
    ...(isDeliverable(webhook)
      ? []
      : [
          '--webhook: must be an https: URL, or an http: URL of this machine, without a user name and password',
        ]),
    ...(secret === null ? ['WEBHOOK_SECRET: is missing; it signs deliveries'] : []),
    ...(folder === null ? ['DATA_DIR: must be a folder, which records what was delivered'] : []),
  ];
  if (problems.length > 0 || secret === null || folder === null) throw new ConfigError(problems);
  return { url: new URL(webhook), secret, folder };
}

function isDeliverable(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  // fetch rejects URLs with credentials, and its error would put them in the log.
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** Printed changes are not stored. */
const NOWHERE: OutboxStore = {
  texts: new Map(),
  write: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

const OUTBOX: FolderPart = {
  name: 'watch',
  version: 1,
  loss: 'events that were not delivered are then lost, and what has changed meanwhile is not reported',
  ifInUse: 'give each watch command its own folder',
  otherwise: 'Choose a folder that this process may write to',
};

/**
 * Opens the store of the outbox in the folder `watch` of a data directory, sealed with its secret.
 *
 * @throws ConfigError if the folder cannot be used; so does writing, after which the store must be reopened
 */
export async function openOutboxStore(dataDirectory: string): Promise<OutboxStore> {
  const key = hash('sha256', `watch ${openSecret(dataDirectory, OUTBOX)}`, 'buffer');
  const format = JSON.stringify({ version: OUTBOX.version, secret: hash('sha256', key, 'base64url') });
  const texts = new Map<string, string>();
  const store = await openStore(
    { path: join(dataDirectory, OUTBOX.name), format },
    (id, sealed) => void texts.set(id, unseal(sealed, key, id)),
  ).catch((error: unknown) => {
    throw folderProblem(dataDirectory, error, OUTBOX);
  });
  return {
    texts,
    async write(changes) {
      try {
        for (const { id, text } of changes) store.set(id, text === null ? null : seal(text, key, id));
        await store.flush();
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new ConfigError([`DATA_DIR: cannot be written: ${reason}`]);
      }
    },
    close: () => store.close(),
  };
}

function reportsTo(log: Log, giveUp: () => void) {
  return {
    onFailure: ({ message }, { attempts, ...failure }) =>
      log.warn({ event: message.id, type: message.type, attempts, ...failure }, 'failed to deliver an event'),
    onGone: (reason) => {
      log.error({ reason }, 'the receiver unsubscribed');
      giveUp();
    },
  } satisfies Partial<DeliveryOptions>;
}

// Any failure but a rejected key may be temporary.
async function keepFollowing(list: typeof queue, options: FollowOptions, log: Log): Promise<void> {
  const { signal } = options;
  while (!signal.aborted) {
    try {
      await follow(list, options);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ConfigError) throw error;
      if (error instanceof GraphFailure && error.code === 'CREDENTIAL_REJECTED')
        throw new ConfigError([`API_KEY: was rejected. ${error.message}`]);
      log.warn({ err: error }, 'watching was interrupted; restarting');
    }
    await after(PAUSE_MS, undefined, { signal, ref: true }).catch(() => undefined);
  }
}
