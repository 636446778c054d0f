import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openGraphHere } from '../../../src/cli/command-graph.ts';
import { readConfig, type Environment } from '../../../src/config.ts';
import { openLog } from '../../../src/observability/log.ts';
import { currentOf } from '../../../test/support/command.ts';
import { UNDISTURBED } from '../../../test/support/graph.ts';
import { temporaryFolder } from '../../../test/support/files.ts';
import type { Sandbox, SandboxOptions } from '../../sandbox/src/sandbox.ts';
import { reportOf, summaryOf } from '../src/output.ts';
import { ResultsFile, type ResultsEntry } from '../src/results.ts';
import type { PostRow } from '../src/rows.ts';
import { prepare, type Plan, type PrepareOptions } from '../src/plan.ts';
import { sendRows, type SendOptions } from '../src/send.ts';
import { sandboxForTest } from '../../../test/support/sandbox.ts';

export const CREATE = 'POST /posts/create';
export const HEADER = ['account', 'time', 'text'];

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

type Rows = readonly (readonly string[])[];
/** What a file of posts holds: its rows, or its text or bytes. */
export type Content = Rows | string | Uint8Array;

/** A table as CSV; every cell in quotation marks. */
export function csvOf(rows: Rows, { delimiter = ',' } = {}): string {
  return rows.map((cells) => `${cells.map(quoted).join(delimiter)}\n`).join('');
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

export async function startBulkSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await sandboxForTest(options);
  sandbox.state.owner('harbour').queueLimit = 10_000;
  return sandbox;
}

/** A file of posts, and a sandbox that it is sent to. */
export type BulkFile = Awaited<ReturnType<typeof bulkFile>>;

/** Starts a sandbox with a long queue, and writes a file of posts for one account of it. */
export async function startBulk(rowsFor: (account: string) => Rows, environment: Environment = {}) {
  const sandbox = await startBulkSandbox();
  const [account = ''] = healthyAccounts(sandbox, 1);
  return { ...(await bulkFile(sandbox, rowsFor(account), environment)), account };
}

export async function bulkFile(sandbox: Sandbox, content: Content, environment: Environment = {}) {
  const path = join(await temporaryFolder(), 'posts.csv');
  await writeFile(path, Array.isArray(content) ? csvOf(content as Rows) : (content as string | Uint8Array));
  const resultsPath = path.replace('.csv', '.results.jsonl');
  const config = readConfig({ ...UNDISTURBED, ...currentOf(sandbox), ...environment });
  const prepared = async <T>(
    options: Pick<PrepareOptions, 'sends' | 'sendsChanged'>,
    task: (plan: Plan, options: PrepareOptions) => Promise<T> | T,
  ): Promise<T> => {
    const folder = `${resultsPath}.journal`;
    const journal = options.sends || existsSync(folder) ? folder : null;
    const { graph, address, close } = await openGraphHere(config, journal, openLog('silent'));
    try {
      const all = { ...options, graph, results: new ResultsFile(resultsPath, address) };
      return await task(await prepare(await readFile(path), all), all);
    } finally {
      await close();
    }
  };
  return {
    sandbox,
    path,
    resultsPath,
    /** Reads and checks it, as a run without --send. */
    check: () =>
      prepared({ sends: false }, (plan) => {
        const inState = (state: string): PostRow[] =>
          plan.rows
            .filter(({ isInvalid, status }) => !isInvalid && status.state === state)
            .map(({ post }) => post);
        return { report: reportOf(plan), pending: inState('PENDING'), unknown: inState('UNKNOWN') };
      }),
    /** Checks it and sends what is right, as a new process would. */
    send: ({ sendsChanged, ...options }: Partial<SendOptions> & { readonly sendsChanged?: boolean } = {}) =>
      prepared({ sends: true, sendsChanged }, async (plan, { graph, results }) => {
        const stopped = await sendRows(plan, {
          graph,
          results,
          perMinute: 6_000,
          settleMs: 0,
          signal: new AbortController().signal,
          onRow: () => undefined,
          onPause: () => undefined,
          ...options,
        });
        return summaryOf(plan, stopped);
      }),
    async entries() {
      const lines = (await readFile(resultsPath, 'utf8')).trim().split('\n');
      return lines.map((line) => JSON.parse(line) as ResultsEntry);
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
