import { describe, expect, test } from 'vitest';
import { errorsOf, shareGraph, startGraph } from '../support/graph.ts';
import { scrape } from '../support/http.ts';
import { KINDS, listOf, titled } from '../support/kinds.ts';
import { wholeSelection } from '../support/selection.ts';
import {
  changingEach,
  changingRecord,
  MISSING,
  onlyFaults,
  rewriting,
  valueAt,
  withValue,
} from '../support/sandbox.ts';

/** Values that no id can be read from. */
const NO_IDS: readonly unknown[] = [MISSING, null, '', [], {}, 1e21, true];

// What a record shows, wherever it is read. Which field of the service feeds which field of the graph is in the table of
// test/conformance.

const graph = shareGraph({ environment: { MAX_COST: '100000', MAX_SELECTIONS: '1000' } });

interface Node {
  readonly id: string;
}

test.each(titled(KINDS))(
  '%s: every field is the same from its list, from nodes and by itself',
  async (...row) => {
    const [, { type, field }] = row;
    const fields = wholeSelection(type);
    const data = await graph.dataOf(`{ list: ${listOf(row[1], 13)} { nodes { ${fields} } } }`);
    const nodes = data.list.nodes as Node[];
    expect(nodes.length).toBeGreaterThan(3);
    const ids = nodes.map(({ id }) => id);
    const again = await graph.dataOf(
      `query ($id: ID!, $ids: [ID!]!) { one: ${field}(id: $id) { ${fields} } nodes(ids: $ids) { ... on ${type} { ${fields} } } }`,
      { variables: { id: ids.at(-1), ids } },
    );
    expect(again).toEqual({ one: nodes.at(-1), nodes });
  },
);

const VALUES = [null, '', 'null', 'Y', true, 0, -1, 2 ** 53, 1.5, '12', ['a', null, ''], {}, 'http://x'];
const TEXTS = ['2026-02-30T09:30:00.000Z', '2026-03-01T10:30:00+01:00', '20-Nov-2026 03:19 PM', '__proto__'];
const ODDER = ['\ud800', 'x'.repeat(10_000), 1e21, 10n ** 20n, [[]], [{}], { a: null }];
/** Values of which most are wrong for most fields. */
const ODD: readonly unknown[] = [...VALUES, ...TEXTS, ...ODDER];
/** The names of ids, without which a record is not there. */
const IDS = new Set(['loginId', 'groupId', 'postId', 'contentId', 'id', 'groups', 'accounts']);

/** A record of the service in which every value is this one; with `isWhole`, every object and list as well. */
function spoilt(record: unknown, value: unknown, isWhole: boolean): unknown {
  if (typeof record !== 'object' || record === null) return value;
  const entries = Object.entries(record).map(([name, child]) => {
    const isKept = IDS.has(name) || (name === 'content' && isWhole);
    return [name, isKept ? child : isWhole ? value : spoilt(child, value, isWhole)] as const;
  });
  return Array.isArray(record) ? entries.map(([, child]) => child) : Object.fromEntries(entries);
}

const reference = shareGraph({
  environment: { MAX_COST: '100000', MAX_SELECTIONS: '1000', EXECUTOR: 'graphql-js' },
});

// What a caller did wrong, or the server itself: none of it can follow from an answer of the service.
const NOT_THE_SERVICE = / (?:BAD_USER_INPUT|INTERNAL_SERVER_ERROR|INVALID_CURSOR|GRAPHQL_VALIDATION_FAILED)$/;
const READS: readonly (readonly [name: string, read: string])[] = [
  ...titled(KINDS).map(([name, kind]): [string, string] => {
    const others = ['Account', 'AccountGroup', 'QueuedPost'].filter((other) => other !== kind.type);
    return [name, `${listOf(kind, 8)} { nodes { ${wholeSelection(kind.type, others)} } }`];
  }),
  ['current Membership', `membership { ${wholeSelection('Membership')} }`],
];

