import { expect, test } from 'vitest';
import { HttpAnswer } from '../../src/sources/http-answer.ts';

const answerOf = (text: string) => new HttpAnswer({ status: 200, headers: {}, text });

test('other work has its turn between parsing a large response and reading it, but not for a small one', async () => {
  const turns: string[] = [];
  setImmediate(() => turns.push('other work'));
  await answerOf('[]').pause();
  expect(turns).toEqual([]);
  await answerOf(' '.repeat(300_000)).pause();
  expect(turns).toEqual(['other work']);
});
