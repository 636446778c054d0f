import type { TypedDocument } from '../../client/src/index.ts';
import { readAccounts, type AccountDirectory } from './accounts.ts';
import { read, readEach, type EachField, type Graph } from './graph.ts';
import { MAX_ATTEMPTS, nameOfRow, NEVER_SENT, readStatuses, type RowStatus } from './known.ts';
import { isDone, type ResultsEntry, type ResultsFile } from './results.ts';
import { columnOfPath, readRow, timesOf, type PostRow } from './rows.ts';
import { readTable, type TableProblem, type TableRow } from './table.ts';
import { cutText, inOneLine } from './text.ts';

/** How a table is read and checked. */
export interface PrepareOptions {
  readonly graph: Graph;
  readonly results: ResultsFile;
  /** Whether the rows are going to be sent, so that the server must not forget them. */
  readonly sends: boolean;
  /** Whether to send rows that changed after they were sent. */
  readonly sendsChanged?: boolean | undefined;
}

/** Something that may go wrong with a row's post later, or that its author may have overlooked. */
export interface RowWarning extends TableProblem {
  readonly code: string;
}

/** A row of a table that was checked. */
export interface PlannedRow {
  readonly post: PostRow;
  /** The row's name, from which its keys are made; no other row of the table has it. */
  readonly name: string;
  /** Updated as it is sent. */
  status: RowStatus;
  readonly isInvalid: boolean;
}

/** A table that was read and checked. */
export interface Plan {
  readonly directory: Pick<AccountDirectory, 'labelOf'>;
  /** Empty if the table as a whole could not be read. */
  readonly rows: readonly PlannedRow[];
  readonly problems: readonly TableProblem[];
  readonly warnings: readonly RowWarning[];
  /** How long the server remembers writes, in milliseconds. */
  readonly retentionMs: number;
}

/** Returns the rows of a plan to send, and those to ask about. */
export function openRows({ rows }: Pick<Plan, 'rows'>): PlannedRow[] {
  return rows.filter(
    ({ isInvalid, status }) => !isInvalid && status.state !== 'DONE' && status.attempt !== null,
  );
}

/** A server to which nothing should be sent; the message says why. */
export class UnsafeServer extends Error {
  override readonly name = 'UnsafeServer';
}

/**
 * Reads a table of posts and checks the rows still to be sent; sends no writes.
 *
 * @throws what the graph throws, or UnsafeServer if rows are going to be sent and the server could send them twice
 */
export async function prepare(content: Uint8Array, options: PrepareOptions): Promise<Plan> {
  const table = readTable(content);
  if (table.problems.length === 0) return await check(table.rows, options);
  const problems = [...table.problems, ...table.rows.flatMap((row) => row.problems)];
  return { directory: { labelOf: (id) => id }, rows: [], problems, warnings: [], retentionMs: Infinity };
}

async function check(
  tableRows: readonly TableRow[],
  { graph, results, sends, sendsChanged = false }: PrepareOptions,
): Promise<Plan> {
  const { retentionMs, timeZone } = await serverOf(graph, sends);
  const directory = await readAccounts(graph);
  const named = nameRows(tableRows, directory, results);
  const names = named.map(({ name }) => name);
  const known = await readStatuses(graph, names);
  const reported = named.map(({ name }) => results.entries.get(name));
  const isLacking = reported.some(
    (entry, index) => known[index] === NEVER_SENT && isStored(entry) && isWithin(retentionMs, entry),
  );
  // A server that lacks one recent write may lack others: it has lost its data, or the key in API_KEY is another.
  const memoryMs = isLacking ? 0 : retentionMs;
  const statuses = reported.map((entry, index) => withResults(known[index] ?? NEVER_SENT, entry, memoryMs));
  // Rows that are done are not checked again: their time may have passed.
  const pending = named.filter((_, index) => statuses[index]?.state === 'PENDING').map(({ post }) => post);
  const validations = await validate(graph, pending);
  const onClock = serviceClock(timeZone);
  const gone = sendsChanged ? [] : await sentAndGone(graph, results, { names: new Set(names), memoryMs });
  const problems: TableProblem[] = [];
  const warnings: RowWarning[] = [];
  const rows = named.map(({ post, name, first }, index): PlannedRow => {
    const status = statuses[index] ?? NEVER_SENT;
    const validation = validations.get(post);
    const own = validation ? problemsOf(post, validation) : [];
    const { row, line } = post;
    const reportRow = (message: string): void => void own.push({ line, row, column: null, message });
    if (validation) {
      const sent = sentBeside(post, gone, { directory, onClock });
      if (sent !== null) reportRow(sent);
      // Of a row that could not be read in full, it is unknown what it requests.
      if (first && post.problems.length === 0) warnings.push(repetitionOf(post, first));
    }
    if ((status.attempt ?? 0) > MAX_ATTEMPTS)
      reportRow(`The service rejected this row ${MAX_ATTEMPTS} times; change it. ${status.reason}`);
    problems.push(...own);
    warnings.push(...(validation?.warnings ?? []).map((one) => ({ ...about(post, one), code: one.code })));
    return { post, name, status, isInvalid: own.length > 0 };
  });
  return { directory, rows, problems, warnings, retentionMs };
}

