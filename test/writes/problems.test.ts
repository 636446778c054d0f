import { expect, test } from 'vitest';
import { MAX_LIST, MAX_PROBLEMS, Problems } from '../../src/writes/problems.ts';

const ACCOUNT = { type: 'Account', surface: 'current' } as const;
const junk = (count: number): string[] => Array.from({ length: count }, (_, index) => `x${index}`);

function problemsOf(count: number): Problems {
  const problems = new Problems();
  problems.ids(['accountIds'], junk(count), ACCOUNT);
  return problems;
}

test('so many problems are listed one by one', () => {
  const { list, isFull } = problemsOf(MAX_PROBLEMS - 1);
  expect([list.length, isFull]).toEqual([MAX_PROBLEMS - 1, false]);
  expect(list.at(-1)?.path).toEqual(['input', 'accountIds', String(MAX_PROBLEMS - 2)]);
});

test('of more problems, the last one says that there are others', () => {
  const { list, isFull } = problemsOf(MAX_LIST);
  expect([list.length, isFull]).toEqual([MAX_PROBLEMS + 1, true]);
  expect(list.at(-1)).toMatchObject({
    code: 'INVALID_INPUT',
    message: 'There are more than 50 problems; the others are not listed.',
    path: ['input'],
  });
});

test('once there are too many problems, the rest of an input is not searched for more', () => {
  let reads = 0;
  const item = {
    get text() {
      reads += 1;
      return 'x'.repeat(60_001);
    },
  };
  const problems = new Problems();
  problems.limits({ items: Array.from({ length: MAX_LIST }, () => item) });
  expect([problems.isFull, reads]).toEqual([true, MAX_PROBLEMS + 1]);
  expect(problems.list.at(-1)?.message).toContain('the others are not listed');
});

test('of a list that is too long, only so many elements are checked', () => {
  const read = (length: number): number => {
    let reads = 0;
    const ids = new Proxy(junk(length), {
      get: (of, name, self) => {
        if (typeof name === 'string' && /^\d+$/.test(name)) reads += 1;
        return Reflect.get(of, name, self) as unknown;
      },
    });
    new Problems().numbers(['tagIds'], ids, 'tag');
    return reads;
  };
  expect(read(10 * MAX_LIST)).toBe(MAX_LIST);
  expect(read(MAX_LIST)).toBe(MAX_LIST);
});

test('repeated elements are found in a list of the longest length', () => {
  const problems = new Problems();
  problems.elements(['accountIds'], [...junk(MAX_LIST - 1), 'x3'], 'account');
  expect(problems.list.map(({ path }) => path?.at(-1))).toEqual([String(MAX_LIST - 1)]);
});
