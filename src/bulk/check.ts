import type { WriteContext } from '../writes/context.ts';
import { validatePost } from '../writes/validate-post.ts';
import type { AccountDirectory } from './accounts.ts';
import { isPostable } from './columns.ts';
import { columnOfPath, whichOf, type PostRow } from './inputs.ts';
import type { TableProblem } from './table.ts';

/** Something that may go wrong with a row's post later, or that its author may have overlooked. */
export interface RowWarning extends TableProblem {
  readonly code: string;
}

/** A row after the check against the service. */
export interface CheckedRow {
  readonly post: PostRow;
  /** If there are any, the post would not be sent. */
  readonly problems: readonly TableProblem[];
  readonly warnings: readonly RowWarning[];
}

/** Rows checked concurrently, few enough that their lookups do not wait long for the call limit. */
const AT_ONCE = 8;

/**
 * Checks rows as creating them would, and looks up their accounts; sends no writes. The context's loaders
 * read each account and list once, however many rows need it.
 *
 * @throws SourceError if a call to the service fails
 */
export async function checkRows(
  context: WriteContext,
  posts: readonly PostRow[],
  directory: Pick<AccountDirectory, 'labelOf'>,
): Promise<CheckedRow[]> {
  const checked: CheckedRow[] = [];
  for (let start = 0; start < posts.length; start += AT_ONCE) {
    const some = posts.slice(start, start + AT_ONCE);
    checked.push(...(await Promise.all(some.map((post) => checkRow(context, post, directory)))));
  }
  return withRepetitions(checked);
}

async function checkRow(
  context: WriteContext,
  post: PostRow,
  directory: Pick<AccountDirectory, 'labelOf'>,
): Promise<CheckedRow> {
  const { row, line, input } = post;
  const { userErrors, warnings } = await validatePost(context, input);
  const about = (path: readonly string[] | null, message: string): TableProblem => {
    const column = columnOfPath(path, post);
    return { line, row, column, message: withoutPath(message, path) };
  };
  const found = userErrors.filter(({ path }) => !isKnownToLack(post, path));
  const problems = found.map(({ path, message }) => {
    const problem = about(path, message);
    return { ...problem, message: `${whichValue(path, input, directory)}${problem.message}` };
  });
  return {
    post,
    // A cell that several variants use is reported once.
    problems: uniqueIn([...post.problems, ...problems]),
    warnings: warnings.map(({ path, message, code }) => ({ ...about(path, message), code })),
  };
}

function uniqueIn(problems: readonly TableProblem[]): TableProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.column} ${problem.message}`, problem])).values()];
}

/** Whether a problem is only that an argument is missing because its cell could not be read, which is reported. */
function isKnownToLack({ input, columns }: PostRow, path: readonly string[] | null): boolean {
  const { accountIds, timing } = input;
  const [, argument, index] = path ?? [];
  if (argument === 'variants') return index === undefined && ![...columns].some(isPostable);
  if (argument === 'accountIds') return accountIds.length === 0;
  return argument === 'timing' && Object.keys(timing).length === 0;
}

/** Names the value to which a path leads, if its cell has several. */
function whichValue(
  path: readonly string[] | null,
  { accountIds, timing, variants }: PostRow['input'],
  { labelOf }: Pick<AccountDirectory, 'labelOf'>,
): string {
  const [, argument, first = '', second = '', third] = path ?? [];
  if (argument === 'accountIds') return whichOf(accountIds.map(labelOf), first);
  if (argument === 'timing') return whichOf(timing.scheduledAtLocal ?? [], second);
  const isList = second === 'tagIds' || second === 'mediaIds';
  return isList ? whichOf(variants[Number(first)]?.[second] ?? [], third) : '';
}

// The message is shown after the name of the column, so the path is removed.
function withoutPath(message: string, path: readonly string[] | null): string {
  const prefix = `${path?.join('.') ?? ''} `;
  return prefix !== ' ' && message.startsWith(prefix) ? message.slice(prefix.length) : message;
}

/** Warns of rows that request the same post as an earlier one: both are sent. */
function withRepetitions(rows: readonly CheckedRow[]): CheckedRow[] {
  const firstLines = new Map<string, number>();
  return rows.map((checked) => {
    const { row, line, input, problems } = checked.post;
    // Of a row that could not be read in full, it is unknown what it requests.
    if (problems.length > 0) return checked;
    const name = JSON.stringify(input);
    const first = firstLines.get(name);
    if (first === undefined) {
      firstLines.set(name, line);
      return checked;
    }
    const message = `The row asks for the same post as line ${first}; both are sent.`;
    const warning = { code: 'SAME_AS_ANOTHER_ROW', row, line, column: null, message };
    return { ...checked, warnings: [...checked.warnings, warning] };
  });
}
