import { writeFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { prepare, send, type SendOptions } from '../../src/bulk/schedule.ts';
import { summaryOf, type ScheduleSummary } from '../../src/bulk/summary.ts';
import { openOperatorSession } from '../../src/cli/operator-session.ts';
import { readConfig, type Environment } from '../../src/config.ts';
import { openLog } from '../../src/observability/log.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../packages/sandbox/src/sandbox.ts';
import { UNDISTURBED } from './graph.ts';
import { temporaryFolder } from './temporary-folder.ts';

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

/** A table as CSV; every cell in quotation marks. */
export function csvOf(
  rows: readonly (readonly string[])[],
  { delimiter = ',', lineBreak = '\n' }: { readonly delimiter?: string; readonly lineBreak?: string } = {},
): string {
  return rows.map((cells) => cells.map(quoted).join(delimiter) + lineBreak).join('');
}

type SandboxAccount = ReturnType<Sandbox['state']['owner']>['accounts'][number];

const isHealthy = (account: SandboxAccount): boolean =>
  account.surfaces.current &&
  !account.paused &&
  !account.locked &&
  !account.blocked &&
  !account.needsReconnect &&
  !account.clientApproval;

/** Accounts of the sandbox's first owner that can publish; those that are missing are added. */
export function healthyAccounts(sandbox: Sandbox, count: number): string[] {
  const owner = sandbox.state.owner('harbour');
  while (owner.accounts.filter(isHealthy).length < count) owner.insertAccount(0);
  return owner.accounts
    .filter(isHealthy)
    .slice(0, count)
    .map(({ loginId }) => String(loginId));
}

/** A file of posts, and a sandbox that it is sent to. */
export interface BulkFile {
  readonly sandbox: Sandbox;
  readonly path: string;
  readonly resultsPath: string;
  /** Reads and checks it, as a run without --send. */
  readonly check: () => ReturnType<typeof prepare>;
  /** Checks it and sends what is right, as a new process would. */
  readonly send: (options?: Partial<SendOptions>) => Promise<ScheduleSummary>;
  /** The entries of the results file. */
  readonly entries: () => Promise<readonly Entry[]>;
}

/** A line of a results file. */
export interface Entry {
  readonly type: string;
  readonly row?: number;
  readonly attempt?: number;
  readonly idempotencyKey?: string;
  readonly outcome?: string;
  readonly postIds?: readonly string[];
  readonly isFound?: boolean;
  readonly at: string;
}

/** How a file and its sandbox are set up. */
export interface BulkOptions {
  readonly environment?: Environment;
  readonly sandbox?: SandboxOptions;
}

/** Starts a sandbox with a long queue; it ends with the test. */
export async function startBulkSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ port: 0, ...options });
  onTestFinished(() => sandbox.close());
  sandbox.state.owner('harbour').queueLimit = 10_000;
  return sandbox;
}

/** Writes a file of posts for a sandbox. */
export async function bulkFile(
  sandbox: Sandbox,
  content: string | Uint8Array,
  environment: Environment = {},
): Promise<BulkFile> {
  const path = join(await temporaryFolder(), 'posts.csv');
  await writeFile(path, content);
  const resultsPath = path.replace('.csv', '.results.jsonl');
  const files = { path, resultsPath, service: new URL(sandbox.url).href };
  const config = readConfig({
    ...UNDISTURBED,
    CURRENT_API_URL: sandbox.url,
    API_KEY: sandbox.owners[0].apiKey,
    ...environment,
  });
  const open = async () => {
    const session = await openOperatorSession(config, openLog('silent'));
    onTestFinished(() => session.close());
    return session;
  };
  return {
    sandbox,
    path,
    resultsPath,
    async check() {
      const session = await open();
      return await prepare(files, session.makeContext());
    },
    async send(options = {}) {
      const session = await open();
      const prepared = await prepare(files, session.makeContext());
      const how: SendOptions = {
        makeContext: () => session.makeContext(),
        perMinute: 6_000,
        settleMs: 0,
        signal: new AbortController().signal,
        onRow: () => undefined,
        onPause: () => undefined,
        ...options,
      };
      return summaryOf(prepared, await send(prepared, files, how));
    },
    async entries() {
      const text = await readFile(resultsPath, 'utf8');
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Entry);
    },
  };
}

/** The texts that wait in the queue of the sandbox's first owner and begin so, in their order. */
export function textsInQueue(sandbox: Sandbox, start: string): string[] {
  return sandbox.state
    .owner('harbour')
    .queue.map(({ content }) => content.description)
    .filter((text) => text.startsWith(start));
}
