import {
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  type GraphQLType,
} from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { shareGraph } from '../support/graph.ts';
import { openTransport } from '../support/transports.ts';

// What the names and types of the graph promise to a client's cache and to its compiler.

const graph = shareGraph();

/** A field, an argument or a field of an input. */
interface Slot {
  readonly owner: string;
  readonly name: string;
  readonly type: string;
  readonly named: string;
}

/** A field or an argument. */
interface Part {
  readonly name: string;
  readonly type: GraphQLType;
}

const slotsOf = (owner: string, parts: readonly Part[]): Slot[] =>
  parts.map(({ name, type }) => ({ owner, name, type: String(type), named: getNamedType(type).name }));

const SLOTS = Object.values(schema.getTypeMap())
  .filter((type) => !isIntrospectionType(type))
  .flatMap((type) => {
    if (isInputObjectType(type)) return slotsOf(type.name, Object.values(type.getFields()));
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    const fields = Object.values(type.getFields());
    return [
      ...slotsOf(type.name, fields),
      ...fields.flatMap((field) => slotsOf(`${type.name}.${field.name}`, field.args)),
    ];
  });
const pathOf = ({ owner, name, type }: Slot): string => `${owner}.${name}: ${type}`;

test('only nodes have a field id', () => {
  const node = schema.getType('Node');
  if (!isInterfaceType(node)) throw new Error('no Node');
  const nodes = ['Node', ...schema.getPossibleTypes(node).map(({ name }) => name)];
  const ids = SLOTS.filter(({ owner, name }) => name === 'id' && !owner.includes('.'));
  expect(ids.map(pathOf).toSorted()).toEqual(nodes.map((name) => `${name}.id: ID!`).toSorted());
});

/** Where a name ends as those of ids do, and there is no id. */
const NO_IDS: Readonly<Record<string, string>> = {
  'Account.platformId': 'the number of a kind of account, not of a record',
  'AccountFilter.platformIds': 'the same',
  'FacebookCityInput.regionId': 'a number or a text, which the service tells apart',
};

const isCalledId = ({ name }: Slot): boolean => /(?:^i|I)ds?$/.test(name);
const isId = ({ named }: Slot): boolean => named === 'ID' || named === 'ServiceId';

test('what is called an id is an ID of this graph or a ServiceId, and nothing else is', () => {
  const wrong = SLOTS.filter((slot) => isCalledId(slot) !== isId(slot));
  expect(wrong.map(({ owner, name }) => `${owner}.${name}`).toSorted()).toEqual(
    Object.keys(NO_IDS).toSorted(),
  );
});

test('an id of one name is of one kind wherever it stands, in outputs and inputs', () => {
  const kinds = new Map<string, Set<string>>();
  for (const { name, named } of SLOTS.filter(isId)) {
    const one = name.replace(/s$/, '');
    kinds.set(one, (kinds.get(one) ?? new Set()).add(named));
  }
  expect([...kinds].filter(([, named]) => named.size > 1)).toEqual([]);
  const nodeIds = [...kinds].filter(([, named]) => named.has('ID')).map(([name]) => name);
  expect(nodeIds.toSorted()).toEqual([
    'accountGroupId',
    'accountId',
    'deletedAccountGroupId',
    'deletedAccountId',
    'id',
    'queuedPostId',
  ]);
});

test.each([
  ['text', '"12"', '12'],
  ['a whole number', '12', '12'],
  ['a whole number beyond 2^53', '9007199254740993', '9007199254740993'],
])('a ServiceId in a document is %s', async (_, literal, sent) => {
  await graph.query(`{ libraryItems(filter: { userId: ${literal} }) { totalCount } }`);
  expect(graph.sandbox.requests.all[0]?.query).toContainEqual(['filterBy', sent]);
});

