import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openCoordination, type Coordination } from '../../src/coordination/coordination.ts';
import { openDataDirectory } from '../../src/journal/data-directory.ts';
import { DiskUnavailable, openStore, StoreOfAnotherFormat, type Store } from '../../src/journal/store.ts';
import { ClassicLevel } from 'classic-level';
import { openLog } from '../../src/observability/log.ts';
import { KEPT_MS, type WriteRecord } from '../../src/journal/journal.ts';
import { completed } from '../../src/writes/outcome.ts';
import { journalKey } from '../support/redis.ts';
import { temporaryFolder } from '../support/files.ts';

const SECRETS = ['the text of a post', 'the-key', 'the-caller'];
const RECORD: WriteRecord = { mutation: 'createPost', fingerprint: 'f', startedAt: Date.now(), result: null };
const DONE = { ...RECORD, result: completed({ text: SECRETS[0] }) };
const ABANDONED = { ...RECORD, isAbandoned: true };
const KEY = journalKey('hash-of-the-write', 'hash-of-somebody');

/** A process with its data in a folder, as it is until its end. */
async function open(dataDirectory: string): Promise<Coordination> {
  const config = { redis: null, dataDirectory, aiResultMaxWaitMs: 60_000 };
  const coordination = openCoordination(config, openLog('silent'));
  onTestFinished(() => coordination.close().catch(() => undefined));
  await coordination.tried;
  return coordination;
}

async function failureOf(dataDirectory: string): Promise<string> {
  try {
    await open(dataDirectory);
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
}

const writing = (...ids: readonly string[]): unknown[] => [
  [...ids.map((id) => `record ${id}`), 'state'].map((key) => expect.objectContaining({ key }) as unknown),
  { sync: true },
];

/** Lets nothing more be written, until the mock is taken back or the test ends. */
function fillDisk() {
  return vi.spyOn(ClassicLevel.prototype, 'batch').mockImplementation(() => {
    throw new Error('no space left');
  });
}

async function damageFiles(folder: string): Promise<void> {
  for (const name of await readdir(join(folder, 'journal'))) {
    const file = join(folder, 'journal', name);
    const bytes = /\.(?:log|ldb)$/.test(name) ? await readFile(file) : Buffer.of();
    if (bytes.length === 0) continue;
    const middle = Math.floor(bytes.length / 2);
    // Within a record: with another length, it would look like one whose writing was cut off.
    const start = Math.max(middle, bytes.indexOf('"sealed"', middle));
    await writeFile(file, bytes.fill(0x55, start, start + 20));
  }
}

describe('a journal on disk', () => {
  test('holds nothing that could be read by whoever has its folder', async () => {
    const folder = await temporaryFolder();
    const coordination = await open(folder);
    await coordination.journal.begin(KEY, RECORD);
    await coordination.journal.finish(KEY, DONE);
    await coordination.close();
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const texts = await Promise.all(
      files
        .filter((file) => file.isFile())
        .map((file) => readFile(join(file.parentPath, file.name), 'latin1')),
    );
    expect(texts.join('')).toContain('hash-of-the-write');
    for (const secret of [...SECRETS, 'createPost']) expect(texts.join('')).not.toContain(secret);
  });

  test('can’t be read with the secret of another write', async () => {
    const { journal } = await open(await temporaryFolder());
    await journal.begin(KEY, DONE);
    await expect(journal.find({ ...KEY, secret: journalKey('other').secret })).rejects.toThrow();
  });

  test('reads nothing for a new key and its result, and writes one record at a time', async () => {
    const { journal } = await open(await temporaryFolder());
    await journal.begin(journalKey('another'), RECORD);
    const [get, getMany, batch] = (['get', 'getMany', 'batch'] as const).map((name) =>
      vi.spyOn(ClassicLevel.prototype, name),
    );
    await journal.begin(KEY, RECORD);
    await journal.finish(KEY, DONE);
    expect([get?.mock.calls, getMany?.mock.calls]).toEqual([[], []]);
    expect(batch?.mock.calls).toEqual([writing(KEY.id), writing(KEY.id)]);
    expect(await journal.find(KEY)).toEqual(DONE);
    expect(get).toHaveBeenCalledOnce();
  });

  test('that can’t be written for a while refuses new keys, and is brought up to date before it takes them again', async () => {
    const folder = await temporaryFolder();
    const coordination = await open(folder);
    const { journal } = coordination;
    await journal.begin(KEY, RECORD);
    await journal.begin(journalKey('unsent'), RECORD);
    const filling = fillDisk();
    await expect(journal.begin(journalKey('new'), RECORD)).rejects.toThrow('no space left');
    expect(await journal.find(journalKey('new'))).toBeNull();
    await expect(journal.finish(KEY, DONE)).rejects.toThrow(DiskUnavailable);
    await expect(journal.forget(journalKey('unsent'))).rejects.toThrow(DiskUnavailable);
    await expect(journal.begin(journalKey('new'), RECORD)).rejects.toThrow(DiskUnavailable);
    expect(await journal.find(KEY)).toEqual(DONE);
    // It is tried again, and goes on being full.
    await expect.poll(() => filling.mock.calls.length).toBeGreaterThan(1);
    filling.mockRestore();
    const begin = () => journal.begin(journalKey('new'), RECORD).catch(() => 'refused');
    await expect.poll(begin).toBeNull();
    await coordination.close();
    const { journal: next } = await open(folder);
    expect(await next.find(KEY)).toEqual(DONE);
    expect(await next.find(journalKey('unsent'))).toBeNull();
  });

  test('is brought up to date at the end of the process, where the disk can be written again by then', async () => {
    const folder = await temporaryFolder();
    const coordination = await open(folder);
    await coordination.journal.begin(KEY, RECORD);
    const filling = fillDisk();
    await expect(coordination.journal.finish(KEY, DONE)).rejects.toThrow('no space left');
    filling.mockRestore();
    await coordination.close();
    expect(await (await open(folder)).journal.find(KEY)).toEqual(DONE);
  });

  test('is in a folder of its owner alone, as is its secret', async () => {
    const folder = join(await temporaryFolder(), 'data');
    await open(folder);
    const modes = await Promise.all([folder, join(folder, 'secret')].map((path) => stat(path)));
    expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600]);
  });

  test('leaves a secret alone that a process of the same id is writing in another container', async () => {
    const folder = await temporaryFolder();
    const draft = join(folder, `secret.${process.pid}`);
    // What the other process is writing, which it links to its place next.
    await writeFile(draft, 'the secret of the other process');
    await open(folder);
    expect(await readFile(draft, 'utf8')).toBe('the secret of the other process');
  });
});

