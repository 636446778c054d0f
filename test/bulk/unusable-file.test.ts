import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { using } from '../../src/bulk/unusable-file.ts';

const failing = (task: () => unknown) => (): unknown => using('posts.csv', 'read', task);

test('a file that can’t be used is named with the reason, from the operating system or not', () => {
  expect(failing(() => readFileSync('/dev/null/posts.csv'))).toThrow(
    /^posts\.csv: cannot be read: a part of its path is a file, not a folder\.$/,
  );
  expect(
    failing(() => {
      throw new Error('a line was written in part');
    }),
  ).toThrow(/^posts\.csv: cannot be read: a line was written in part\.$/);
});