test.each(READS)(
  '%s: every field of spoilt records is the same, read as data or by its resolver, and the service’s fault',
  async (_name, read) => {
    const query = `{ ${read} surfaces { surface } }`;
    for (let turn = 0; turn * 4 < ODD.length; turn += 1) {
      const change = (answer: unknown): unknown => spoiltAnswer(answer, turn * 4, turn % 2 === 1);
      const answers = [graph, reference].map(async (running) => {
        onlyFaults(running.sandbox, rewriting('*', change));
        const { data, errors } = await running.query(query);
        expect(data.surfaces).toHaveLength(2);
        // A row that can't be loaded is resolved a little later than its neighbours.
        return { data: data as unknown, errors: errorsOf({ errors }) };
      });
      const [ours, theirs] = await Promise.all(answers);
      expect(ours).toEqual(theirs);
      expect(ours?.errors.filter((error) => NOT_THE_SERVICE.test(error))).toEqual([]);
    }
    expect(graph.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  },
);

/** An answer with a list of records, or with one, each spoilt by a value of its own. */
function spoiltAnswer(answer: unknown, from: number, isWhole: boolean): unknown {
  const path = Array.isArray(answer) ? '' : valueAt(answer, 'response.list') ? 'response.list' : 'response';
  const records = path === '' ? answer : valueAt(answer, path);
  const pick = (at: number) => ODD[(from + at) % ODD.length];
  const changed = Array.isArray(records)
    ? records.map((record: unknown, at) => spoilt(record, pick(at), isWhole))
    : spoilt(records, pick(Number(valueAt(records, 'loginId'))), isWhole);
  return path === '' ? changed : withValue(answer, path, changed);
}

test.each(['CURRENT', 'LEGACY'])(
  'every field of an account, and of a group, of the %s surface is the same wherever they contain each other',
  async (surface) => {
    const [ofAccount, ofGroup] = [wholeSelection('Account'), wholeSelection('AccountGroup')];
    const nested =
      surface === 'CURRENT' ? `queuedPosts(first: 100) { nodes { account { ${ofAccount} } } }` : '';
    const data = await graph.dataOf(`{ accounts(first: 100, surface: ${surface}) { nodes { ${ofAccount} } }
         groups: accountGroups(surface: ${surface}) { nodes { ${ofGroup} } }
         members: accountGroups(surface: ${surface}) { nodes { accounts(first: 100) { nodes { ${ofAccount} } } } }
         groupsOf: accounts(first: 100, surface: ${surface}) { nodes { groups { ${ofGroup} } } }
         ${nested} }`);
    const known = new Map<string, Node>();
    for (const node of [...data.accounts.nodes, ...data.groups.nodes] as Node[]) known.set(node.id, node);
    const found = [
      ...data.members.nodes.flatMap(({ accounts }: { accounts: { nodes: Node[] } }) => accounts.nodes),
      ...data.groupsOf.nodes.flatMap(({ groups }: { groups: Node[] }) => groups),
      ...(data.queuedPosts?.nodes ?? []).map(({ account }: { account: Node }) => account),
    ] as Node[];
    expect(found.length).toBeGreaterThan(10);
    for (const node of found) expect(node).toEqual(known.get(node.id));
  },
);

/** An id that no double can hold, as a number and as text. */
const BIG = '9007199254740993';
const BIG_IDS = [BigInt(BIG), BIG, 17_841_401_234_567_891n, '17841401234567891'];

test.each(titled(KINDS))('%s: the digits of its id are kept, as a number and as text', async (...row) => {
  const [, { list, wire, name }] = row;
  for (const id of BIG_IDS) {
    onlyFaults(graph.sandbox, changingRecord(list, wire, id));
    const data = await graph.dataOf(`{ list: ${listOf(row[1], 1)} { nodes { ${name} } } }`);
    expect(data.list.nodes).toEqual([{ [name]: String(id) }]);
  }
});

test.each(titled(KINDS))(
  '%s: a record with an unreadable id is null, and the others are complete',
  async (...row) => {
    const [, { list: endpoint, wire }] = row;
    const query = `{ list: ${listOf(row[1], 10)} { totalCount nodes { id } edges { node { id } } } }`;
    const { totalCount, nodes, edges } = (await graph.query(query)).data.list;
    // The sandbox has four groups.
    const size = Math.min(NO_IDS.length, nodes.length - 1);
    for (let start = 0; start < NO_IDS.length; start += size) {
      const ids = NO_IDS.slice(start, start + size);
      onlyFaults(
        graph.sandbox,
        changingEach(endpoint, (index) => (index < ids.length ? { [wire]: ids[index] } : {})),
      );
      const answer = await graph.query(query);
      const places = ids.flatMap((_, index) => [`list.edges.${index}.node`, `list.nodes.${index}`]);
      expect(errorsOf(answer)).toEqual(places.map((place) => `${place} UPSTREAM_MALFORMED`).toSorted());
      expect(answer.data.list).toEqual({
        totalCount,
        nodes: nodes.map((node: unknown, index: number) => (index < ids.length ? null : node)),
        edges: edges.map((edge: unknown, index: number) => (index < ids.length ? { node: null } : edge)),
      });
    }
  },
);

test.each([
  ['GET /oauth/accounts', 'accounts(first: 6, surface: LEGACY)'],
  ['GET /posts/queued', 'queuedPosts(first: 6)'],
] as const)('%s: an entry that is not a record is null, and the others are complete', async (...row) => {
  const [endpoint, list] = row;
  const junk = [null, 7, 'x', [], {}];
  const change = (answer: unknown): unknown =>
    junk.reduce<unknown>(
      (whole, value, index) =>
        withValue(whole, Array.isArray(whole) ? String(index) : `response.list.${index}`, value),
      answer,
    );
  graph.sandbox.faults.add(rewriting(endpoint, change));
  const answer = await graph.query(`{ list: ${list} { totalCount nodes { id } } }`);
  expect(errorsOf(answer)).toEqual(junk.map((_, index) => `list.nodes.${index} UPSTREAM_MALFORMED`));
  const { nodes } = answer.data.list as { readonly nodes: readonly unknown[] };
  expect(nodes.map((node) => node === null)).toEqual([...junk.map(() => true), false]);
});

describe.each([
  ['CURRENT', 'GET /group/list', 'loginId'],
  ['LEGACY', 'GET /oauth/groups', 'id'],
] as const)('a group of the %s surface', (surface, endpoint, wire) => {
  test('shows null for a member with an unreadable id', async () => {
    const path = surface === 'LEGACY' ? '0.accounts' : 'response.list.0.accounts';
    const change = (answer: unknown): unknown => {
      const [first, second] = valueAt(answer, path) as readonly unknown[];
      return withValue(answer, path, [...NO_IDS.map((id) => withValue(first, wire, id)), second]);
    };
    graph.sandbox.faults.add(rewriting(endpoint, change));
    const answer = await graph.query(
      `{ accountGroups(first: 1, surface: ${surface}) { nodes { accounts { totalCount nodes { displayName } edges { cursor } } } } }`,
    );
    expect(errorsOf(answer)).toEqual(
      NO_IDS.map((_, index) => `accountGroups.nodes.0.accounts.nodes.${index} UPSTREAM_MALFORMED`),
    );
    const { totalCount, nodes, edges } = answer.data.accountGroups.nodes[0].accounts;
    expect([totalCount, edges.length]).toEqual([NO_IDS.length + 1, NO_IDS.length + 1]);
    expect(nodes).toEqual([...NO_IDS.map(() => null), { displayName: 'kelpgate.roasters' }]);
  });

  test.each([0, 'Y', {}])(
    'has an error for accounts that are %.20j, and its neighbour has none',
    async (accounts) => {
      graph.sandbox.faults.add(changingRecord(endpoint, 'accounts', accounts));
      const answer = await graph.query(
        `{ accountGroups(first: 2, surface: ${surface}) { nodes { name accounts { totalCount } } } }`,
      );
      expect(errorsOf(answer)).toEqual(['accountGroups.nodes.0.accounts UPSTREAM_MALFORMED']);
      expect(answer.data.accountGroups.nodes).toEqual([
        { name: 'Shopfront', accounts: null },
        { name: 'Wholesale', accounts: { totalCount: surface === 'CURRENT' ? 2 : 3 } },
      ]);
    },
  );
});

test.each([
  ['accounts', 'x'],
  ['accounts.0.loginId', {}],
])(
  'where %s of a group cannot be read, what only groups show is an error of the accounts that may be in it',
  async (wire, damage) => {
    const ask = () => graph.query('{ accounts(first: 100) { nodes { platformName } } }');
    const before = (await ask()).data.accounts.nodes;
    graph.sandbox.faults.add(changingRecord('GET /group/list', wire, damage));
    const { data, errors } = await ask();
    const lost = before.filter(
      (_: unknown, index: number) => data.accounts.nodes[index].platformName === null,
    );
    expect(errors.map(({ extensions }) => extensions?.['code'])).toEqual(
      lost.map(() => 'UPSTREAM_MALFORMED'),
    );
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.length).toBeLessThan(before.length);
  },
);

