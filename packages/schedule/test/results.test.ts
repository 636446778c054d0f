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

/** A file that any number of processes may open. */
async function newFile() {
  const path = join(await temporaryFolder(), 'posts.results.jsonl');
  return { path, open: () => new ResultsFile(path, SERVICE) };
}

test('two processes that send through a server lose none of each other’s results', async () => {
  const { open } = await newFile();
  const [one, other] = [open(), open()];
  one.add(event('a'));
  other.add(event('b'));
  one.add(event('c'));
  other.add(event('d'));
  expect([...open().entries.keys()]).toEqual(['a', 'b', 'c', 'd']);
});

test.each(['SENDING', 'UNKNOWN', 'REJECTED'] as const)(
  'a row that one process has sent stays sent, although it is %s for another that asked for it, too',
  async (outcome) => {
    const { open } = await newFile();
    const [one, other] = [open(), open()];
    one.add(event('a'));
    other.add({ ...event('a'), outcome, postIds: [] });
    expect(open().entries.get('a')).toMatchObject(event('a'));
  },
);

test('a file that is removed while rows are sent begins anew', async () => {
  const { path, open } = await newFile();
  const file = open();
  file.add(event('a'));
  await rm(path);
  for (const key of ['b', 'c']) file.add(event(key));
  expect([...open().entries.keys()]).toEqual(['b', 'c']);
});