interface Viewer {
  readonly viewer: {
    readonly isSandbox: boolean;
    readonly timeZone: string | null;
    readonly writeRetentionSeconds: number | null;
  };
}
const VIEWER = '{ viewer { isSandbox timeZone writeRetentionSeconds } }' as TypedDocument<
  Viewer,
  Readonly<Record<string, unknown>>
>;

/** Returns how long the server remembers writes, in milliseconds, and the time zone of the service's clock if it knows it. */
async function serverOf(graph: Graph, sends: boolean) {
  const { isSandbox, timeZone, writeRetentionSeconds } = (await read(graph, VIEWER)).viewer;
  if (writeRetentionSeconds !== null) return { timeZone, retentionMs: writeRetentionSeconds * 1_000 };
  if (sends && !isSandbox)
    throw new UnsafeServer(
      'The server forgets writes when it restarts, so rows could be sent twice. Set DATA_DIR or REDIS_URL on the server.',
    );
  return { timeZone, retentionMs: Infinity };
}

interface NamedRow extends Pick<PlannedRow, 'post' | 'name'> {
  /** The first row with the same content, if this is another one. */
  readonly first: PostRow | null;
}

function nameRows(
  tableRows: readonly TableRow[],
  directory: AccountDirectory,
  { entries }: ResultsFile,
): NamedRow[] {
  const sentTo = new Map([...entries.values()].map(({ account, accountIds }) => [account, accountIds]));
  const equals = new Map<string, PostRow[]>();
  const nameOf = (post: PostRow): NamedRow => {
    const equal = equals.get(nameOfRow(post.input, 0)) ?? [];
    return { post, name: nameOfRow(post.input, equal.length + 1), first: equal[0] ?? null };
  };
  return tableRows.map((row) => {
    let named = nameOf(readRow(row, directory));
    const ids = sentTo.get(row.cells.get('account') ?? '');
    if (named.post.problems.length > 0 && ids !== undefined) {
      // An account may have another name since the row was sent.
      const before = nameOf(readRow(row, { ...directory, find: () => ids.map((id) => ({ id })) }));
      if (isDone(entries.get(before.name))) named = before;
    }
    const content = nameOfRow(named.post.input, 0);
    equals.set(content, [...(equals.get(content) ?? []), named.post]);
    return named;
  });
}

/** Whether the server has stored the write. */
const isStored = (entry: ResultsEntry | undefined): entry is ResultsEntry =>
  isDone(entry) || entry?.outcome === 'UNKNOWN';

/** Whether an event is at most so many milliseconds old. One that is to come was written by a clock that was wrong. */
const isWithin = (ms: number, { at }: ResultsEntry): boolean => Math.abs(Date.now() - Date.parse(at)) < ms;

/**
 * Adds what the results file says about a row that the server does not remember.
 *
 * @param memoryMs How long the server certainly remembers a write, in milliseconds.
 */
function withResults(status: RowStatus, entry: ResultsEntry | undefined, memoryMs: number): RowStatus {
  if (entry === undefined || status.state === 'DONE') return status;
  const { outcome, postIds, at } = entry;
  if (outcome !== 'SENDING' && isDone(entry)) return { ...status, state: 'DONE', outcome, postIds };
  if (status !== NEVER_SENT || outcome === 'REJECTED') return status;
  // If the server had received it, it would still remember it.
  if (outcome === 'SENDING' && isWithin(memoryMs, entry)) return status;
  const reason = `the server no longer remembers it, and its response was lost when it was sent at ${at}`;
  return { ...status, state: 'UNKNOWN', attempt: null, reason };
}

