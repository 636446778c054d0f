import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { MemoryJournal } from '../../src/journal/memory.ts';
import { SourceError } from '../../src/sources/errors.ts';
import { Upstream } from '../../src/sources/upstream/call.ts';
import { Origin } from '../../src/writes/find-created.ts';
import { completed, unknown, type WriteResult } from '../../src/writes/outcome.ts';
import { performWrite } from '../../src/writes/write.ts';
import { startGraph, type RunningGraph, shareGraph } from '../support/graph.ts';
import { landmarks } from '../support/landmarks.ts';
import { holdAnswers, changingEach, MISSING } from '../support/sandbox.ts';
import {
  account,
  EXAMPLES,
  verdictOf,
  write,
  type Input,
  type KeyedName,
  type WritePayload,
} from '../support/writes.ts';

// If the response to a write is lost, its list is read again. A record that is equal, that was not there before the write
// and that no other write can have made proves that it was done. Finding none proves nothing.

interface Kind {
  readonly mutation: KeyedName;
  readonly call: EndpointName;
  readonly list: EndpointName;
  /** Its input; no two tests write the same words. */
  readonly inputOf: (words: string) => Input;
  /** Changes of the input after which other records are meant, whose writes can’t be taken for each other. */
  readonly unlike: readonly Input[];
  /** More changes of the input after which other records are meant. */
  readonly others: readonly Input[];
  /** Ids of all records of these words that the service has. */
  readonly idsOf: (words: string, graph: RunningGraph) => string[];
  readonly told: (payload: WritePayload) => string[];
}

const harbour = ({ sandbox }: RunningGraph) => sandbox.state.owner('harbour');
const textOf = (text: string): Input => ({ variants: [{ variant: 'ORIGINAL', text }] });

const BARE = account(landmarks.bareId);

const POST: Kind = {
  mutation: 'createPost',
  call: 'POST /posts/create',
  list: 'GET /posts/queued',
  inputOf: (words) => ({
    ...EXAMPLES.createPost,
    ...textOf(words),
    timing: { scheduledAtLocal: ['2035-03-01T09:00'] },
    idempotencyKey: randomUUID(),
  }),
  unlike: [textOf('Doors at eight.')],
  others: [{ accountIds: [BARE] }, { timing: { scheduledAtLocal: ['2035-03-01T09:01'] } }],
  idsOf: (words, graph) =>
    harbour(graph)
      .queue.filter(({ content }) => content.description === words)
      .map(({ postId }) => postId),
  told: ({ postIds }) => (postIds ?? []) as string[],
};

const TEXT: Kind = {
  mutation: 'generateAiText',
  call: 'POST /openai/response',
  list: 'GET /openai/historyList',
  inputOf: (prompt) => ({
    prompt,
    tone: 'Warm',
    origin: 'POST',
    template: 'Announcement',
    idempotencyKey: randomUUID(),
  }),
  unlike: [{ prompt: 'Another word on limewash' }, { tone: 'Bold' }],
  others: [{ origin: 'HASHTAG' }, { template: 'Question' }, { template: null }],
  idsOf: (words, graph) =>
    harbour(graph)
      .history.filter(({ userInput }) => userInput === words)
      .map(({ contentId }) => contentId),
  told: ({ aiGeneration }) => [(aiGeneration as { readonly contentId: string }).contentId],
};

const ITEM: Kind = {
  mutation: 'createLibraryItem',
  call: 'POST /library/create',
  list: 'GET /library/list',
  // Without a key, it is searched for as well.
  inputOf: (title) => ({ ...EXAMPLES.createLibraryItem, title }),
  unlike: [{ title: 'Timetable' }],
  others: [{ kind: 'HASHTAG' }, { tags: ['tides', 'more'] }, textOf('Low water.')],
  idsOf: (words, graph) =>
    harbour(graph)
      .library.filter(({ title }) => title === words)
      .map(({ id }) => id),
  told: ({ libraryItem }) => [(libraryItem as { readonly itemId: string }).itemId],
};

const READING_FIRST = { READ_BEFORE_WRITES: 'on' };
const shared = shareGraph({ environment: READING_FIRST });
/** Servers for posts of the same words. */
const [reading, plain] = [shareGraph({ environment: READING_FIRST }), shareGraph()];
const elsewhere = shareGraph({
  environment: {
    get CURRENT_API_URL() {
      return shared.sandbox.url;
    },
  },
});
const UNKNOWN = ['UNKNOWN', 'OUTCOME_UNKNOWN'];

