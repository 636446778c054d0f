import { describe, expect, test, vi } from 'vitest';
import { MemoryJournal } from '../../src/journal/memory.ts';
import {
  finished,
  JournalFull,
  LEASE_MS,
  type WriteJournal,
  type WriteRecord,
} from '../../src/journal/journal.ts';
import { performWrite, type KeyedResult } from '../../src/writes/write.ts';
import { SourceError } from '../../src/sources/errors.ts';
import type { Attempt, Search } from '../../src/writes/find-created.ts';
import {
  completed,
  refused,
  unknown,
  userError,
  type UserError,
  type WriteResult,
} from '../../src/writes/outcome.ts';

/** A write as its mutation performs it, and who calls it. */
interface KeyedWrite<D> {
  readonly key: string | null | undefined;
  readonly scope: string;
  readonly mutation: string;
  readonly input: unknown;
  readonly howToFindOut: string;
  readonly problems?: readonly UserError[];
  readonly perform: () => Promise<WriteResult<D>>;
  /** Searches for its result. */
  readonly lookAgain?: Search<D>['find'];
  /** Reads the list before it. */
  readonly lookBefore?: Search<D>['idsBefore'];
}

/** Performs a write with nothing around it but a journal. */
async function withKey<D>(
  journal: WriteJournal,
  { key, scope, input, lookAgain, lookBefore, ...parts }: KeyedWrite<D>,
  now: () => number = Date.now,
): Promise<KeyedResult<D>> {
  const context = {
    writes: {
      journal,
      now,
      callerId: () => scope,
      sources: { current: () => null, legacy: () => null },
      track: <T>(performed: Promise<T>) => performed,
    },
  };
  const search = {
    marks: [],
    idsBefore: lookBefore ?? (() => Promise.resolve(null)),
    find: lookAgain ?? (() => Promise.resolve(null)),
  };
  return await performWrite(context, {
    mutation: parts.mutation,
    surface: 'current',
    input: { ...(input as object), idempotencyKey: key },
    whereToLook: parts.howToFindOut,
    problems: parts.problems ?? [],
    send: parts.perform,
    search: lookAgain || lookBefore ? search : null,
    readsBefore: lookBefore !== undefined,
  });
}

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
    find: ({ id }) => Promise.resolve(records.get(id) ?? null),
    begin: ({ id }, record) => {
      const known = records.get(id) ?? null;
      if (known === null) records.set(id, record);
      return Promise.resolve(known);
    },
    finish: ({ id }, record) => {
      const kept = finished(records.get(id) ?? null, record);
      records.set(id, kept);
      return Promise.resolve(kept);
    },
    forget: ({ id }) => Promise.resolve(void records.delete(id)),
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
    const journal = new MemoryJournal();
    const first = write({ input: { a: 1, b: { c: [1, 2], d: null } } });
    await withKey(journal, first);
    const again = write({ input: { b: { d: null, c: [1, 2] }, e: undefined, a: 1 } });
    expect(await withKey(journal, again)).toEqual({ result: completed('made'), replayed: true });
    expect(again.perform).not.toHaveBeenCalled();
  });

  test.each(['place', 'facebookAction'])(
    'a null says what leaving out says, but not in %s, where the service tells them apart',
    async (name) => {
      const journal = new MemoryJournal();
      await withKey(journal, write({ input: { a: 1, variants: [{ text: 't', [name]: null }] } }));
      const same = { a: 1, b: null, variants: [{ text: 't', title: null, [name]: null }] };
      expect((await withKey(journal, write({ input: same }))).replayed).toBe(true);
      const other = write({ input: { a: 1, variants: [{ text: 't' }] } });
      expect(codesOf(await withKey(journal, other))).toEqual(['REJECTED', 'IDEMPOTENCY_KEY_REUSED']);
    },
  );

  test.each<[string, Partial<KeyedWrite<string>>, Partial<KeyedWrite<string>>]>([
    ['another value', { input: { a: 1 } }, { input: { a: 2 } }],
    ['another type of value', { input: { a: 1 } }, { input: { a: '1' } }],
    ['another order of a list', { input: { a: [1, 2] } }, { input: { a: [2, 1] } }],
    ['another mutation', { mutation: 'createPost' }, { mutation: 'createDraft' }],
    [
      'a mutation and input that join to the same text',
      { mutation: 'm', input: { a: 12 } },
      { mutation: 'm{', input: { a: 2 } },
    ],
  ])('%s is another write, and is refused', async (_, first, second) => {
    const journal = new MemoryJournal();
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
    const journal = new MemoryJournal();
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
    const journal = new MemoryJournal();
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
    const seen: WriteRecord['result'][] = [];
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
    expect(codesOf(answer)).toEqual(['UNKNOWN', 'IDEMPOTENCY_IN_PROGRESS']);
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

  test('what another call has found of it meanwhile stays true, though it ends without knowing', async () => {
    const journal = openStore();
    const ends: ((result: WriteResult<string>) => void)[] = [];
    const perform = () => new Promise<WriteResult<string>>((resolve) => void ends.push(resolve));
    const slow = withKey(journal, write({ perform }), () => 1_000);
    await vi.waitFor(() => {
      expect(ends).toHaveLength(1);
    });
    const again = write({ lookAgain: () => Promise.resolve('found') });
    const found = await withKey(journal, again, () => 1_001 + LEASE_MS);
    expect(found.result).toEqual(completed('found'));
    for (const end of ends) end(unknown('Look.'));
    expect((await slow).result).toEqual(completed('found'));
    expect([...journal.records.values()]).toMatchObject([{ result: completed('found') }]);
  });

  test('the lease is longer than any write may take', () => {
    // The longest call, a second try to connect, and five reads that look for what was made.
    expect(LEASE_MS).toBeGreaterThan(60_000 + 25_000 + 5 * 15_000);
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

const lookAtSomething = () => Promise.resolve(['seen']);

describe('a write of unknown outcome', () => {
  test('is looked for again when it is asked for again, and what is found is remembered', async () => {
    const journal = openStore();
    await withKey(journal, write({ perform: () => Promise.resolve(unknown('Look.')) }));
    const lookAgain = vi.fn(() => Promise.resolve<string | null>(null));
    const again = write({ lookAgain });
    expect(codesOf(await withKey(journal, again))).toEqual(['UNKNOWN', 'OUTCOME_UNKNOWN']);
    lookAgain.mockResolvedValueOnce('found');
    expect(await withKey(journal, again)).toEqual({ result: completed('found'), replayed: true });
    expect(await withKey(journal, again)).toEqual({ result: completed('found'), replayed: true });
    expect(lookAgain).toHaveBeenCalledTimes(2);
    expect(again.perform).not.toHaveBeenCalled();
  });

  test('is looked for with what was seen before it, and with its own beginning', async () => {
    const journal = openStore();
    const perform = vi.fn(() => Promise.resolve(unknown('Look.')));
    const lookAgain = vi.fn((_attempt: Attempt) => Promise.resolve(null));
    const looking = { lookBefore: lookAtSomething, lookAgain };
    await withKey(journal, write({ ...looking, perform }), () => 1_000);
    await withKey(journal, write(looking), () => 5_000);
    const [[first], [again]] = lookAgain.mock.calls as [[Attempt], [Attempt]];
    expect(first).toMatchObject({ startedAt: 1_000, before: ['seen'] });
    expect(again).toEqual(first);
  });

  test('is not sent when the look before it can’t connect', async () => {
    const journal = openStore();
    const away = new SourceError('unreachable', 'current', 'no connection');
    const one = write({ lookBefore: () => Promise.reject(away) });
    expect(codesOf(await withKey(journal, one))).toEqual(['REJECTED', 'SURFACE_UNAVAILABLE']);
    expect(one.perform).not.toHaveBeenCalled();
    expect(journal.records.size).toBe(0);
  });
});

describe('a journal that fails', () => {
  test('because it is full lets nothing be sent, and says so', async () => {
    const full = { ...openStore(), begin: () => Promise.reject(new JournalFull()) };
    const answer = await withKey(full, write());
    expect(codesOf(answer)).toEqual(['REJECTED', 'IDEMPOTENCY_UNAVAILABLE']);
    expect(answer.result.userErrors[0]?.message).toContain('in 24 hours');
  });

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
