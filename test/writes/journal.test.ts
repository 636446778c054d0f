import { describe, expect, test, vi } from 'vitest';
import {
  createMemoryJournal,
  KEPT_MS,
  LEASE_MS,
  withKey,
  type KeyedWrite,
  type WriteRecord,
  type WriteJournal,
} from '../../src/writes/journal.ts';
import { completed, refused, unknown, userError, type WriteResult } from '../../src/writes/outcome.ts';

/** A write with a key that counts how often it is performed. */
function write(changes: Partial<KeyedWrite<string>> = {}) {
  const perform = vi.fn(() => Promise.resolve<WriteResult<string>>(completed('made')));
  const defaults = { key: 'k', scope: 'me', mutation: 'createPost', input: { a: 1 }, howToFindOut: 'Look.' };
  return { ...defaults, perform, ...changes };
}

/** A journal whose records can be seen. */
function openStore(): WriteJournal & { readonly records: Map<string, WriteRecord> } {
  const records = new Map<string, WriteRecord>();
  return {
    records,
    find: (id) => Promise.resolve(records.get(id) ?? null),
    begin: (id, record) => {
      const known = records.get(id) ?? null;
      if (known === null) records.set(id, record);
      return Promise.resolve(known);
    },
    finish: (id, record) => Promise.resolve(void records.set(id, record)),
    forget: (id) => Promise.resolve(void records.delete(id)),
  };
}

/** A journal in which a write is under way since a time. */
const running = (now: number): WriteJournal & { readonly records: Map<string, WriteRecord> } => {
  const journal = openStore();
  void withKey(journal, write({ perform: () => new Promise(() => undefined) }), () => now);
  return journal;
};

/** A journal of which one part fails. */
const failing = (name: keyof WriteJournal): WriteJournal => ({
  ...openStore(),
  [name]: () => Promise.reject(new Error('no journal')),
});

const codesOf = ({ result }: { readonly result: WriteResult<unknown> }) => [
  result.outcome,
  ...result.userErrors.map(({ code }) => code),
];

describe('what a key and an input mean', () => {
  test('the order of the input’s names does not matter, and what is undefined is not there', async () => {
    const journal = createMemoryJournal();
    const first = write({ input: { a: 1, b: { c: [1, 2], d: null } } });
    await withKey(journal, first);
    const again = write({ input: { b: { d: null, c: [1, 2] }, e: undefined, a: 1 } });
    expect(await withKey(journal, again)).toEqual({ result: completed('made'), replayed: true });
    expect(again.perform).not.toHaveBeenCalled();
  });

  test.each<[string, Partial<KeyedWrite<string>>, Partial<KeyedWrite<string>>]>([
    ['another value', { input: { a: 1 } }, { input: { a: 2 } }],
    ['another type of value', { input: { a: 1 } }, { input: { a: '1' } }],
    ['another order of a list', { input: { a: [1, 2] } }, { input: { a: [2, 1] } }],
    ['another mutation', { mutation: 'createPost' }, { mutation: 'createDraft' }],
    [
      'a mutation and input that join to the same text',
      { mutation: 'm', input: 12 },
      { mutation: 'm1', input: 2 },
    ],
  ])('%s is another write, and is refused', async (_, first, second) => {
    const journal = createMemoryJournal();
    await withKey(journal, write(first));
    const other = write(second);
    const answer = await withKey(journal, other);
    expect(codesOf(answer)).toEqual(['REJECTED', 'IDEMPOTENCY_KEY_REUSED']);
    expect(answer.result.userErrors[0]).toMatchObject({
      path: ['input', 'idempotencyKey'],
      retryable: false,
    });
    expect(answer.replayed).toBe(false);
    expect(other.perform).not.toHaveBeenCalled();
  });

  test.each<[string, string, string, string, string]>([
    ['another caller', 'one', 'k', 'two', 'k'],
    ['another key', 'one', 'k', 'one', 'l'],
    ['a caller and key that join to the same text', 'a', 'bc', 'ab', 'c'],
    ['a caller and key with the separator in them', '1:a', '2:b', '1:a2:b', ''],
  ])('%s is on its own', async (_, scope, key, otherScope, otherKey) => {
    const journal = createMemoryJournal();
    await withKey(journal, write({ scope, key }));
    const other = write({ scope: otherScope, key: otherKey });
    expect((await withKey(journal, other)).replayed).toBe(false);
    expect(other.perform).toHaveBeenCalledOnce();
  });

  test('without a key everything is performed, and the journal is not asked', async () => {
    const journal = openStore();
    const begin = vi.spyOn(journal, 'begin');
    const one = write({ key: null });
    await Promise.all([
      withKey(journal, one),
      withKey(journal, one),
      withKey(journal, { ...one, key: undefined }),
    ]);
    expect(one.perform).toHaveBeenCalledTimes(3);
    expect(begin).not.toHaveBeenCalled();
  });
});

