import type { WriteContext } from '../writes/context.ts';
import { validatePost } from '../writes/validate-post.ts';
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
  const { row, line } = post;
  const { userErrors, warnings } = await validatePost(context, post.input);
  const about = (path: readonly string[] | null, message: string): TableProblem => {
    const column = columnOfPath(path, post);
    return { line, row, column, message: withoutPath(message, path) };
  };
  return {
    post,
    problems: userErrors.map(({ path, message }) => about(path, message)),
    warnings: warnings.map(({ path, message, code }) => ({ ...about(path, message), code })),
  };
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
    const { row, line, input } = checked.post;
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