/** Loses the answer to the next call, which had its effect or none. */
function losing({ call }: Kind, effect: 'done' | 'none' = 'done', graph: RunningGraph = shared): void {
  graph.sandbox.faults.add({ kind: 'reset-before-headers', endpoint: call, effect });
}

/** Sends a write and hangs up on its call once something else has happened meanwhile: its outcome is unknown. */
async function expectUnknown(
  { call }: Kind,
  effect: 'done' | 'none',
  send: () => Promise<WritePayload>,
  meanwhile: () => unknown,
): Promise<void> {
  const held = new AbortController();
  const hold = ({ socket }: { readonly socket: Socket }): void => {
    if (held.signal.aborted) socket.destroy();
    else held.signal.addEventListener('abort', () => socket.destroy());
  };
  const { faults, requests } = shared.sandbox;
  faults.add({ kind: 'raw', effect, endpoint: call, write: hold });
  const sent = requests.count(call);
  const lost = send();
  await requests.waitFor(call, sent + 1);
  await meanwhile();
  held.abort();
  expect(verdictOf(await lost)).toEqual(UNKNOWN);
}

function failingToRead({ list }: Kind, skip: number): void {
  shared.sandbox.faults.add({ kind: 'status', status: 500, endpoint: list, skip });
}

const messageOf = ({ userErrors }: WritePayload): string => userErrors[0]?.message ?? '';
const endpoints = (graph: RunningGraph) => graph.sandbox.requests.all.map(({ endpoint }) => endpoint);
let subjects = 0;

/** A subject that no other test writes about. */
function subjectOf(kind: Kind) {
  subjects += 1;
  const words = `Subject ${subjects} of ${kind.mutation}.`;
  // The tests share one plan, which must not be used up before the last of them.
  Object.assign(harbour(shared), { creditsRemaining: 1_000, queueLimit: 1_000 });
  return {
    send: (changes: Input = {}) => write(shared, kind.mutation, { ...kind.inputOf(words), ...changes }),
    /** Writes as somebody else would, through another server: the first one is not told. */
    sendElsewhere: async (changes: Input = {}) => {
      const input = { ...kind.inputOf(words), ...changes };
      expect((await write(elsewhere, kind.mutation, input)).outcome).toBe('COMPLETED');
    },
    ids: () => kind.idsOf(words, shared).toSorted(),
    /** Makes sure that all records of these words are told of, and each by one payload. */
    expectFound: (...payloads: readonly WritePayload[]) => {
      expect(payloads.map(({ outcome }) => outcome)).toEqual(payloads.map(() => 'COMPLETED'));
      expect(payloads.flatMap(kind.told).toSorted()).toEqual(kind.idsOf(words, shared).toSorted());
    },
    input: kind.inputOf(words),
  };
}

type Step = (subject: ReturnType<typeof subjectOf>) => unknown;
const byAnother: Step = ({ sendElsewhere }) => sendElsewhere();
const toldOf: Step = async ({ send }) => expect((await send()).outcome).toBe('COMPLETED');

