import { z } from 'zod';
import type { AccountDirectory } from './accounts.ts';
import { isPostable } from './columns.ts';
import type { Graph } from './graph.ts';
import { normalized } from './known.ts';
import type { ResultsEntry } from './results.ts';
import { columnOfPath, type PostRow } from './rows.ts';
import type { TableProblem } from './table.ts';
import { cutText, inOneLine } from './text.ts';

/** Something that may go wrong with a row's post later, or that its author may have overlooked. */
export interface RowWarning extends TableProblem {
  readonly code: string;
}

/** The findings about a row. */
export interface CheckedRow {
  /** If there are any, the post would not be sent. */
  readonly problems: readonly TableProblem[];
  readonly warnings: readonly RowWarning[];
}

const PATH = z.array(z.string()).nullable();
const VALIDATION = z.object({
  userErrors: z.array(z.object({ message: z.string(), path: PATH })),
  warnings: z.array(z.object({ code: z.string(), message: z.string(), path: PATH })),
});

const VALIDATE = {
  data: VALIDATION,
  type: 'CreatePostInput!',
  select: 'validatePost(input: $v) { userErrors { message path } warnings { code message path } }',
  refused: (message: string) => ({ userErrors: [{ message, path: null }], warnings: [] }),
};

/**
 * Checks rows as creating them would, and looks up their accounts; sends no writes.
 *
 * @throws GraphFailure
 */
export async function checkRows(graph: Graph, posts: readonly PostRow[]): Promise<CheckedRow[]> {
  // Each request reads an account once, so rows of the same accounts are checked together.
  const order = posts.toSorted((one, other) => compare(accountsOf(one), accountsOf(other)));
  const inputs = order.map(({ input }) => withSomeTiming(normalized(input)));
  const validations = await graph.readEach(VALIDATE, inputs);
  const found = new Map(order.map((post, index) => [post, validations[index]]));
  return posts.map((post) => findingsOf(post, found.get(post)));
}

const accountsOf = ({ input }: PostRow): string => input.accountIds.toSorted().join(' ');
const compare = (one: string, other: string): number => Number(one > other) - Number(one < other);

// The schema requires a timing. A row without one is checked for everything else.
function withSomeTiming(input: PostRow['input']): PostRow['input'] {
  return Object.keys(input.timing).length > 0 ? input : { ...input, timing: { placement: 'QUEUE' } };
}

function findingsOf(post: PostRow, validation: z.output<typeof VALIDATION> | undefined): CheckedRow {
  const { row, line } = post;
  const { userErrors = [], warnings = [] } = validation ?? {};
  const about = ({ path, message }: { readonly path: string[] | null; readonly message: string }) => ({
    line,
    row,
    column: columnOfPath(path, post),
    message,
  });
  const problems = userErrors.filter(({ path }) => !isKnownToLack(post, path)).map(about);
  return {
    // A cell that several variants use is reported once.
    problems: uniqueIn([...post.problems, ...problems]),
    warnings: warnings.map((warning) => ({ ...about(warning), code: warning.code })),
  };
}

function uniqueIn(problems: readonly TableProblem[]): TableProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.column} ${problem.message}`, problem])).values()];
}

/** Whether a problem is only that an argument is missing because its cell could not be read, which is reported. */
function isKnownToLack({ input, columns }: PostRow, path: readonly string[] | null): boolean {
  const [, argument, index] = path ?? [];
  if (argument === 'variants') return index === undefined && ![...columns].some(isPostable);
  return argument === 'accountIds' && input.accountIds.length === 0;
}

/** Warns of rows that request the same post as an earlier one: both are sent. */
export function repetitionOf({ row, line }: PostRow, first: PostRow): RowWarning {
  const message = `This row requests the same post as line ${first.line}; both will be sent.`;
  return { code: 'SAME_AS_ANOTHER_ROW', row, line, column: null, message };
}

/** The times of a post, or its placement. */
export function timesOf({ timing }: PostRow['input']): readonly string[] {
  const { scheduledAtLocal, scheduledAt, placement } = timing;
  const instants = scheduledAt?.map((instant) => instant.replace(/:00\.000Z$/, 'Z'));
  return scheduledAtLocal ?? instants ?? [placement?.toLowerCase() ?? ''];
}

/** The first text of a post; empty if it has none. */
export function textOf({ variants }: PostRow['input']): string {
  return variants.map(({ text }) => text ?? '').find((text) => text !== '') ?? '';
}

const MAX_SHOWN = 40;

/**
 * Reports a row that would post beside one that was sent from this table and is no longer in it: on the same account at
 * the same time. It is probably that row after a correction.
 */
export function problemBeside(
  { row, line, input }: PostRow,
  sent: readonly ResultsEntry[],
  directory: AccountDirectory,
): TableProblem | null {
  const times = timesOf(input);
  for (const { accountIds, times: sentTimes, text } of sent) {
    const id = accountIds.find((one) => input.accountIds.includes(one));
    const time = sentTimes.find((one) => times.includes(one));
    if (id === undefined || time === undefined) continue;
    const shown = inOneLine(cutText(text, MAX_SHOWN));
    const message = `An earlier version of this row was sent to ${directory.labelOf(id)} (${time.replace('T', ' ')}): “${shown}”. It stays where it is; --send-changed sends this row as well.`;
    return { row, line, column: null, message };
  }
  return null;
}