test('a library item with its id in `_id` is read', async () => {
  graph.sandbox.faults.add(changingEach('GET /library/list', (at) => ({ id: MISSING, _id: `item-${at}` })));
  const data = await graph.dataOf('{ libraryItems(first: 2) { nodes { itemId } } }');
  expect(data.libraryItems.nodes).toEqual([{ itemId: 'item-0' }, { itemId: 'item-1' }]);
});

const QUEUE = 'GET /posts/queued';

test('what is not as documented is logged at the first time and at the tenth, without its value, and counted, and spoils nothing else', async () => {
  const fresh = await startGraph();
  const names = { moodRing: 'green', 'EAAB secret value 123': 1, '\u001b[31mred': 2 };
  const change = { ...names, postDesc: { no: 'text' }, postStatus: 'Z', postType: 'H' };
  fresh.sandbox.faults.add(changingEach(QUEUE, () => change));
  for (let time = 0; time < 12; time += 1) {
    const answer = await fresh.query(
      '{ queuedPosts(first: 1) { nodes { text status contentKind account { network } } } }',
    );
    expect(errorsOf(answer)).toEqual(['queuedPosts.nodes.0.text UPSTREAM_MALFORMED']);
    const shown = { text: null, status: 'UNKNOWN', contentKind: 'UNKNOWN', account: { network: 'FACEBOOK' } };
    expect(answer.data.queuedPosts.nodes).toEqual([shown]);
  }
  const drifts = fresh.log
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    .filter(({ msg }) => msg === 'the service’s response does not match its documentation')
    .map(({ level, endpoint, field, expected, count }) =>
      [level, endpoint, field, expected, count].join(', '),
    );
  const told = [
    `warn, ${QUEUE}, (no name), no such field`,
    `warn, ${QUEUE}, contentCode, a known code`,
    `warn, ${QUEUE}, moodRing, no such field`,
    `warn, ${QUEUE}, postDesc, text`,
    `warn, ${QUEUE}, statusCode, a known code`,
  ];
  expect(drifts.toSorted()).toEqual(told.flatMap((drift) => [`${drift}, 1`, `${drift}, 10`]));
  const { value } = await scrape(fresh.url);
  expect(value(`service_drift_total{endpoint="${QUEUE}"}`)).toBe(12 * 6);
  expect(fresh.log.join('\n')).not.toMatch(/EAAB|\[31m|green|no: text/);
});
