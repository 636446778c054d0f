// Documents that were once found to stop the process, or to keep it from everything else for seconds.

const times = (count, write) => Array.from({ length: count }, (_, index) => write(index)).join(' ');
const alias = (index) => (index === 0 ? '' : `a${index}: `);
const accountId = (loginId) => Buffer.from(`1ac:${loginId}`).toString('base64url');

const nodes = (names, ids) => ({
  caller: 'nobody',
  query: `query ($ids: [ID!]!) { ${times(names, (index) => `${alias(index)}nodes(ids: $ids) { id }`)} }`,
  variables: { ids },
});

const validatePost = {
  caller: 'nobody',
  query: `query ($input: CreatePostInput!) { ${times(
    15,
    (index) => `${alias(index)}validatePost(input: $input) { userErrors { code message path } }`,
  )} }`,
  variables: {
    input: {
      accountIds: Array.from({ length: 4_900 }, () => 'x'),
      timing: { placement: 'QUEUE' },
      variants: Array.from({ length: 2_400 }, () => ({ variant: 'X' })),
    },
  },
};

const LEGACY = 'accounts(first: 100, surface: LEGACY)';
const FIELDS = 'id displayName network platformCode isPaused isLocked isBlocked inboxCount hasInbox';

/** Lists within lists, with something selected below the innermost. */
const nested = (caller, inside) => ({
  caller,
  query: `{ accountGroups(first: 40, surface: LEGACY) { nodes { accounts(first: 8) { nodes { groups {
    accounts(first: 8) { ${inside} } } } } } } }`,
});

/** Thousands of fields that need a credential which the caller did not send. */
const counterpartsOf = (first, inside) =>
  `{ accountGroups(first: 40) { nodes { accounts(first: 8) { nodes { groups { accounts(first: ${first}) { nodes {
    ${inside} } } } } } } } }`;

const searches = (names, text) => ({
  caller: 'key',
  query: `query (${times(names, (index) => `$t${index}: String`)}) { ${times(
    names,
    (index) => `a${index}: queuedPosts(filter: { text: $t${index} }) { totalCount }`,
  )} }`,
  variables: Object.fromEntries(
    Array.from({ length: names }, (_, index) => [`t${index}`, `${text}${index}`]),
  ),
});

/** Checks of one post with everything that is read for its warnings. */
const warnings = (names, accounts, { variants, timing = { placement: 'QUEUE' } }) => ({
  caller: 'both',
  query: `query ($input: CreatePostInput!) { ${times(
    names,
    (index) =>
      `${alias(index)}validatePost(input: $input) { warnings { code message } lookedAt { queueTotal } }`,
  )} }`,
  variables: {
    input: {
      accountIds: Array.from({ length: accounts }, (_, index) => accountId(411_014 + index)),
      timing,
      variants,
    },
  },
});

const slots = (names, count) => ({
  caller: 'both',
  query: `{ accounts(first: 100) { nodes { ${times(
    names,
    (index) =>
      `a${index}: nextFreeSlots(count: ${count}, afterLocal: "20${30 + index}-05-01T10:00") { scheduledAtLocal }`,
  )} } } }`,
});