/** Rewrites a journal as an earlier version of its format had it: the second one with the expiry of records and indexes. */
async function makeVersion(version: 1 | 2, folder: string): Promise<void> {
  const database = new ClassicLevel(join(folder, 'journal'));
  let state = { count: 0, sum: 0 };
  const put = async (id: string, text: string): Promise<void> => {
    await database.put(`record ${id}`, text);
    const sum = createHash('sha256').update(`${id} ${text}`).digest().readUIntBE(0, 6);
    state = { count: state.count + 1, sum: (state.sum + sum) % 2 ** 48 };
  };
  for (const [key, text] of await database.iterator({ gt: 'record ', lt: 'record!' }).all()) {
    const id = key.slice('record '.length);
    const stored = JSON.parse(text) as { readonly owner: string; readonly startedAt: number };
    if (version === 1) {
      await put(id, text);
      continue;
    }
    const expiresAt = stored.startedAt + KEPT_MS;
    await put(id, JSON.stringify({ ...stored, expiresAt, run: 'another' }));
    await put(`!expiry ${expiresAt} ${id}`, id);
  }
  if (version === 2) await put('!used', JSON.stringify({ records: 3, size: 1_000 }));
  await database.put('state', JSON.stringify(state));
  const { secret } = JSON.parse((await database.get('format')) ?? '') as { readonly secret: string };
  await database.put('format', JSON.stringify({ version, secret }));
  await database.close();
}

