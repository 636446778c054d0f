import type { QueueRow } from './queue-rows.ts';

const COLUMNS: Readonly<Record<string, (row: QueueRow) => string | null>> = {
  id: ({ id }) => id,
  postId: ({ postId }) => postId,
  account: ({ accountLabel }) => accountLabel,
  accountId: ({ accountId }) => accountId,
  loginId: ({ loginId }) => loginId,
  network: ({ network }) => network,
  scheduledAtLocal: ({ scheduledAtLocal }) => scheduledAtLocal?.replace('T', ' ') ?? null,
  scheduledAt: ({ scheduledAt }) => scheduledAt,
  title: ({ title }) => title,
  text: ({ text }) => text,
  linkUrl: ({ linkUrl }) => linkUrl,
  comment: ({ comment }) => comment,
  obstacles: ({ obstacles }) => obstacles.join(' '),
};

/** A byte order mark, by which spreadsheet programs recognise UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Formats the queue as CSV (RFC 4180) for spreadsheet programs. */
export function csvOfQueue(rows: readonly QueueRow[]): string {
  const lines = [
    Object.keys(COLUMNS),
    ...rows.map((row) => Object.values(COLUMNS).map((cell) => cell(row) ?? '')),
  ];
  return BYTE_ORDER_MARK + lines.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

/** Characters that a spreadsheet program treats as the start of a formula. */
const FORMULA = /^[=+\-@\t\r\n]/;

// A program that opens the file would run the formula, whoever wrote it; the apostrophe marks the cell as text.
function cellOf(value: string): string {
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",;\r\n\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