/** The attacks by their names. */
export const ATTACKS = {
  'a search for 240,000 letters': searches(1, 'İ'.repeat(240_000)),
  '30 searches for 390 letters': searches(30, 'İ'.repeat(390)),
  'validatePost, 58,000 combining marks': warnings(1, 100, {
    variants: [{ variant: 'ORIGINAL', text: `a${'\u0301\u0316'.repeat(29_000)}` }],
  }),
  'validatePost, 16 names, 60,000 letters': warnings(16, 12, {
    variants: [{ variant: 'ORIGINAL', text: 'a b'.repeat(20_000) }],
  }),
  'validatePost, 250 variants': warnings(1, 100, {
    variants: Array.from({ length: 250 }, () => ({ variant: 'X', text: 'abc' })),
  }),
  'validatePost, 15 names, warnings of 250 times': warnings(15, 13, {
    variants: [{ variant: 'ORIGINAL', text: 'abc' }],
    timing: {
      scheduledAtLocal: Array.from(
        { length: 250 },
        (_, index) => `2031-05-2${index % 10}T1${index % 7}:${10 + (index % 50)}`,
      ),
    },
  }),
  'free slots, 30 names of 50': slots(30, 50),
  'free slots, 30 names of 5': slots(30, 5),
  'nodes, 16 names, 9,999 ids': nodes(
    16,
    Array.from({ length: 9_999 }, () => 'x'),
  ),
  'nodes, 16 names, 100 ids': nodes(
    16,
    Array.from({ length: 100 }, () => 'x'),
  ),
  'validatePost, 15 names, large lists': validatePost,
  'counterpart under nested groups, one credential': {
    caller: 'token',
    query: `{ ${LEGACY} { nodes { groups { accounts(first: 100) { nodes { groups { accounts(first: 100) { nodes {
      ${times(15, (index) => `${alias(index)}counterpart { id }`)} } } } } } } } } }`,
  },
  '14 names of nested lists': {
    caller: 'token',
    query: `{ ${times(14, (index) => `a${index}: ${LEGACY} { ...A }`)} } fragment A on AccountConnection { nodes { groups {
      accounts(first: 100) { nodes { groups { accounts(first: 100) { nodes { ${FIELDS} } } } } } } } }`,
  },
  'validatePost, 15 names, valid ids': {
    ...validatePost,
    caller: 'key',
    variables: {
      input: {
        accountIds: Array.from({ length: 250 }, (_, index) => accountId(411_000 + index)),
        timing: { placement: 'QUEUE' },
        variants: [{ variant: 'X' }],
      },
    },
  },
  'a renamed field, 10 KB a name': {
    caller: 'key',
    query: `{ accounts(first: 100) { nodes { groups { accounts { nodes { ${'n'.repeat(10_000)}: id } } } } } }`,
  },
  'introspection, names everywhere': {
    caller: 'nobody',
    query: `{ __schema { types { name fields { name type { fields { ${times(
      14,
      (index) => `a${index}: description`,
    )} args { name type { name kind } } type { kind name ofType { name kind ofType { name kind } } } } } } } } }`,
  },
  // These are executed, and cut off or just within the limits.
  'errors of counterpart, one credential': nested(
    'token',
    `nodes { ${times(4, (index) => `${alias(index)}counterpart { id }`)} }`,
  ),
  'errors of counterpart, five fields a row': {
    caller: 'key',
    query: counterpartsOf(
      8,
      'counterpart { a1: id } a2: counterpart { id } a3: counterpart { id a4: id } a5: counterpart { id }',
    ),
  },
  'errors of counterpart below 15,800 line breaks': {
    caller: 'key',
    query: '\n'.repeat(15_800) + counterpartsOf(2, 'counterpart { id }'),
  },
  counterparts: nested('both', `nodes { ${times(4, (index) => `${alias(index)}counterpart { id }`)} }`),
  cursors: nested('token', `edges { ${times(8, (index) => `${alias(index)}cursor`)} }`),
  'plain fields': nested('token', `nodes { ${FIELDS} }`),
  connections: {
    caller: 'token',
    query: `{ accountGroups(first: 40, surface: LEGACY) { nodes { accounts(first: 8) { nodes { groups {
      ${times(14, (index) => `${alias(index)}accounts(first: 1) { totalCount }`)} } } } } } }`,
  },
  'connections, 30 names': {
    caller: 'token',
    query: `{ accountGroups(first: 40, surface: LEGACY) { nodes { accounts(first: 8) { nodes { groups {
      ${times(30, (index) => `${alias(index)}accounts(first: 1) { totalCount }`)} } } } } } }`,
  },
  'counterparts, 30 names': nested(
    'both',
    `nodes { ${times(30, (index) => `${alias(index)}counterpart { id }`)} }`,
  ),
  '30 names of lists, each with 3 names of fields': {
    caller: 'token',
    query: `{ ${times(
      30,
      (index) =>
        `a${index}: ${LEGACY} { nodes { ${times(3, (at) => `b${at}: displayName`)} groups { id } } }`,
    )} }`,
  },
  'validatePost, 30 names': {
    ...validatePost,
    query: `query ($input: CreatePostInput!) { ${times(
      30,
      (index) => `${alias(index)}validatePost(input: $input) { userErrors { code message path } }`,
    )} }`,
    variables: {
      input: {
        accountIds: ['x'],
        timing: { scheduledAtLocal: Array.from({ length: 120 }, () => '2031-05-20T10:00') },
        variants: Array.from({ length: 30 }, () => ({ variant: 'X', title: 't', longText: 't' })),
      },
    },
  },
  'validatePost, 15 names, 250 times': {
    ...validatePost,
    variables: {
      input: {
        accountIds: ['x'],
        timing: { scheduledAtLocal: Array.from({ length: 250 }, () => '2031-05-20T10:00') },
        variants: Array.from({ length: 60 }, () => ({ variant: 'X', title: 't', longText: 't' })),
      },
    },
  },
  'details of eight lists': {
    caller: 'key',
    query: `{ ${times(
      8,
      (
        index,
      ) => `a${index}: accounts(first: ${100 - index}) { nodes { settingId connectedAt accessCode health { state
        credentialExpiresAt disconnectReason } permissions { publishing inbox } } }`,
    )} }`,
  },
};
