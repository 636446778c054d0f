import { expect, test } from 'vitest';
import { Progress, type ProgressOptions } from '../src/progress.ts';

/** A display of ten rows at 60 per minute, what it wrote, and its clock. */
function display(options: Partial<ProgressOptions> = {}) {
  const written: string[] = [];
  let now = 0;
  const write = (text: string): void => void written.push(text);
  const rules = { total: 10, perMinute: 60, json: false, isTerminal: false, write, now: () => now };
  return { progress: new Progress({ ...rules, ...options }), written, advance: (ms: number) => (now += ms) };
}

const row = (number: number, postIds: readonly string[] = [`p${number}`]) => ({
  row: number,
  line: number + 1,
  attempt: 1,
  outcome: 'COMPLETED' as const,
  postIds: [...postIds],
  reason: '',
  replayed: false,
});
const refused = { ...row(2), outcome: 'REJECTED' as const, postIds: [], reason: 'Not on\nSundays.' };

test('a terminal shows one line that is written over, and keeps what needs attention above it', () => {
  const { progress, written, advance } = display({ isTerminal: true, total: 2 });
  advance(30_000);
  progress.onRow(row(1));
  progress.onRow(refused);
  progress.onPause({ ms: 1_500, reason: 'Too\u001B[2Jfast.' });
  progress.end();
  expect(written).toEqual([
    '\r\u001B[2K1 of 2 rows, 2 per minute, 30 s left',
    '\r\u001B[2Kline 3: REJECTED, Not on Sundays.\n1 of 2 rows, 2 per minute, 30 s left',
    '\r\u001B[2K1 of 2 rows, 2 per minute, 30 s left; pausing 2 s: Too [2Jfast.',
    '\n',
  ]);
});

test('a file gets a line for each row and pause; a row that is sent again after a refusal is one row', () => {
  const { progress, written, advance } = display();
  progress.onRow(refused);
  // Rows sent without waiting count at the pace of the run.
  advance(50);
  progress.onRow(row(1, ['p1', 'p2']));
  advance(60_000);
  progress.onRow({ ...row(2), replayed: true });
  progress.onPause({ ms: 120_000, reason: 'Too fast.' });
  progress.end();
  expect(written).toEqual([
    'line 3: REJECTED, Not on Sundays. (0 of 10 rows, 0 per minute)\n',
    'line 2: COMPLETED, p1, p2 (1 of 10 rows, 60 per minute, 9 s left)\n',
    'line 3: COMPLETED, p2, recorded before (2 of 10 rows, 2 per minute, 4 min left)\n',
    'pausing 2 min: Too fast.\n',
  ]);
});

test('a program gets an object for each row and each pause, with how far it is; no time left is made up', () => {
  const { progress, written, advance } = display({ json: true, isTerminal: true });
  advance(60_000);
  progress.onPause({ ms: 1_001, reason: 'Too fast.' });
  progress.onRow(row(1));
  progress.end();
  const begun = { rowsDone: 0, rowsTotal: 10, rowsPerMinute: 0, secondsLeft: null };
  expect(written.map((line) => JSON.parse(line) as object)).toEqual([
    { ...begun, type: 'pause', seconds: 2, reason: 'Too fast.' },
    { type: 'row', ...row(1), rowsDone: 1, rowsTotal: 10, rowsPerMinute: 1, secondsLeft: 540 },
  ]);
  expect(written.every((line) => line.endsWith('}\n'))).toBe(true);
});
