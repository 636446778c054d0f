import { describe, expect, test } from 'vitest';
import { errorsOf, shareGraph } from '../support/graph.ts';
import { READ_CALLS } from '../support/calls.ts';
import { changing, changingPage, changingRecord, MISSING } from '../support/sandbox.ts';

// What is easily misread in the service's answers, beyond single values: `interface-fields.test.ts` has those.

const graph = shareGraph({ watchesAnswers: false });
const LIST = 'GET /accounts/list';
const VIEW = 'GET /accounts/view/{loginId}';

describe('whether a read succeeded', () => {
  // The lists and the plan: where one record is refused, that may be because it is not there.
  const READS = READ_CALLS.filter(({ path }) => path.endsWith('s') || path === 'membership');
  const all = (): string =>
    `{ ${READS.map(({ field }, index) => `f${index}: ${field(graph.sandbox)}`).join(' ')} surfaces { surface } }`;

  test('is not told by its message', async () => {
    for (const message of ['Error', 'failed: 500', '', 7, null, MISSING, { code: 401 }]) {
      graph.sandbox.faults.clear();
      for (const { endpoint } of READS.filter(({ surface }) => surface === 'current'))
        graph.sandbox.faults.add(changing(endpoint, 'message', message));
      expect(errorsOf(await graph.query(all())), JSON.stringify(message)).toEqual([]);
    }
  });

  test('is not told by totals that disagree, which the operator learns once', async () => {
    graph.sandbox.faults.add(changingPage('GET /library/list', { totalCount: 99 }));
    for (const _ of [1, 2]) {
      const { data, errors } = await graph.query('{ libraryItems { totalCount } }');
      expect([data.libraryItems.totalCount, errors]).toEqual([15, []]);
    }
    const drift = graph.log.filter((line) => line.includes('GET /library/list') && line.includes('"field"'));
    expect(drift).toHaveLength(1);
  });
});

test('mentions and tagged people are in the service’s order', async () => {
  const sent = { b: {}, 'x.y/z': {}, a: {} };
  graph.sandbox.faults.add(changingRecord('GET /posts/queued', 'extraData.mention', sent));
  const { data } = await graph.query('{ queuedPosts(first: 1) { nodes { mentions { key } } } }');
  expect(data.queuedPosts.nodes).toEqual([{ mentions: [{ key: 'b' }, { key: 'x.y/z' }, { key: 'a' }] }]);
});

test.each([
  ['a dot', '.'],
  ['two dots', '..'],
  ['half a character', '\ud800'],
  ['ten thousand letters', 'x'.repeat(10_000)],
])('an account whose id is %s has no detail, and its neighbours do', async (_name, loginId) => {
  graph.sandbox.faults.add(changingRecord(LIST, 'loginId', loginId, 1));
  const { data, errors } = await graph.query('{ accounts(first: 3) { nodes { displayName settingId } } }');
  expect(data.accounts.nodes).toMatchObject([
    { settingId: 'set-410201' },
    { displayName: 'kelpgate.roasters', settingId: null },
    { settingId: 'set-410203' },
  ]);
  const code: unknown = expect.stringMatching(/^UPSTREAM_(?:MALFORMED|REJECTED)$/);
  expect(errors).toMatchObject([{ extensions: { code } }]);
});

describe('a permission is one state of up to three facts in two places', () => {
  const YES = { hasPermission: true, hasTask: true };

  test.each([
    ['GRANTED', 'Y', YES],
    ['GRANTED', 'Y', null],
    ['GRANTED', '', YES],
    ['GRANTED', 'Y', { hasPermission: true, hasTask: null }],
    ['DENIED', 'N', YES],
    ['DENIED', 'Y', { hasPermission: true, hasTask: false }],
    ['DENIED', 'Y', { hasPermission: false, hasTask: true }],
    ['DENIED', 'Y', { hasPermission: 'perhaps', hasTask: false }],
    ['UNKNOWN', '', null],
    ['UNKNOWN', 'perhaps', YES],
    ['UNKNOWN', 'Y', { hasPermission: 'perhaps', hasTask: true }],
    ['UNKNOWN', 'Y', 'perhaps'],
  ])('%s where the list says %o and the detail %o', async (state, letter, access) => {
    graph.sandbox.faults.add(changingRecord(LIST, 'inboxAccess', letter));
    graph.sandbox.faults.add(changing(VIEW, 'response.socialInboxAccess', access));
    const { data, errors } = await graph.query('{ accounts(first: 1) { nodes { permissions { inbox } } } }');
    expect([data.accounts.nodes[0].permissions.inbox, errors]).toEqual([state, []]);
    // A no that is in hand costs no call.
    expect(graph.sandbox.requests.count(VIEW)).toBe(letter === 'N' ? 0 : 1);
  });

  test('UNKNOWN on the legacy surface, and where the detail can’t be read', async () => {
    graph.sandbox.faults.add({ kind: 'status', endpoint: VIEW, status: 400, times: 9 });
    const permissions = 'nodes { permissions { inbox analytics publishing } }';
    const { data, errors } = await graph.query(
      `{ accounts(first: 1) { nodes { permissions { publishing } } } legacy: accounts(first: 1, surface: LEGACY) { ${permissions} } }`,
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      accounts: { nodes: [{ permissions: { publishing: 'UNKNOWN' } }] },
      legacy: { nodes: [{ permissions: { inbox: 'UNKNOWN', analytics: 'UNKNOWN', publishing: 'UNKNOWN' } }] },
    });
  });
});