describe.each([POST, TEXT, ITEM])('$mutation, if its response is lost,', (kind) => {
  const { call, list } = kind;
  const requests = () => [shared.sandbox.requests.count(call), shared.sandbox.requests.count(list)];

  const lostBefore: Step = async ({ send }) => {
    losing(kind, 'none');
    expect(verdictOf(await send())).toEqual(UNKNOWN);
  };
  const unreadable = (skip: number) => () => failingToRead(kind, skip);

  test.each<
    [where: string, effect: 'done' | 'none', ids: number | null, before?: Step | null, meanwhile?: Step]
  >([
    ['it was not made', 'none', 0],
    ['somebody else made an equal one just before', 'none', 1, byAnother],
    ['another write makes an equal one meanwhile, and is told of it', 'none', 1, null, toldOf],
    ['an equal write of unknown outcome may have made it', 'done', 1, lostBefore],
    ['somebody else made one of two meanwhile', 'done', 2, null, byAnother],
    ['the list could not be read before', 'done', 1, unreadable(0)],
    ['the list could not be read afterwards', 'done', 1, unreadable(1)],
    ...[...kind.unlike, ...kind.others].map((changes): [string, 'none', null, null, Step] => [
      `somebody else makes one of ${JSON.stringify(changes)} meanwhile`,
      'none',
      null,
      null,
      ({ sendElsewhere }) => sendElsewhere(changes),
    ]),
  ])('stays unknown where %s', async (_where, effect, count, before, meanwhile) => {
    const subject = subjectOf(kind);
    await before?.(subject);
    await expectUnknown(kind, effect, subject.send, () => meanwhile?.(subject));
    if (count !== null) expect(subject.ids()).toHaveLength(count);
  });

  test('is not taken for an equal one that another write is told of', async () => {
    const { send, expectFound } = subjectOf(kind);
    const first = await send();
    losing(kind);
    expectFound(first, await send());
    losing(kind, 'none');
    expect(verdictOf(await send())).toEqual(UNKNOWN);
  });

  test('is not taken for one that an equal write, still under way, may have made', async () => {
    const { send, input } = subjectOf(kind);
    const answer = holdAnswers(shared.sandbox, { endpoint: call, effect: 'done' });
    // With the same words, another write makes the same record.
    const variants = [{ ...(input['variants'] as readonly object[] | undefined)?.[0], altTexts: ['A door'] }];
    const other = send('variants' in input ? { variants } : {});
    await answer.arrived();
    losing(kind, 'none');
    expect(verdictOf(await send())).toEqual(UNKNOWN);
    answer.release();
    expect((await other).outcome).toBe('COMPLETED');
  });

  test.each(kind.unlike)('is found beside a write under way of %j', async (changes) => {
    const { send, expectFound } = subjectOf(kind);
    const answer = holdAnswers(shared.sandbox, { endpoint: call, effect: 'none' });
    const other = send(changes);
    await answer.arrived();
    losing(kind);
    expectFound(await send());
    answer.release();
    expect((await other).outcome).toBe('COMPLETED');
  });

  test('is looked for again when it is sent again with its key, until it is found', async () => {
    const { send, expectFound } = subjectOf(kind);
    const keyed = { idempotencyKey: randomUUID() };
    losing(kind);
    failingToRead(kind, 1);
    const lost = await send(keyed);
    expect(verdictOf(lost)).toEqual(UNKNOWN);
    expect(messageOf(lost)).toContain('Repeating the request with the same idempotency key sends nothing');
    const found = await send(keyed);
    expect(found).toMatchObject({ replayed: true, userErrors: [] });
    expectFound(found);
    const before = requests();
    expectFound(await send(keyed));
    expect(requests()).toEqual(before);
    expect(before[0]).toBe(1);
    // What was of unknown outcome keeps an equal one from being found no longer.
    losing(kind);
    expectFound(found, await send({ idempotencyKey: randomUUID() }));
  });
});

test.each([
  ['a post after a reading', POST, reading, [POST.list, POST.call]],
  ['a post without a reading before', POST, plain, [POST.call]],
  ['a text after a reading', TEXT, reading, [TEXT.list, TEXT.call]],
  ['a text without a reading before', TEXT, plain, [TEXT.call]],
  ['an item after a reading', ITEM, reading, [ITEM.list, ITEM.call]],
  ['an item without the setting', ITEM, plain, [ITEM.list, ITEM.call]],
] as const)('%s that succeeds takes only the calls that it needs', async (_what, kind, graph, calls) => {
  // A list that can’t be read keeps nothing from being sent.
  for (const times of [0, 1]) {
    graph.sandbox.requests.clear();
    graph.sandbox.faults.add({ kind: 'status', status: 500, endpoint: kind.list, times });
    const { outcome } = await write(graph, kind.mutation, kind.inputOf('Doors at seven.'));
    expect([outcome, endpoints(graph)]).toEqual(['COMPLETED', calls]);
  }
});

test.each<[what: string, kind: Kind, changes: Input, graph: RunningGraph]>([
  ['a post that is published at once', POST, { timing: { placement: 'NOW' } }, reading],
  ['a post without a text', POST, { variants: [{ variant: 'ORIGINAL', mediaIds: ['1'] }] }, reading],
  ['a post without a key', POST, { idempotencyKey: null }, reading],
  ['a post sent without reading the queue before', POST, {}, plain],
  ['a text without a key', TEXT, { idempotencyKey: null }, reading],
  ['a text sent without reading the history before', TEXT, {}, plain],
])('%s is not looked for', async (_what, kind, changes, graph) => {
  losing(kind, 'done', graph);
  const payload = await write(graph, kind.mutation, { ...kind.inputOf('Doors at seven.'), ...changes });
  expect(verdictOf(payload)).toEqual(UNKNOWN);
  expect(endpoints(graph)).toEqual([kind.call]);
});

