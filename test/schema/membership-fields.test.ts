import { isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { clientOf } from '../../packages/sandbox/test/running-sandbox.ts';
import { callsOf } from '../support/calls.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changing } from '../support/wire-changes.ts';

const graph = shareGraph();
const PLAN_LIST = 'GET /membership/plan/list';

const FIELDS = `
  isDiscountActive isOptionDiscountActive discountPercent billingCycleCount isBiannual biannualDiscountPercent
  connectedAccountCount connectedAdAccountCount proposedPlans plans
  currentPlan {
    name typeCode membershipId mmId price planKey planGroup summary
    features { key isEnabled limit text }
    team: feature(key: "Team Members") { key isEnabled limit text }
    none: feature(key: "Teleportation") { key }
  }`;

const MEMBERSHIP = {
  isDiscountActive: false,
  isOptionDiscountActive: false,
  discountPercent: 0,
  billingCycleCount: 1,
  isBiannual: true,
  biannualDiscountPercent: 15,
  connectedAccountCount: 14,
  connectedAdAccountCount: 1,
  proposedPlans: [{ planName: 'Studio', membershipId: 338, price: '85.00' }],
  plans: [
    { planName: 'Small Team', membershipId: 318, price: '42.50' },
    { planName: 'Studio', membershipId: 338, price: '85.00' },
  ],
};

const PLAN = {
  name: 'Small Team',
  typeCode: 'Y',
  membershipId: '318',
  mmId: '4318',
  price: '42.50',
  planKey: 'small-team-monthly',
  planGroup: 'standard',
  summary: ['Everything a small shop needs', '60 posts in the queue'],
  team: { key: 'Team Members', isEnabled: null, limit: 4, text: '4' },
  none: null,
};

function fieldsOf(type: string): string[] {
  const definition = schema.getType(type);
  return isObjectType(definition) ? Object.keys(definition.getFields()).toSorted() : [];
}

test('the tests of fields cover every field of a membership and of its plan', () => {
  expect(fieldsOf('Membership')).toEqual([...Object.keys(MEMBERSHIP), 'currentPlan'].toSorted());
  const { team: _team, none: _none, ...plan } = PLAN;
  expect(fieldsOf('MembershipPlan')).toEqual([...Object.keys(plan), 'features', 'feature'].toSorted());
});

test('the membership is true to the service in every field, with one call', async () => {
  const { data, errors } = await graph.query(`{ membership { ${FIELDS} } again: membership { plans } }`);
  expect(errors).toEqual([]);
  const { features, ...plan } = data.membership.currentPlan;
  expect({ ...data.membership, currentPlan: null }).toEqual({ ...MEMBERSHIP, currentPlan: null });
  expect(plan).toEqual(PLAN);
  expect(features).toHaveLength(39);
  expect(callsOf(graph)).toEqual({ [PLAN_LIST]: 1 });
});

const isYesNo = (value: unknown): boolean => value === 'Yes' || value === 'No';

test('the features are the service’s whole map, in its order', async () => {
  const { get } = clientOf(graph.sandbox);
  const map = (await get('/membership/plan/list')).at('response.currentPlan.features') as Record<
    string,
    string | number
  >;
  const { data } = await graph.query(`{ membership { ${FIELDS} } }`);
  expect(data.membership.currentPlan.features).toEqual(
    Object.entries(map).map(([key, value]) => ({
      key,
      isEnabled: isYesNo(value) ? value === 'Yes' : null,
      limit: typeof value === 'number' ? value : null,
      text: String(value),
    })),
  );
});

test('a feature that the service adds or drops is there or not, without further ado', async () => {
  graph.sandbox.faults.add(
    changing(PLAN_LIST, 'response.currentPlan.features', { 'Brand new': 'Yes', Post: '7 a day' }),
  );
  const { data, errors } = await graph.query(
    '{ membership { currentPlan { features { key text } feature(key: "Brand new") { isEnabled } } } }',
  );
  expect(errors).toEqual([]);
  expect(data.membership.currentPlan).toEqual({
    features: [
      { key: 'Brand new', text: 'Yes' },
      { key: 'Post', text: '7 a day' },
    ],
    feature: { isEnabled: true },
  });
});

test.each(['constructor', '__proto__', 'toString', ''])(
  'a feature called %o is none that every object has',
  async (key) => {
    const { data, errors } = await graph.query(
      'query ($key: String!) { membership { currentPlan { feature(key: $key) { text } } } }',
      {
        variables: { key },
      },
    );
    expect(errors).toEqual([]);
    expect(data.membership.currentPlan.feature).toBeNull();
  },
);

test.each([
  ['CREDENTIAL_MISSING', 'token'],
  ['CREDENTIAL_MISSING', 'none'],
] as const)('without an API key the membership is null with %s', async (code, sent) => {
  const headers = sent === 'token' ? graph.caller.token : {};
  const { data, errors } = await graph.query('{ membership { isBiannual } surfaces { surface } }', {
    headers,
  });
  expect(data.membership).toBeNull();
  expect(data.surfaces).toHaveLength(2);
  expect(errors.map(({ extensions }) => extensions['code'])).toEqual([code]);
  expect(graph.sandbox.requests.count()).toBe(0);
});