test.each([1, 2] as const)(
  'a journal of version %i is read, and its writes are forgotten in their time',
  async (version) => {
    const folder = await temporaryFolder();
    const first = await open(folder);
    const long = { ...DONE, startedAt: Date.now() - KEPT_MS + 1_500 };
    await first.journal.begin(journalKey('under way'), RECORD);
    await first.journal.begin(KEY, RECORD);
    await first.journal.finish(KEY, DONE);
    await first.journal.begin(journalKey('long ago'), long);
    await first.close();
    await makeVersion(version, folder);
    for (let start = 0; start < 2; start += 1) {
      const next = await open(folder);
      expect(await next.journal.find(KEY)).toEqual(DONE);
      expect(await next.journal.begin(journalKey('under way'), RECORD)).toEqual(ABANDONED);
      await next.close();
    }
    const last = await open(folder);
    await expect.poll(() => last.journal.begin(journalKey('long ago'), RECORD)).toBeNull();
    await last.journal.forget(journalKey('long ago'));
    expect(await last.journal.find(KEY)).toEqual(DONE);
  },
);

test.each([KEPT_MS, 2 * 3_600_000])('a write is remembered for as long as is set (%i ms)', async (keptMs) => {
  const folder = await temporaryFolder();
  const openJournal = () => openDataDirectory(folder, keptMs, openLog('silent')).journal;
  const [over, left] = [journalKey('over'), journalKey('left')];
  const before = { ...DONE, startedAt: Date.now() - keptMs + 60_000 };
  const first = openJournal();
  await first.begin(over, { ...DONE, startedAt: Date.now() - keptMs - 1 });
  await first.begin(left, before);
  expect([await first.find(over), await first.find(left)]).toEqual([null, before]);
  expect(await first.begin(over, RECORD)).toBeNull();
  await first.close();
  const second = openJournal();
  expect([await second.find(over), await second.find(left)]).toEqual([ABANDONED, before]);
  await second.close();
});

const setClock = (now: number): void => void vi.useFakeTimers({ toFake: ['Date'], now });

test('a write recorded while the clock was far behind is remembered after restarts with the right one, and not for ever', async () => {
  const folder = await temporaryFolder();
  const rightNow = Date.now();
  /** What is known of the write when the clock says so many hours later. */
  const knownAfter = async (hours: number) => {
    setClock(rightNow + hours * 3_600_000);
    const restarted = await open(folder);
    const known = await restarted.journal.find(KEY);
    await restarted.close();
    return known;
  };
  setClock(0);
  const first = await open(folder);
  const record = { ...DONE, startedAt: Date.now() };
  await first.journal.begin(KEY, record);
  await first.close();
  for (const hours of [0, 12, 23]) expect(await knownAfter(hours), String(hours)).toEqual(record);
  expect(await knownAfter(25)).toBeNull();
});

async function inDatabase(folder: string, change: (database: ClassicLevel) => Promise<void>): Promise<void> {
  const database = new ClassicLevel(join(folder, 'journal'));
  await change(database);
  await database.close();
}

const removing = (file: string) => (folder: string) => rm(join(folder, file));