/** Returns what was, or may have been, sent from this table and is no longer in it. */
async function sentAndGone(
  graph: Graph,
  { entries }: ResultsFile,
  { names, memoryMs }: { readonly names: ReadonlySet<string>; readonly memoryMs: number },
): Promise<ResultsEntry[]> {
  const gone = [...entries.values()].filter(({ key, outcome }) => !names.has(key) && outcome !== 'REJECTED');
  const keys = gone.map(({ key }) => key);
  const statuses = await readStatuses(graph, keys);
  return gone.filter(
    (entry, index) => withResults(statuses[index] ?? NEVER_SENT, entry, memoryMs).state !== 'PENDING',
  );
}

interface Finding {
  readonly message: string;
  readonly path: readonly string[] | null;
}

interface Validation {
  readonly userErrors: readonly Finding[];
  readonly warnings: readonly (Finding & { readonly code: string })[];
}

const VALIDATE: EachField<Validation> = {
  type: 'CreatePostInput!',
  select: 'validatePost(input: $v) { userErrors { message path } warnings { code message path } }',
  refused: ({ message }) => ({ userErrors: [{ message, path: null }], warnings: [] }),
};

const accountsOf = ({ input }: PostRow): string => input.accountIds.join(' ');

/** Validates posts as creating them would, and looks up their accounts. */
async function validate(graph: Graph, posts: readonly PostRow[]): Promise<Map<PostRow, Validation>> {
  // Each request reads an account once, so rows of the same accounts are checked together.
  const order = posts.toSorted(
    (one, other) => Number(accountsOf(one) > accountsOf(other)) - Number(accountsOf(one) < accountsOf(other)),
  );
  // The schema requires a timing. A row without one is checked for everything else.
  const inputs = order.map(({ input }) =>
    Object.keys(input.timing).length > 0 ? input : { ...input, timing: { placement: 'QUEUE' } },
  );
  const validations = await readEach(graph, VALIDATE, inputs);
  return new Map(order.flatMap((post, index) => (validations[index] ? [[post, validations[index]]] : [])));
}

/** Returns the problems of a row, those of its cells and those that the graph found. */
function problemsOf(post: PostRow, { userErrors }: Validation): TableProblem[] {
  const { input, problems } = post;
  const lacksAccounts = input.accountIds.length === 0 && problems.some(({ column }) => column === 'account');
  const found = userErrors
    // That no account was found is reported already.
    .filter(({ path }) => !(lacksAccounts && path?.[1] === 'accountIds'))
    .map((error) => about(post, error));
  // A cell that several variants use is reported once.
  const byContent = [...problems, ...found].map((one) => [`${one.column} ${one.message}`, one] as const);
  return [...new Map(byContent).values()];
}

function about(post: PostRow, { message, path }: Finding): TableProblem {
  return { line: post.line, row: post.row, column: columnOfPath(path, post), message };
}

function repetitionOf({ row, line }: PostRow, first: PostRow): RowWarning {
  const message = `This row requests the same post as line ${first.line}; both will be sent.`;
  return { code: 'SAME_AS_ANOTHER_ROW', row, line, column: null, message };
}

const MAX_SHOWN = 40;

/**
 * Describes a post that was sent from this table on the same account at the same time and is no longer in it; null if
 * there is none. The row is probably a correction of it.
 */
function sentBeside(
  { input }: PostRow,
  sent: readonly ResultsEntry[],
  {
    directory,
    onClock,
  }: { readonly directory: AccountDirectory; readonly onClock: (time: string) => string },
): string | null {
  const times = timesOf(input).map(onClock);
  for (const { accountIds, times: sentTimes, text } of sent) {
    const id = accountIds.find((one) => input.accountIds.includes(one));
    const time = sentTimes.find((one) => times.includes(onClock(one)));
    if (id === undefined || time === undefined) continue;
    const shown = inOneLine(cutText(text, MAX_SHOWN));
    return `An earlier version of this row was sent to ${directory.labelOf(id)} (${time.replace('T', ' ')}): “${shown}”. It stays where it is; --send-changed sends this row as well.`;
  }
  return null;
}

/** Returns how to convert an instant to a time of the service's clock if its zone is known, once for all rows. */
function serviceClock(timeZone: string | null): (time: string) => string {
  if (timeZone === null) return (time) => time;
  // Swedish dates are in the form of ISO 8601.
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const known = new Map<string, string>();
  return (time) => {
    if (!time.endsWith('Z')) return time;
    const local = known.get(time) ?? clock.format(new Date(time)).replace(' ', 'T');
    known.set(time, local);
    return local;
  };
}