test.each([
  [
    'a post',
    POST,
    /^The service did not confirm the write; it may have succeeded\. Look for the post in the queue/,
  ],
  ['a text', TEXT, /each generation spends a credit/],
  ['an item', ITEM, /Look for the item in the library/],
] as const)(
  '%s says where to look, and speaks of a key only where there is one',
  async (_what, kind, words) => {
    const { send } = subjectOf(kind);
    losing(kind, 'none');
    const message = messageOf(await send({ idempotencyKey: null }));
    expect(message).toMatch(words);
    expect(message).toContain('Without an idempotency key, repeating the request is another write');
  },
);

const TWO_PLACES = {
  accountIds: [account(), BARE],
  timing: { scheduledAtLocal: ['2035-03-01T09:00', '2035-03-02T17:30'] },
};

test.each<[what: string, kind: Kind, changes: Input]>([
  ['a post at a time', POST, {}],
  ['a post at the end of the queue', POST, { timing: { placement: 'QUEUE' } }],
  ['a post at its front', POST, { timing: { placement: 'NEXT' } }],
  ['a post at two times on two accounts', POST, TWO_PLACES],
  ['a generation with every field', TEXT, {}],
  ['a generation with an empty template', TEXT, { template: '' }],
  ['an item with every field', ITEM, {}],
  ['an item without tags and without a text', ITEM, { tags: null, variants: [{}] }],
  ['an item with an empty text', ITEM, { tags: null, variants: [{ text: '' }] }],
  ['an item with an empty tag', ITEM, { tags: ['', 'tides'], variants: [{}] }],
])('%s, if its response is lost, is found, and told with its ids', async (_what, kind, changes) => {
  const { send, expectFound } = subjectOf(kind);
  losing(kind);
  const payload = await send(changes);
  expect(payload).toMatchObject({ userErrors: [], message: null });
  expectFound(payload);
  expect(endpoints(shared)).toEqual([kind.list, kind.call, kind.list]);
});

describe('a post', () => {
  test('is not taken for a status update of the same text that is made meanwhile', async () => {
    const { input, send } = subjectOf(POST);
    const [{ text }] = input['variants'] as readonly [{ readonly text: string }];
    const update = { ...EXAMPLES.createStatusUpdate, text };
    const sendPost = () => send({ timing: { placement: 'QUEUE' } });
    await expectUnknown(POST, 'none', sendPost, async () =>
      expect((await write(shared, 'createStatusUpdate', update)).outcome).toBe('COMPLETED'),
    );
  });

  test('on the legacy surface needs no credential of the current one, where it would be taken for another', async () => {
    const headers = shared.caller.token;
    const update = await write(shared, 'createStatusUpdate', EXAMPLES.createStatusUpdate, { headers });
    expect(update.outcome).toBe('COMPLETED');
  });

  test('of which a part is found stays unknown', async () => {
    const { send, sendElsewhere } = subjectOf(POST);
    const part = { ...TWO_PLACES, accountIds: [account()] };
    const sendWhole = () => send(TWO_PLACES);
    await expectUnknown(POST, 'none', sendWhole, () => sendElsewhere(part));
  });

  test('is found on the last page of a queue of several', async () => {
    const graph = await startGraph({ environment: READING_FIRST, sandbox: { quirks: { maxLimit: 10 } } });
    losing(POST, 'done', graph);
    const payload = await write(graph, 'createPost', POST.inputOf('Doors at seven.'));
    expect(payload.outcome).toBe('COMPLETED');
    expect(POST.told(payload)).toEqual(POST.idsOf('Doors at seven.', graph));
  });

  test('is found beside posts that show neither their id nor their account', async () => {
    const { send, expectFound } = subjectOf(POST);
    const damage = [{ postId: {} }, { loginId: {} }, { loginId: MISSING }, { postDesc: {} }];
    losing(POST);
    shared.sandbox.faults.add(changingEach(POST.list, (index) => damage[index] ?? {}));
    expectFound(await send());
  });

  test.each<[string, Input]>([
    ['its id', { postId: {} }],
    ['its account', { loginId: MISSING }],
    ['its text', { postDesc: {} }],
    ['its time', { formatedPostDate: 'soon', postDate: 'soon', postDateFormat: '', postTimeFormat: '' }],
  ])('of which the queue does not show %s stays unknown', async (_what, damage) => {
    const { send, ids } = subjectOf(POST);
    losing(POST);
    shared.sandbox.faults.add(changingEach(POST.list, () => damage));
    expect(verdictOf(await send())).toEqual(UNKNOWN);
    expect(ids()).toHaveLength(1);
  });

  test('is not taken for an equal one whose id could not be read before', async () => {
    const { send, sendElsewhere, ids } = subjectOf(POST);
    await sendElsewhere();
    const [equal] = ids();
    const { queue } = harbour(shared);
    const place = queue.findIndex(({ postId }) => postId === equal);
    const damage = changingEach(POST.list, (index) => (index === place ? { postId: {} } : {}));
    shared.sandbox.faults.add({ ...damage, times: 1 });
    losing(POST, 'none');
    expect(verdictOf(await send())).toEqual(UNKNOWN);
  });

  test('stays unknown beside an equal one whose id cannot be read', async () => {
    const { send, sendElsewhere } = subjectOf(POST);
    await expectUnknown(POST, 'done', send, async () => {
      await sendElsewhere();
      // The two are next to each other.
      const damage = changingEach(POST.list, (index) => (index % 2 === 0 ? { postId: {} } : {}));
      shared.sandbox.faults.add(damage);
    });
  });
});

