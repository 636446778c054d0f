import type { WriteContext } from '../writes/context.ts';
import type { UserError } from '../writes/outcome.ts';
import { validatePost } from '../writes/validate-post.ts';
import { isPostable } from './columns.ts';
import { columnOfPath, type PostRow } from './inputs.ts';
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
export async function checkRows(context: WriteContext, posts: readonly PostRow[]): Promise<CheckedRow[]> {
  const checked: CheckedRow[] = [];
  for (let start = 0; start < posts.length; start += AT_ONCE) {
    const some = posts.slice(start, start + AT_ONCE);
    checked.push(...(await Promise.all(some.map((post) => checkRow(context, post)))));
  }
  return withRepetitions(checked);
}

async function checkRow(context: WriteContext, post: PostRow): Promise<CheckedRow> {
  const { row, line, input } = post;
  const { userErrors, warnings } = await validatePost(context, input);
  const about = ({ path, message }: Pick<UserError, 'path' | 'message'>): TableProblem => ({
    line,
    row,
    column: columnOfPath(path, post),
    message,
  });
  const problems = userErrors.filter(({ path }) => !isKnownToLack(post, path)).map(about);
  return {
    post,
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
  const { accountIds, timing } = input;
  const [, argument, index] = path ?? [];
  if (argument === 'variants') return index === undefined && ![...columns].some(isPostable);
  if (argument === 'accountIds') return accountIds.length === 0;
  return argument === 'timing' && Object.keys(timing).length === 0;
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
    const message = `This row requests the same post as line ${first}; both will be sent.`;
    const warning = { code: 'SAME_AS_ANOTHER_ROW', row, line, column: null, message };
    return { ...checked, warnings: [...checked.warnings, warning] };
  });
}
