import { Hono } from 'hono';
import { requireKey } from '../../credentials.ts';
import type { Account, Owner } from '../../data/model.ts';
import { findAccount } from '../../domain/accounts.ts';
import type { Quirks } from '../../quirks.ts';
import { Refusal, badParameter } from '../../refusal.ts';
import type { Routes, SandboxEnv, Service } from '../../service.ts';
import { accountDetail, accountItem, relationFields } from '../../wire/account.ts';
import { succeed } from '../../wire/envelope.ts';
import { listResponse, takePage } from '../paging.ts';
import { containing, idList, oneOf } from '../parameters.ts';
import type { Query } from '../parameters.ts';

/** GET /accounts/list and GET /accounts/view/{loginId}. */
export function accountRoutes(service: Service): Routes {
  const { quirks } = service;
  const routes: Routes = new Hono<SandboxEnv>();

  routes.get('/accounts/list', requireKey(service), (c) => {
    const owner = c.get('owner');
    const query: Query = (name) => c.req.query(name);
    const accountOnly = oneOf(query, 'onlyAccountData', ['true', 'false']) === 'true';
    const found = matchingAccounts(owner, query, quirks).toSorted(accountOrder(query));
    const lean = accountOnly && quirks.onlyAccountData === 'omits-relations';
    const encode = (account: Account) => (lean ? leanItem(account, owner) : accountItem(account, owner));
    return succeed(listResponse(takePage(found, query, quirks), encode), 'Accounts listed.');
  });

  routes.get('/accounts/view/:loginId', requireKey(service), (c) => {
    const text = c.req.param('loginId');
    if (!/^\d+$/.test(text)) throw badParameter('loginId', 'must be a whole number.');
    const account = findAccount(c.get('owner'), Number(text), 'current');
    if (!account)
      throw new Refusal(quirks.missingAccountStatus, 'loginId does not name an account.', 'loginId');
    return succeed(accountDetail(account, c.get('owner'), quirks), 'Account found.');
  });

  return routes;
}

function matchingAccounts(owner: Owner, query: Query, quirks: Quirks): Account[] {
  const named = containing(query, 'q');
  const platforms = idList(query, 'platform');
  const teams = query('team')?.split(',').filter(Boolean) ?? [];
  const clientId = query('clientId') ?? '';
  const inGroups = groupFilter(owner, query);
  const inState = quirks.multiFilter === 'states' ? stateFilter(query) : () => true;
  return owner.accounts.filter(
    (account) =>
      account.surfaces.current &&
      named(account.username) &&
      (platforms?.has(account.network.platformId) ?? true) &&
      (teams.length === 0 || teams.some((team) => account.teamIds.includes(team))) &&
      (clientId === '' || account.clientId === clientId) &&
      inGroups(account) &&
      inState(account),
  );
}

function groupFilter(owner: Owner, query: Query): (account: Account) => boolean {
  const ids = idList(query, 'groupId');
  if (!ids) return () => true;
  const members = new Set(
    owner.groups.filter((group) => ids.has(group.groupId)).flatMap((group) => group.members),
  );
  return (account) => members.has(account);
}

function stateFilter(query: Query): (account: Account) => boolean {
  const states = ['paused', 'locked', 'blocked'] as const;
  const asked = states.filter((state) => query('multiFilter')?.split(',').includes(state));
  return (account) => asked.length === 0 || asked.some((state) => account[state]);
}

type Order = (a: Account, b: Account) => number;

const orders: Readonly<Record<string, Order>> = {
  loginId: (a, b) => a.loginId - b.loginId,
  accountUsername: (a, b) => a.username.localeCompare(b.username, 'en'),
};

/** `sortBy` is one text of field and direction pairs, such as `accountUsername,ASC,loginId,DESC`. */
function accountOrder(query: Query): Order {
  const words = (query('sortBy') ?? '').split(',').filter(Boolean);
  const steps: Order[] = [];
  for (let index = 0; index < words.length; index += 2) {
    const order = orders[words[index] ?? ''];
    const direction = words[index + 1];
    if (!order || (direction !== 'ASC' && direction !== 'DESC')) {
      throw badParameter('sortBy', 'must be pairs of loginId or accountUsername and ASC or DESC.');
    }
    steps.push(direction === 'ASC' ? order : (a, b) => order(b, a));
  }
  return (a, b) => steps.map((step) => step(a, b)).find((difference) => difference !== 0) ?? 0;
}

function leanItem(account: Account, owner: Owner) {
  const omitted: readonly string[] = relationFields;
  return Object.fromEntries(
    Object.entries(accountItem(account, owner)).filter(([name]) => !omitted.includes(name)),
  );
}