test.each([
  ['without a key', () => ({})],
  ['with a key', () => ({ idempotencyKey: randomUUID() })],
])('a library item %s is found although an equal one before it could not be sent', async (_how, keyed) => {
  const { send, expectFound } = subjectOf(ITEM);
  const unreachable = new SourceError('unreachable', 'current', 'no connection');
  vi.spyOn(Upstream.prototype, 'send').mockRejectedValueOnce(unreachable);
  const unsent = keyed();
  expect(verdictOf(await send(unsent))).toEqual(['REJECTED', 'SURFACE_UNAVAILABLE']);
  vi.restoreAllMocks();
  losing(ITEM);
  expectFound(await send(keyed()));
  expect(await send(unsent)).toMatchObject({ outcome: 'COMPLETED', replayed: false });
});

const fail = () => Promise.reject(new SourceError('unreachable', 'current', 'no connection'));

/** Performs writes with one key that a caller has made in a journal. */
function keyedIn(journal: MemoryJournal) {
  const writes = {
    callerId: () => 'me',
    now: Date.now,
    track: <T>(run: Promise<T>) => run,
    journal,
    sources: { current: () => null, legacy: () => null },
  };
  return async (idsBefore: () => Promise<string[]>, send: () => Promise<WriteResult<string>>) =>
    await performWrite(
      { writes },
      {
        mutation: 'createLibraryItem',
        surface: 'current',
        input: { idempotencyKey: 'key' },
        whereToLook: '',
        problems: [],
        send,
        search: { marks: ['words'], idsBefore, find: () => Promise.resolve(null) },
        readsBefore: true,
      },
    );
}

test('a write keeps equal ones from being found although other calls with its key could not be sent', async () => {
  const journal = new MemoryJournal();
  const other = new Origin(journal, 'me', 'another write', ['words']);
  const perform = keyedIn(journal);
  const unsent = [perform(() => Promise.resolve([]), fail), perform(fail, fail)];
  const sent = perform(
    async () => {
      await Promise.all(unsent);
      return [];
    },
    async () => {
      await other.declare(Date.now());
      return unknown('Look.');
    },
  );
  expect((await sent).result.outcome).toBe('UNKNOWN');
  for (const { result } of await Promise.all(unsent)) expect(result.isSent).toBe(false);
  expect(await other.isOnly()).toBe(false);
});

test('a call that cannot read the list does not reject what another with its key has sent meanwhile', async () => {
  const perform = keyedIn(new MemoryJournal());
  const sendsNothing = vi.fn<() => Promise<WriteResult<string>>>();
  const late = perform(async () => {
    await perform(
      () => Promise.resolve([]),
      () => Promise.resolve(completed('item')),
    );
    return await fail();
  }, sendsNothing);
  expect(await late).toEqual({ result: completed('item'), replayed: true });
  expect(sendsNothing).not.toHaveBeenCalled();
});

test('a generation that is found shows the time that the history knows of it', async () => {
  losing(TEXT);
  const selection = 'aiGeneration { text status createdAt createdAtLocal creditsRemaining }';
  const payload = await write(shared, 'generateAiText', TEXT.inputOf('A word on lime'), { selection });
  expect(payload['aiGeneration']).toEqual({
    text: expect.any(String),
    status: 'COMPLETE',
    createdAt: null,
    createdAtLocal: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/),
    creditsRemaining: null,
  });
});
