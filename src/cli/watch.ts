import { setTimeout as after } from 'node:timers/promises';
import { ConfigError, type Config } from '../config.ts';
import { isLoopback } from '../config/setting.ts';
import { openSecret } from '../journal/data-directory.ts';
import { openLog, type Log } from '../observability/log.ts';
import { bindWatches } from '../operation/bindings.ts';
import { Caller } from '../operation/caller.ts';
import type { Credentials } from '../operation/credentials.ts';
import { openServices, type Services } from '../services.ts';
import { SourceError } from '../sources/errors.ts';
import { watchedAccountHealth } from '../watch/account-health.ts';
import { watchedQueue } from '../watch/queue.ts';
import { createSender, startDelivery, type Delivery } from '../webhooks/deliver.ts';
import { follow, type FollowOptions } from '../webhooks/follow.ts';
import { describeHealthChange, describeQueueChange } from '../webhooks/messages.ts';
import { openOutbox, type Outbox } from '../webhooks/outbox.ts';
import { openPrinter } from '../webhooks/printer.ts';
import { configFromEnvironment, SERVES_NOBODY } from './environment.ts';
import { saidBy } from './reading.ts';
import { onSandbox, openOwnSandbox } from './sandbox-in-place.ts';
import { endInOrder } from './signals.ts';

/** Where changes are reported: to a URL, or on standard output. */
export interface WatchOptions {
  readonly webhook?: string;
  readonly print?: boolean;
}

/** How long work in progress may take to finish, in milliseconds. */
const END_MS = 30_000;
const LONG_MS = 3_600_000;
/** How long after a failure watching resumes, in milliseconds. */
const PAUSE_MS = 10_000;

/** Reports changes in the queue and in the health of the accounts until the process is stopped. */
export async function watch(options: WatchOptions): Promise<void> {
  const config = configFromEnvironment(SERVES_NOBODY);
  const target = targetOf(options, config);
  const log = openLog(config.logLevel, (line) => void process.stderr.write(line));
  const sandbox = config.usesSandbox ? await openOwnSandbox(config) : null;
  const apiKey = config.operator.apiKey ?? sandbox?.credentials.apiKey;
  if (apiKey === undefined)
    throw new ConfigError(['API_KEY: is missing; this command uses it to call the service']);
  const placed = sandbox ? onSandbox(config, sandbox) : config;
  const { currentApiUrl } = placed;
  if (currentApiUrl === null)
    throw new ConfigError(['CURRENT_API_URL: is missing; this command needs the current surface']);
  const services = openServices({ ...placed, dataDirectory: null }, log);
  const outbox =
    target === null
      ? openPrinter(process.stdout)
      : await openOutbox(target.folder, openSecret(target.folder));
  const delivery =
    target &&
    startDelivery(
      outbox,
      deliveryOptions(target, log, () => giveUp()),
    );
  const following = new AbortController();
  // Waiting for a change does not keep the process alive, so a timer does.
  const awake = setInterval(() => undefined, LONG_MS);
  const giveUp = endInOrder(log, {
    withinMs: END_MS,
    endsWithReader: true,
    close: async () => {
      clearInterval(awake);
      following.abort();
      services.endReadings();
      await delivery?.stop();
      await outbox.close();
      await services.close();
      await sandbox?.close();
    },
  });
  if (sandbox) process.stderr.write(`No service is configured; watching a SANDBOX at ${sandbox.url}\n`);
  const destination = target === null ? 'printed' : `sent to ${target.url.host}`;
  process.stderr.write(
    `Watching the queue and the accounts at ${currentApiUrl.host}. Changes are ${destination}; press Ctrl-C to stop.\n`,
  );
  await followAll({ services, apiKey, outbox, delivery, log }, following.signal);
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

function deliveryOptions({ url, secret }: Target, log: Log, giveUp: () => void) {
  return {
    send: createSender(url, secret),
    onFailure: ({ message }, { attempts, ...failure }) =>
      log.warn({ event: message.id, type: message.type, attempts, ...failure }, 'failed to deliver an event'),
    onGone: (reason) => {
      log.error({ reason }, 'the receiver unsubscribed');
      giveUp();
    },
  } satisfies Parameters<typeof startDelivery>[1];
}

interface Followed {
  readonly services: Services;
  readonly apiKey: string;
  readonly outbox: Outbox;
  readonly delivery: Delivery | null;
  readonly log: Log;
}

const everything = (): true => true;

async function followAll(
  { services, apiKey, outbox, delivery, log }: Followed,
  signal: AbortSignal,
): Promise<void> {
  const credentials: Credentials = {
    current: { state: 'given', value: apiKey },
    legacy: { state: 'missing' },
  };
  const watches = bindWatches(services, new Caller(services, credentials));
  const options = {
    outbox,
    onDrift: services.onDrift,
    onAdded: () => delivery?.look(),
  } satisfies FollowOptions;
  const followQueue = (): Promise<void> =>
    follow(
      {
        list: watchedQueue,
        describe: describeQueueChange,
        watch: (seen) => watches.queue(everything, seen),
      },
      options,
    );
  const followHealth = (): Promise<void> =>
    follow(
      {
        list: watchedAccountHealth,
        describe: describeHealthChange,
        watch: (seen) => watches.accountHealth(everything, seen),
      },
      options,
    );
  await Promise.all([again(followQueue, log, signal), again(followHealth, log, signal)]);
}

// Any failure but a rejected key may be temporary.
async function again(watching: () => Promise<void>, log: Log, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await watching();
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      if (error instanceof SourceError && error.kind === 'unauthenticated')
        throw new ConfigError([`API_KEY: was rejected by the current surface.${saidBy(error)}`]);
      log.warn({ err: error }, 'watching was interrupted; restarting');
    }
    await after(PAUSE_MS, undefined, { signal, ref: true }).catch(() => undefined);
  }
}