test.each([1.5, true, ['12'], {}, 2 ** 53])('a ServiceId is not %j', async (userId) => {
  const run = openTransport('HTTP', graph.url, graph.caller.both);
  const { errors } = await run({
    query: 'query ($userId: ServiceId) { libraryItems(filter: { userId: $userId }) { totalCount } }',
    variables: { userId },
  });
  expect(errors[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' } });
  expect(errors[0]?.message).toContain('Write a ServiceId as text or a whole number');
});

test('what is called an address is a URL, and every URL is called one', () => {
  const wrong = SLOTS.filter(({ name, named }) => /(?:^u|U)r[il]s?$/.test(name) !== (named === 'URL'));
  expect(wrong.map(pathOf)).toEqual([]);
  expect(SLOTS.filter(({ name }) => /^(?:link|href|address|image|picture|avatar)$/.test(name))).toEqual([]);
});

test('every order is a list of steps of one form, or one step: a field of an enum, and a direction', () => {
  const orders = SLOTS.filter(({ name }) => name === 'orderBy' || name === 'order');
  expect(orders.length).toBeGreaterThan(6);
  for (const { name, type, named } of orders) expect(type).toBe(name === 'order' ? named : `[${named}!]`);
  for (const { named } of orders) {
    expect(
      SLOTS.filter(({ owner }) => owner === named)
        .map(pathOf)
        .toSorted(),
      named,
    ).toEqual([`${named}.direction: OrderDirection`, `${named}.field: ${named}Field!`]);
  }
});

test.each(['accountGroups', 'libraryItems'])(
  '%s takes one step, as `order` or in `orderBy`, and refuses a second one',
  async (list) => {
    const field = list === 'accountGroups' ? 'NAME' : 'MOST_USED';
    const run = openTransport('HTTP', graph.url, graph.caller.both);
    const ordered = async (args: string) => {
      graph.sandbox.requests.clear();
      const answer = await run({ query: `{ ${list}(first: 1, ${args}) { pageInfo { endCursor } } }` });
      return { ...answer, sent: graph.sandbox.requests.all.map(({ query }) => String(query)) };
    };
    const step = `{ field: ${field}, direction: DESC }`;
    for (const args of [
      'orderBy: []',
      `orderBy: { field: ${field} }`,
      'order: null',
      `order: { field: ${field} }`,
    ])
      expect((await ordered(args)).errors, args).toEqual([]);
    const [one, other] = [await ordered(`order: ${step}`), await ordered(`order: null, orderBy: [${step}]`)];
    expect(one.errors).toEqual([]);
    expect([one.data, one.sent]).toEqual([other.data, other.sent]);
    expect(one.sent[0]).toContain('DESC');
    for (const [args, message] of [
      [`orderBy: [${step}, ${step}]`, 'orderBy must have only one criterion'],
      [`order: ${step}, orderBy: [${step}]`, 'order cannot be combined with orderBy.'],
      [`order: ${step}, orderBy: []`, 'order cannot be combined with orderBy.'],
    ] as const) {
      const { errors, sent } = await ordered(args);
      expect(errors[0]).toMatchObject({ path: [list], extensions: { code: 'BAD_USER_INPUT' } });
      expect(errors[0]?.message).toContain(message);
      expect(sent).toEqual([]);
    }
  },
);

/** An output and the inputs that are about the same; every field of an input is one of the output, if not told here. */
const PAIRS: readonly (readonly [output: string, input: string, others: string])[] = [
  ['Mention', 'MentionInput', ''],
  ['Place', 'PlaceInput', ''],
  ['TaggedPeople', 'TaggedPeopleInput', ''],
  [
    'Account',
    'AccountFilter',
    'accountGroupIds clientId healthStates multiFilter networks platformIds teamIds',
  ],
  ['AccountGroup', 'AccountGroupFilter', ''],
  [
    'QueuedPost',
    'QueuedPostFilter',
    'accountIds networks scheduledFrom scheduledFromLocal scheduledUntil scheduledUntilLocal',
  ],
  ['QueuedPost', 'PostingSlot', ''],
  ['QueuedPost', 'PostTimingInput', 'placement'],
  ['QueuedPost', 'StatusUpdateTimingInput', 'placement'],
  ['LibraryItem', 'LibraryItemFilter', 'text userId'],
  ['LibraryItem', 'CreateLibraryItemInput', 'activeTab idempotencyKey variants'],
  ['AiGeneration', 'GenerateAiTextInput', 'idempotencyKey'],
];

test.each(PAIRS)('what %s shows and %s takes has one name', (output, input, others) => {
  const namesOf = (owner: string) => SLOTS.filter((slot) => slot.owner === owner).map(({ name }) => name);
  const shown = new Set(namesOf(output));
  const beside = namesOf(input).filter((name) => !shown.has(name));
  expect(beside.toSorted().join(' ')).toBe(others);
});

test('the same part of a post has one name and one kind of value where it is shown and where it is written', () => {
  const shown = SLOTS.filter(({ owner }) => ['QueuedPost', 'LibraryContent'].includes(owner));
  const written = SLOTS.filter(({ owner }) => ['PostVariantInput', 'DraftVariantInput'].includes(owner));
  const both = written.flatMap((slot) =>
    shown.filter(({ name }) => name === slot.name).map((other) => [slot, other] as const),
  );
  expect(both.length).toBeGreaterThan(12);
  const differing = both.filter(([one, other]) => one.named.replace(/Input$/, '') !== other.named);
  // The library shows alternative texts in a shape that is not documented.
  expect(differing.map(([, other]) => pathOf(other)).filter((path) => !path.includes('altTexts'))).toEqual(
    [],
  );
});

test('no two fields of a type differ in one letter', () => {
  const close = SLOTS.flatMap((one) =>
    SLOTS.filter(({ owner, name }) => owner === one.owner && name === `${one.name}s`).map(pathOf),
  );
  // Those that show, or act on, one record and those that do so with several are read as what they are.
  const lists = ['account', 'accountGroup', 'aiGeneration', 'libraryItem', 'node', 'queuedPost'];
  const known = [...lists, 'pauseAccount', 'resumeAccount'];
  expect(
    close
      .map((path) => path.replace(/^(?:Query|Mutation)\.(\w+)s: .*$/, '$1'))
      .filter((name) => !known.includes(name)),
  ).toEqual(['AccountHealthEvent.accounts: [ObservedAccount!]', 'MembershipPlan.features: [PlanFeature!]']);
});
