import { describe, expect, test } from 'vitest';
import { codeOf, errorsOf, startGraph, type RunningGraph, shareGraph } from '../support/graph.ts';
import { callsOf } from '../support/calls.ts';
import { KINDS, LEGACY, LIBRARY, SEARCHED, titled, VIEWED, type Kind } from '../support/kinds.ts';
import { changingRecord, onlyFaults } from '../support/sandbox.ts';
import { account, idOf, legacyAccount } from '../support/writes.ts';

const graph = shareGraph();
const large = shareGraph({ sandbox: { data: 'large' } });

const idsIn = ({ sandbox }: RunningGraph, { ids }: Kind, owner = 'harbour') =>
  ids(sandbox.state.owner(owner));
const globalIdOf = ({ type, surface }: Kind, rawId: string | number = '9'.repeat(8)): string =>
  idOf(type, surface, rawId);

/** Looks a record up by its own field and by `node`; without a raw id, one that does not exist. */
const lookUp = (running: RunningGraph, kind: Kind, rawId?: string | number) =>
  running.query(`query ($id: ID!) { one: ${kind.field}(id: $id) { id } node(id: $id) { __typename id } }`, {
    variables: { id: globalIdOf(kind, rawId) },
  });

const NONE = { one: null, node: null };
const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }';
test.each(titled(KINDS))('a %s is found with one call where its list is one page', async (_name, kind) => {
  const ids = idsIn(graph, kind);
  for (const rawId of [ids[0], ids[ids.length >> 1], ids.at(-1)]) {
    graph.sandbox.requests.clear();
    const { data, errors } = await lookUp(graph, kind, rawId);
    expect(errors).toEqual([]);
    const id = globalIdOf(kind, rawId);
    expect(data).toEqual({ one: { id }, node: { __typename: kind.type, id } });
    expect(callsOf(graph)).toEqual({ [kind.view ?? kind.list]: 1 });
  }
});

test.each(['Zm9v/YmFy+8==', '12 #é?', '..'])(
  'a record that is only listed is found by the id %j',
  async (id) => {
    for (const kind of [...SEARCHED, ...LEGACY.slice(1)]) {
      graph.sandbox.faults.add(changingRecord(kind.list, kind.wire, id));
      const { data, errors } = await lookUp(graph, kind, id);
      expect([errors, data.one]).toEqual([[], { id: globalIdOf(kind, id) }]);
    }
  },
);

test.each(titled(KINDS))('a %s of another owner, or that does not exist, is null', async (_name, kind) => {
  const [foreign] = idsIn(graph, kind, 'fernlight');
  for (const rawId of [undefined, foreign]) {
    graph.sandbox.requests.clear();
    const { data, errors } = await lookUp(graph, kind, rawId);
    expect([errors, data]).toEqual([[], NONE]);
    // Its absence is known once the whole list was read.
    expect(callsOf(graph)[kind.list]).toBeGreaterThanOrEqual(1);
  }
});

test.each(titled(KINDS))('a %s is an error where its list cannot be read', async (_name, kind) => {
  graph.sandbox.faults.add({ kind: 'cut-body', framing: 'content-length', endpoint: kind.list, times: 9 });
  const answer = await lookUp(graph, kind);
  expect(answer.data).toEqual(NONE);
  expect(errorsOf(answer)).toEqual(['node SURFACE_UNAVAILABLE', 'one SURFACE_UNAVAILABLE']);
});

test.each(titled(LEGACY))(
  'a %s is an error where a record without a readable id may be it',
  async (_name, kind) => {
    graph.sandbox.faults.add(changingRecord(kind.list, 'id', {}));
    const [first, second] = idsIn(graph, kind);
    const answer = await lookUp(graph, kind, first);
    expect(answer.data).toEqual(NONE);
    expect(errorsOf(answer)).toEqual(['node UPSTREAM_MALFORMED', 'one UPSTREAM_MALFORMED']);
    expect((await lookUp(graph, kind, second)).errors).toEqual([]);
  },
);

describe.each(titled(VIEWED))('a %s', (_name, kind) => {
  const view = kind.view ?? kind.list;

  test('that the service refuses is null once the whole list was read without it', async () => {
    for (const status of [400, 404, 410]) {
      graph.sandbox.requests.clear();
      onlyFaults(graph.sandbox, { kind: 'status', status, endpoint: view, times: 9 });
      const { data, errors } = await lookUp(graph, kind);
      expect([status, errors, data]).toEqual([status, [], NONE]);
      expect(callsOf(graph)[view]).toBe(1);
      expect(callsOf(graph)[kind.list]).toBeGreaterThanOrEqual(1);
    }
  });

  test('that the service refuses is an error if its list contains it', async () => {
    graph.sandbox.faults.add({ kind: 'status', status: 422, endpoint: view });
    const answer = await lookUp(graph, kind, idsIn(graph, kind)[0]);
    expect(errorsOf(answer)).toEqual(['node UPSTREAM_REJECTED', 'one UPSTREAM_REJECTED']);
  });

  test('is an error where the service answers with another failure, and nothing else is called', async () => {
    const own = await startGraph();
    for (const [status, code] of [
      [401, 'CREDENTIAL_REJECTED'],
      [500, 'SURFACE_UNAVAILABLE'],
      [200, 'UPSTREAM_MALFORMED'],
      [429, 'RATE_LIMITED'],
    ] as const) {
      own.sandbox.requests.clear();
      onlyFaults(own.sandbox, { kind: 'status', status, body: { message: 'no' }, endpoint: view, times: 9 });
      const answer = await lookUp(own, kind);
      expect(answer.data).toEqual(NONE);
      expect(errorsOf(answer)).toEqual([`node ${code}`, `one ${code}`]);
      expect(callsOf(own)).toEqual({ [view]: 1 });
    }
  });
});

