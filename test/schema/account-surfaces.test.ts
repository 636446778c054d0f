import { expect, test } from 'vitest';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import { currentAccounts, legacyAccounts } from '../support/account-records.ts';
import { errorsOf, onlyError } from '../support/answers.ts';
import { startGraph } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();

const LIST =
  '{ accounts(first: 100) { totalCount nodes { surface loginId } } accountGroups { nodes { surface } } }';

interface Listed {
  readonly surface: string;
  readonly loginId: string;
}

test('with only a token the lists answer from the legacy surface', async () => {
  const { data, errors } = await graph.query(LIST, { headers: graph.caller.token });
  expect(errors).toEqual([]);
  expect(data.accounts.nodes).toEqual(
    legacyAccounts(graph).map(({ loginId }) => ({ surface: 'LEGACY', loginId: String(loginId) })),
  );
  expect(data.accountGroups.nodes[0].surface).toBe('LEGACY');
  expect(graph.sandbox.requests.all.map(({ endpoint }) => endpoint ?? '').toSorted()).toEqual([
    'GET /oauth/accounts',
    'GET /oauth/groups',
  ]);
});

test('with only a key the lists answer from the current surface', async () => {
  const { data, errors } = await graph.query(LIST, { headers: graph.caller.key });
  expect(errors).toEqual([]);
  expect(data.accounts.nodes).toEqual(
    currentAccounts(graph).map(({ loginId }) => ({ surface: 'CURRENT', loginId: String(loginId) })),
  );
  expect(data.accountGroups.nodes[0].surface).toBe('CURRENT');
  expect(graph.sandbox.requests.all.map(({ endpoint }) => endpoint ?? '').toSorted()).toEqual([
    'GET /accounts/list',
    'GET /group/list',
  ]);
});

test('with both credentials the current surface answers unless the other is named', async () => {
  const { data } = await graph.query(
    `{ unnamed: accounts(first: 1) { nodes { surface } }
       legacy: accounts(first: 1, surface: LEGACY) { nodes { surface } }
       legacyGroups: accountGroups(first: 1, surface: LEGACY) { nodes { surface } } }`,
  );
  expect(data.unnamed.nodes).toEqual([{ surface: 'CURRENT' }]);
  expect(data.legacy.nodes).toEqual([{ surface: 'LEGACY' }]);
  expect(data.legacyGroups.nodes).toEqual([{ surface: 'LEGACY' }]);
});

test('counterpart links accounts of both surfaces where id and profile address agree, and nowhere else', async () => {
  const { data, errors } = await graph.query(
    `{ current: accounts(first: 100) { nodes { loginId counterpart { surface loginId profileUrl } } }
       legacy: accounts(first: 100, surface: LEGACY) { nodes { loginId counterpart { surface loginId profileUrl } } } }`,
  );
  expect(errors).toEqual([]);
  const unlinked: readonly number[] = [landmarks.impostorId, landmarks.legacyOnlyId];
  const seenFrom = (surface: 'CURRENT' | 'LEGACY') =>
    (surface === 'LEGACY' ? currentAccounts(graph) : legacyAccounts(graph)).map((account) => ({
      loginId: String(account.loginId),
      counterpart: unlinked.includes(account.loginId)
        ? null
        : {
            surface,
            loginId: String(account.loginId),
            profileUrl: surface === 'LEGACY' ? account.legacyUrl : account.currentUrl,
          },
    }));
  expect(data.current.nodes).toEqual(seenFrom('LEGACY'));
  expect(data.legacy.nodes).toEqual(seenFrom('CURRENT'));
});

test('counterpart of a whole page costs one call to the other surface', async () => {
  await graph.query('{ accounts(first: 100) { nodes { counterpart { displayName } } } }');
  expect(graph.sandbox.requests.count()).toBe(2);
  graph.sandbox.requests.clear();
  await graph.query('{ accounts(first: 100, surface: LEGACY) { nodes { counterpart { displayName } } } }');
  expect(graph.sandbox.requests.count()).toBe(2);
});

test('the counterpart of a counterpart is the account itself', async () => {
  const { data } = await graph.query(
    '{ accounts(first: 1) { nodes { id counterpart { counterpart { id } } } } }',
  );
  const [account] = data.accounts.nodes;
  expect(account.counterpart.counterpart.id).toBe(account.id);
});

const SPELLINGS: readonly (readonly [spelling: string, isSame: boolean])[] = [
  ['https://www.facebook.example/kelpgate.roasters', true],
  ['http://facebook.example/kelpgate.roasters/', true],
  ['https://WWW.FaceBook.example/kelpgate.roasters', true],
  ['HTTPS://facebook.example/kelpgate.roasters', true],
  ['https://facebook.example/Kelpgate.Roasters', false],
  ['https://facebook.example/kelpgate.roasters2', false],
  ['https://facebook.example/kelpgate.roasters?ref=1', false],
  ['https://m.facebook.example/kelpgate.roasters', false],
  ['https://facebook.example.net/kelpgate.roasters', false],
];

test.each(SPELLINGS)(
  'a profile spelt %s on the legacy surface is the same account: %s',
  async (spelling, isSame) => {
    graph.sandbox.faults.add({
      kind: 'rewrite',
      endpoint: 'GET /oauth/accounts',
      change: (list) =>
        (list as object[]).map((row, index) => (index === 0 ? { ...row, url: spelling } : row)),
    });
    const { data } = await graph.query('{ accounts(first: 1) { nodes { counterpart { profileUrl } } } }');
    expect(data.accounts.nodes[0].counterpart).toEqual(isSame ? { profileUrl: spelling } : null);
  },
);

test('an account without a profile address on either surface has no counterpart', async () => {
  graph.sandbox.faults.add({
    kind: 'rewrite',
    endpoint: 'GET /oauth/accounts',
    change: (list) => (list as object[]).map((row) => ({ ...row, url: '' })),
  });
  const { data, errors } = await graph.query('{ accounts(first: 3) { nodes { counterpart { id } } } }');
  expect(errors).toEqual([]);
  expect(data.accounts.nodes).toEqual([{ counterpart: null }, { counterpart: null }, { counterpart: null }]);
});

test('counterpart without the other credential is an error of that field alone', async () => {
  const answer = await graph.query('{ accounts(first: 1) { nodes { displayName counterpart { id } } } }', {
    headers: graph.caller.key,
  });
  expect(answer.data.accounts.nodes).toEqual([{ displayName: 'Kelpgate Roasters', counterpart: null }]);
  expect(errorsOf(answer)).toEqual(['accounts.nodes.0.counterpart CREDENTIAL_MISSING']);
  expect(onlyError(answer).extensions['surface']).toBe('LEGACY');
});

test('surfaces tells what the server has and which credentials came, without a call', async () => {
  const own = await startGraph({ environment: { LEGACY_API_URL: '' } });
  const { data } = await own.query('{ surfaces { surface isConfigured hasCredential } }', {
    headers: own.caller.token,
  });
  expect(data.surfaces).toEqual([
    { surface: 'CURRENT', isConfigured: true, hasCredential: false },
    { surface: 'LEGACY', isConfigured: false, hasCredential: true },
  ]);
  expect(own.sandbox.requests.count()).toBe(0);
});

test('of two configured surfaces the one with a credential is asked, of one configured that one', async () => {
  const own = await startGraph({ environment: { CURRENT_API_URL: '' } });
  const { data, errors } = await own.query('{ accounts(first: 1) { nodes { surface } } }');
  expect(errors).toEqual([]);
  const [first] = data.accounts.nodes as Listed[];
  expect(first?.surface).toBe('LEGACY');
});
