import { expect, test } from 'vitest';
import { type RunningGraph, shareGraph, startGraph } from '../support/graph.ts';
import { leaksIn } from '../support/leaks.ts';
import { changing, changingPage, onlyFaults } from '../support/sandbox.ts';
import { write } from '../support/writes.ts';

const graph = shareGraph();
const PLAN_LIST = 'GET /membership/plan/list';

const FEATURES = `{ membership {
  connectedAccountCount
  currentPlan { name features { key isEnabled limit text } team: feature(key: "Team Members") { limit } }
} }`;

/** Reads the plan with other features. */
async function readWith(features: unknown, query = FEATURES) {
  onlyFaults(graph.sandbox, changing(PLAN_LIST, 'response.currentPlan.features', features));
  return await graph.query(query);
}

const LONG = 'x'.repeat(10_000);
const NOTHING = { isEnabled: null, limit: null, text: '' };
const READABLE: readonly (readonly [value: unknown, shown: object])[] = [
  ['Yes', { isEnabled: true, limit: null, text: 'Yes' }],
  ['No', { isEnabled: false, limit: null, text: 'No' }],
  ['Y', { isEnabled: null, limit: null, text: 'Y' }],
  ['yes', { isEnabled: null, limit: null, text: 'yes' }],
  ['50 per day', { isEnabled: null, limit: null, text: '50 per day' }],
  [LONG, { isEnabled: null, limit: null, text: LONG }],
  [0, { isEnabled: null, limit: 0, text: '0' }],
  [-1, { isEnabled: null, limit: -1, text: '-1' }],
  [2.5, { isEnabled: null, limit: null, text: '2.5' }],
  [3_000_000_000, { isEnabled: null, limit: null, text: '3000000000' }],
  [1e21, { isEnabled: null, limit: null, text: '1e+21' }],
  [null, NOTHING],
  ['', NOTHING],
];

test('a feature is on or off, a limit or a text', async () => {
  const features = Object.fromEntries(READABLE.map(([value], index) => [`feature ${index}`, value]));
  const { data, errors } = await readWith({ ...features, 'Team Members': 4 });
  expect(errors).toEqual([]);
  expect(data.membership.currentPlan.features).toEqual([
    ...READABLE.map(([, feature], index) => ({ key: `feature ${index}`, ...feature })),
    { key: 'Team Members', isEnabled: null, limit: 4, text: '4' },
  ]);
  expect(data.membership.currentPlan.team).toEqual({ limit: 4 });
});

test('features of any name can be read by it, and no others', async () => {
  const keys = ['Brand new', 'Two-Factor Authorization', 'Password Manager', 'Social Inbox Tokens'];
  const absent = ['Team Members', 'constructor', '__proto__', 'toString', ''];
  const fields = [...keys, ...absent].map((key, index) => `f${index}: feature(key: "${key}") { key }`);
  const { data, errors } = await readWith(
    Object.fromEntries(keys.map((key) => [key, 'Yes'])),
    `{ membership { currentPlan { features { key } ${fields.join(' ')} } } }`,
  );
  expect(errors).toEqual([]);
  const { features, ...single } = data.membership.currentPlan as Readonly<Record<string, unknown>>;
  expect(features).toEqual(keys.map((key) => ({ key })));
  expect(Object.values(single)).toEqual([...keys.map((key) => ({ key })), ...absent.map(() => null)]);
});

// What a session shows is in the table of test/conformance.

const ALL = `session {
  portalUrl sessionId accessUrl token status createdAt expiresAt customerId redirectUrl
  linkedCustomers { customerId email hasBillingAddress hasPaymentMethod hasActiveSubscription }
}`;
const CREATE = 'GET /payment/billing/portalcreate';

const create = (running: RunningGraph) =>
  write(running, 'createBillingPortalSession', {}, { selection: ALL });

test('nothing of a session is in the log, whatever comes of it', async () => {
  const own = await startGraph();
  await create(own);
  const damage = {
    'portal.created_at': 'long ago',
    'portal.linked_customers': 'nobody',
    'portal.access_url': 7,
  };
  own.sandbox.faults.add(changingPage(CREATE, damage));
  await own.query(`mutation { createBillingPortalSession { ${ALL} } }`);
  onlyFaults(own.sandbox, { kind: 'cut-body', framing: 'close', effect: 'done', endpoint: CREATE });
  await create(own);
  const secrets = own.sandbox.secrets.billingSessions;
  expect(secrets).toHaveLength(3);
  expect(own.log.length).toBeGreaterThanOrEqual(3);
  expect(leaksIn(own.log, [...secrets, 'portal_', 'billing@kelpgate.example'])).toEqual([]);
});