describe('the start is refused, and says why, when the folder', () => {
  test('is used by another process', async () => {
    const folder = await temporaryFolder();
    await open(folder);
    expect(await failureOf(folder)).toContain('is in use by another process');
    // As while the other process creates it.
    await rm(join(folder, 'journal', 'CURRENT'));
    expect(await failureOf(folder)).toContain('is in use by another process');
  });

  test('is no folder', async () => {
    const file = join(await temporaryFolder(), 'file');
    await writeFile(file, '');
    expect(await failureOf(file)).toMatch(/DATA_DIR: ".*file" cannot be used: not a directory\./);
    expect(await failureOf(join(file, 'below'))).toMatch(/DATA_DIR: .* cannot be used: not a directory\./);
  });

  test.runIf(process.platform === 'linux')('can’t be made where it is to be', async () => {
    expect(await failureOf('/proc/no/such')).toMatch(
      /DATA_DIR: "\/proc\/no\/such" cannot be used: [a-z -]+\. Choose a folder/,
    );
  });

  test('holds a database that may not be written', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'journal', 'LOCK'), { recursive: true });
    await writeFile(join(folder, 'journal', 'CURRENT'), '');
    const problem = await failureOf(folder);
    // What the operating system says of it, such as "permission denied" or "no space left on device".
    expect(problem).toContain('cannot be used: is a directory in its "journal" folder');
    expect(problem).not.toContain('LOCK');
  });

  test.each<[what: string, change: (folder: string) => Promise<void>, problem: string]>([
    [
      'was written by a later version',
      (folder) => inDatabase(folder, (database) => database.put('format', '{"version":4}')),
      'was written by a later version',
    ],
    ['has lost its secret, or has another', removing('secret'), 'does not match its "secret" file'],
    [
      'has a secret that was cut off',
      (folder) => writeFile(join(folder, 'secret'), 'short'),
      'is corrupt (its file "secret" is). Restore it from a backup, or delete the whole folder',
    ],
    [
      'has lost the head of its journal',
      removing('journal/CURRENT'),
      'is corrupt (the file CURRENT is missing)',
    ],
    [
      'has lost the file that the head of its journal names',
      (folder) => writeFile(join(folder, 'journal', 'CURRENT'), 'MANIFEST-000099\n'),
      'is corrupt (one of its files is missing)',
    ],
    [
      'has lost records without a word of the database',
      (folder) => inDatabase(folder, (database) => database.del('record id 7')),
      'is corrupt',
    ],
    // The database drops the rest of a damaged block of its log; what follows no longer fits the sum.
    ['has a journal in which bytes were changed', damageFiles, 'is corrupt'],
  ])('%s', async (_what, change, problem) => {
    const folder = await filled();
    await change(folder);
    expect(await failureOf(folder)).toContain(problem);
  });

  // Nothing follows that could disagree with what was before.
  test('has a log of a single block in which bytes were changed, also when it is opened again', async () => {
    const folder = await filled(20);
    await damageFiles(folder);
    expect(await failureOf(folder)).toContain('is corrupt (a part of its log could not be read)');
    expect(await failureOf(folder)).toContain('is corrupt');
  });

  test('has such a log, which a process that was killed had opened before', async () => {
    const folder = await filled(20);
    await damageFiles(folder);
    await inDatabase(folder, (database) => database.open());
    expect(await failureOf(folder)).toContain('is corrupt (a part of its log could not be read)');
  });

  test('and begins anew where its journal was removed, as it advises', async () => {
    const folder = await filled();
    await rm(join(folder, 'journal'), { recursive: true });
    const { journal } = await open(folder);
    expect(await journal.find(journalKey('id 7'))).toBeNull();
  });
});

async function filled(count = 200): Promise<string> {
  const folder = await temporaryFolder();
  const coordination = await open(folder);
  const { journal } = coordination;
  const names = Array.from({ length: count }, (_, index) => `id ${index}`);
  await Promise.all(names.map((name) => journal.begin(journalKey(name), RECORD)));
  for (const name of names.slice(0, 20)) await journal.finish(journalKey(name), DONE);
  await coordination.close();
  return folder;
}

const put = (store: Store, id: string, text: string | null = `text of ${id}`): Promise<void> => {
  store.set(id, text);
  return store.flush();
};

test('changes of one moment share one write, and those that come meanwhile the next', async () => {
  const path = join(await temporaryFolder(), 'journal');
  const store = await openStore({ path, format: 'one' });
  const batch = vi.spyOn(ClassicLevel.prototype, 'batch');
  const first = [put(store, 'a'), put(store, 'b')];
  await expect.poll(() => batch.mock.calls.length).toBe(1);
  const second = [put(store, 'c'), put(store, 'd'), put(store, 'a', null)];
  // What is not written yet can be read.
  const read = await Promise.all(['a', 'b', 'c'].map((id) => store.get(id)));
  expect(read).toEqual([undefined, 'text of b', 'text of c']);
  await Promise.all([...first, ...second]);
  expect(batch.mock.calls).toEqual([writing('a', 'b'), writing('c', 'd', 'a')]);
  await store.close();
  const kept: string[] = [];
  await (await openStore({ path, format: 'one' }, (id) => kept.push(id))).close();
  expect(kept).toEqual(['b', 'c', 'd']);
});

test('a store of another format is told from a damaged one, however its sums are made', async () => {
  const path = join(await temporaryFolder(), 'journal');
  const store = await openStore({ path, format: 'one' });
  await put(store, 'a');
  await store.close();
  const database = new ClassicLevel(path);
  await database.put('format', 'two');
  await database.put('state', 'of another kind');
  await database.close();
  await expect(openStore({ path, format: 'one' })).rejects.toThrow(StoreOfAnotherFormat);
});