test('a refused library item is SCAN_LIMIT_REACHED where the library has more than twenty pages', async () => {
  const answer = await lookUp(large, LIBRARY, 'f'.repeat(24));
  expect(answer.data).toEqual(NONE);
  expect(errorsOf(answer)).toEqual(['node SCAN_LIMIT_REACHED', 'one SCAN_LIMIT_REACHED']);
  expect(callsOf(large)).toEqual({ 'GET /library/view/{contentid}': 1, 'GET /library/list': 20 });
});

test('nodes has the records in the order of their ids, with one search for each list', async () => {
  const ids = [...LEGACY, ...SEARCHED].flatMap((kind) =>
    idsIn(graph, kind).map((rawId) => globalIdOf(kind, rawId)),
  );
  ids.push(ids[0] ?? '', account(), account());
  const data = await graph.dataOf(NODES, { variables: { ids } });
  expect((data.nodes as { id: string }[]).map(({ id }) => id)).toEqual(ids);
  expect(callsOf(graph)).toEqual({
    ...Object.fromEntries([...LEGACY, ...SEARCHED].map(({ list }) => [list, 1])),
    'GET /accounts/view/{loginId}': 1,
  });
  expect((await graph.query(NODES, { variables: { ids: [] } })).data.nodes).toEqual([]);
});

test('each slot of nodes fails by itself', async () => {
  graph.sandbox.faults.add({ kind: 'status', status: 503, endpoint: 'GET /oauth/accounts' });
  const group = idOf('AccountGroup', 'current', 5_101);
  const foreign = Buffer.from('2ac:1').toString('base64url');
  const ids = ['garbage', account(), account(999_999), legacyAccount(), group, foreign];
  const answer = await graph.query(NODES, { variables: { ids } });
  const found = (answer.data.nodes as ({ id: string } | null)[]).map((node) => node?.id ?? null);
  expect(found).toEqual([null, account(), null, null, group, null]);
  expect(errorsOf(answer)).toEqual([
    'nodes.0 BAD_USER_INPUT',
    'nodes.3 SURFACE_UNAVAILABLE',
    'nodes.5 BAD_USER_INPUT',
  ]);
  expect(answer.errors.find(({ path }) => path?.[1] === 5)?.message).toContain('ids[5]');
});

test('an id of another type is refused with both types, and nothing is sent', async () => {
  const pairs = KINDS.flatMap((kind) => KINDS.map((other) => [kind, other] as const));
  const foreign = pairs.filter(([kind, other]) => kind.type !== other.type);
  const fields = foreign.map(
    ([{ field }, other], at) => `a${at}: ${field}(id: "${globalIdOf(other)}") { id }`,
  );
  const { errors } = await graph.query(`{ ${fields.join(' ')} }`);
  const messages = new Map(errors.map((error) => [error.path?.[0], `${codeOf(error)} ${error.message}`]));
  for (const [at, [kind, other]] of foreign.entries())
    expect(messages.get(`a${at}`)).toMatch(
      new RegExp(`^BAD_USER_INPUT id must be .* type ${kind.type}, not ${other.type}`),
    );
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('a library item is found by an id in Base64, and asked for within its path', async () => {
  const id = 'Zm9v/YmFy+8==';
  const endpoint = 'GET /library/view/{contentid}';
  graph.sandbox.faults.add({ kind: 'status', status: 200, body: { response: { id } }, endpoint, times: 2 });
  const { data, errors } = await lookUp(graph, LIBRARY, id);
  expect([errors, data.one]).toEqual([[], { id: globalIdOf(LIBRARY, id) }]);
  expect(graph.sandbox.requests.all.map(({ path }) => path)).toEqual(['/library/view/Zm9v%2FYmFy%2B8%3D%3D']);
});

test('a library item’s id that would name another path is refused, and nothing is sent', async () => {
  const tricks = '../accounts/list a/../b a/.. ./a a/./b .. . a/..;/b ..%2fb %2e%2e a?b=c a#b a\\b ä';
  const rawIds = [...tricks.split(' '), 'a b', 'x'.repeat(200)];
  const ids = rawIds.map((rawId) => idOf('LibraryItem', 'current', rawId));
  const answer = await graph.query(NODES, { variables: { ids } });
  expect(errorsOf(answer)).toEqual(ids.map((_, at) => `nodes.${at} BAD_USER_INPUT`).toSorted());
  expect(graph.sandbox.requests.count()).toBe(0);
});