describe('what is remembered', () => {
  const answered = { isSent: true, data: null } as const;
  const REMEMBERED: readonly WriteResult<string>[] = [
    completed('made'),
    { ...answered, outcome: 'PARTIAL', data: 'some', userErrors: [userError('LIMIT_REACHED', 'm')] },
    { ...answered, outcome: 'REJECTED', userErrors: [userError('LIMIT_REACHED', 'm')] },
    { ...answered, outcome: 'REJECTED', userErrors: [userError('UPSTREAM_REJECTED', 'm')] },
    unknown('Look.'),
  ];
  test.each(REMEMBERED)('$outcome $userErrors.0.code is replayed', async (result) => {
    const journal = createMemoryJournal();
    const one = write({ perform: () => Promise.resolve(result) });
    expect(await withKey(journal, one)).toEqual({ result, replayed: false });
    const again = write();
    expect(await withKey(journal, again)).toEqual({ result, replayed: true });
    expect(again.perform).not.toHaveBeenCalled();
  });

  test('what was not sent is forgotten', async () => {
    const journal = openStore();
    const unsent = refused([userError('UPSTREAM_REJECTED', 'm')]);
    await withKey(journal, write({ perform: () => Promise.resolve(unsent) }));
    expect(journal.records.size).toBe(0);
    expect(await withKey(journal, write())).toEqual({ result: completed('made'), replayed: false });
  });

  test('an input that would be refused by now is replayed as well, and else neither performed nor kept', async () => {
    const journal = openStore();
    const problems = [userError('INVALID_INPUT', 'is past.')];
    const late = write({ problems });
    expect(codesOf(await withKey(journal, late))).toEqual(['REJECTED', 'INVALID_INPUT']);
    expect(journal.records.size).toBe(0);
    await withKey(journal, write());
    expect(await withKey(journal, late)).toEqual({ result: completed('made'), replayed: true });
    expect(codesOf(await withKey(journal, { ...late, input: { a: 2 } }))).toEqual([
      'REJECTED',
      'IDEMPOTENCY_KEY_REUSED',
    ]);
    expect(late.perform).not.toHaveBeenCalled();
  });

  test('the intent is recorded before anything is sent', async () => {
    const journal = openStore();
    const seen: (WriteResult<unknown> | null)[] = [];
    const perform = () => {
      seen.push(...[...journal.records.values()].map(({ result }) => result));
      return Promise.resolve(completed('made'));
    };
    await withKey(journal, write({ perform }));
    expect(seen).toEqual([null]);
  });

  test('nothing of the key, the caller or the input is readable in the journal', async () => {
    const journal = openStore();
    await withKey(journal, write({ key: 'the-key', scope: 'the-caller', input: { secret: 'the-input' } }));
    expect(JSON.stringify([...journal.records])).not.toMatch(/the-(?:key|caller|input)/);
  });

  test('what is remembered is plain data', async () => {
    const journal = openStore();
    await withKey(journal, write());
    const [record] = journal.records.values();
    expect(JSON.parse(JSON.stringify(record))).toEqual(record);
  });
});

describe('while a write is under way', () => {
  test.each([0, 1, LEASE_MS])('a call %i ms later is told to ask again', async (later) => {
    const again = write();
    const answer = await withKey(running(1_000), again, () => 1_000 + later);
    expect(codesOf(answer)).toEqual(['REJECTED', 'IDEMPOTENCY_IN_PROGRESS']);
    expect(answer.result.userErrors[0]?.retryable).toBe(true);
    expect(again.perform).not.toHaveBeenCalled();
  });

  test('a call after its lease is told that nobody knows, and never sends again', async () => {
    const again = write({ howToFindOut: 'Look there.' });
    const answer = await withKey(running(1_000), again, () => 1_001 + LEASE_MS);
    expect(codesOf(answer)).toEqual(['UNKNOWN', 'OUTCOME_UNKNOWN']);
    expect(answer.result.userErrors[0]?.message).toContain('Look there.');
    expect(again.perform).not.toHaveBeenCalled();
  });

  test('the lease is longer than any write may take', () => {
    expect(LEASE_MS).toBeGreaterThan(60_000 + 25_000);
  });

  test('a write that ends in an error of ours is not sent again', async () => {
    const journal = openStore();
    const broken = write({ perform: () => Promise.reject(new Error('a mistake')) });
    await expect(withKey(journal, broken, () => 1_000)).rejects.toThrow('a mistake');
    const again = write();
    expect(codesOf(await withKey(journal, again, () => 1_001 + LEASE_MS))).toEqual([
      'UNKNOWN',
      'OUTCOME_UNKNOWN',
    ]);
    expect(again.perform).not.toHaveBeenCalled();
  });
});

describe('the journal in memory', () => {
  test('remembers for 24 hours from the intent on, and no longer', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000);
    const journal = createMemoryJournal();
    await withKey(
      journal,
      write({ perform: () => (clock.mockReturnValue(61_000), Promise.resolve(completed('x'))) }),
    );
    clock.mockReturnValue(1_000 + KEPT_MS);
    await vi.waitFor(async () => expect((await withKey(journal, write())).replayed).toBe(true));
    clock.mockReturnValue(1_001 + KEPT_MS);
    const late = write();
    await vi.waitFor(async () => expect((await withKey(journal, late)).replayed).toBe(false));
    expect(late.perform).toHaveBeenCalledOnce();
    clock.mockRestore();
  });

  test('is full of the newest writes', async () => {
    const journal = createMemoryJournal();
    const record = { fingerprint: 'f', startedAt: 0, result: null };
    for (let index = 0; index <= 50_000; index += 1) await journal.begin(`id ${index}`, record);
    expect(await journal.begin('id 0', record)).toBeNull();
    expect(await journal.begin('id 50000', record)).toEqual(record);
  });
});

describe('a journal that fails', () => {
  test('before the write lets nothing be sent', async () => {
    const one = write();
    const answer = await withKey(failing('begin'), one);
    expect(codesOf(answer)).toEqual(['REJECTED', 'IDEMPOTENCY_UNAVAILABLE']);
    expect(answer.result.userErrors[0]?.retryable).toBe(true);
    expect(one.perform).not.toHaveBeenCalled();
  });

  test('after the write does not keep its result from the caller', async () => {
    expect(await withKey(failing('finish'), write())).toEqual({ result: completed('made'), replayed: false });
    const unsent = write({ perform: () => Promise.resolve(refused([userError('RATE_LIMITED', 'm')])) });
    expect(codesOf(await withKey(failing('forget'), unsent))).toEqual(['REJECTED', 'RATE_LIMITED']);
  });
});
