// What random operations are given: valid ids and invalid ones, lists and texts of every size.

/** The variables that an operation may use. */
export const VARIABLE_TYPES = {
  ids: '[ID!]!',
  numbers: '[Int!]',
  texts: '[ServiceId!]',
  text: 'String',
  orders: '[AccountOrder!]',
  input: 'CreatePostInput!',
};

const SIZES = [1, 10, 14, 100, 200, 250, 1_000, 5_000];

/** Values for all variables. */
export function createVariables(random, ids) {
  const { pick, below } = random;
  const size = () => pick(SIZES);
  const listOf = (make) => listWith(size(), make);
  return {
    ids: idList(random, ids, size()),
    numbers: listOf((index) => index),
    texts: listOf((index) => `t${index}`),
    text: pick(['e', 'x'.repeat(below(10_000)), '\u0001'.repeat(below(1_000)), 'é'.repeat(below(100_000))]),
    orders: listOf(() => ({ field: pick(['LOGIN_ID', 'DISPLAY_NAME']), direction: pick(['ASC', 'DESC']) })),
    input: {
      accountIds: idList(random, ids, size()),
      timing: pick([{ placement: 'QUEUE' }, { scheduledAtLocal: listOf(() => '2031-05-20T10:00') }]),
      variants: listOf(() => ({ variant: pick(['X', 'ORIGINAL']), title: 't', text: 'x'.repeat(below(50)) })),
    },
  };
}

function listWith(length, make) {
  return Array.from({ length }, (_, index) => make(index));
}

function idList({ pick }, ids, length) {
  const kind = pick(['junk', 'same', 'mixed', 'accounts']);
  const one = pick(ids.mixed);
  return Array.from({ length }, (_, index) => {
    if (kind === 'junk') return 'x';
    return kind === 'same' ? one : ids[kind][index % ids[kind].length];
  });
}

/** An argument's value as it stands in a document; null where it is left out. */
export function argumentText({ name }, { pick, below }, ids) {
  const write = {
    first: () => pick(['100', '40', '8', String(1 + below(100))]),
    last: () => String(1 + below(100)),
    surface: () => pick(['LEGACY', 'CURRENT']),
    id: () => JSON.stringify(pick([...ids.mixed, 'x'])),
    ids: () => '$ids',
    input: () => '$input',
    filter: () =>
      pick([
        '{ name: "e" }',
        '{ displayName: "e" }',
        '{ displayName: $text }',
        '{ platformIds: $numbers }',
        '{ teamIds: $texts }',
        '{ title: $text }',
      ]),
    orderBy: () => pick(['$orders', '[{ field: LOGIN_ID }]']),
    includeDeprecated: () => 'true',
    name: () => JSON.stringify(pick(['Query', 'Account', 'QueuedPost'])),
    state: () => '"s"',
    redirectUri: () => '"http://127.0.0.1/"',
  }[name];
  return write ? write() : null;
}
