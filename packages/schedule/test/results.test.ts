import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/files.ts';
import { ResultsFile } from '../src/results.ts';

const SERVICE = 'https://graph.example.com/graphql';
const event = (key: string) => ({
  key,
  attempt: 1,
  line: 2,
  outcome: 'COMPLETED' as const,
  postIds: ['p'],
  reason: '',
  account: 'a',
  accountIds: ['A'],
  times: ['queue'],
  text: 'Hi',
});

async function newPath(): Promise<string> {
  return join(await temporaryFolder(), 'posts.results.jsonl');
}

test('two processes that send through a server lose none of each other’s results', async () => {
  const path = await newPath();
  const [one, other] = [new ResultsFile(path, SERVICE), new ResultsFile(path, SERVICE)];
  for (const [file, key] of [
    [one, 'a'],
    [other, 'b'],
    [one, 'c'],
    [other, 'd'],
  ] as const)
    file.add(event(key));
  expect([...new ResultsFile(path, SERVICE).entries.keys()]).toEqual(['a', 'b', 'c', 'd']);
});

test.each(['SENDING', 'UNKNOWN', 'REJECTED'] as const)(
  'a row that one process has sent stays sent, although it is %s for another that asked for it, too',
  async (outcome) => {
    const path = await newPath();
    const [one, other] = [new ResultsFile(path, SERVICE), new ResultsFile(path, SERVICE)];
    one.add(event('a'));
    other.add({ ...event('a'), outcome, postIds: [] });
    expect(new ResultsFile(path, SERVICE).entries.get('a')).toMatchObject(event('a'));
  },
);

test('a file that is removed while rows are sent begins anew', async () => {
  const path = await newPath();
  const file = new ResultsFile(path, SERVICE);
  file.add(event('a'));
  await rm(path);
  for (const key of ['b', 'c']) file.add(event(key));
  expect([...new ResultsFile(path, SERVICE).entries.keys()]).toEqual(['b', 'c']);
});
