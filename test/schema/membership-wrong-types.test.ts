import { expect, test } from 'vitest';
import { planCalls } from '../conformance/interface-plan-fields.ts';
import { errorsOf } from '../support/answers.ts';
import { record } from '../support/readings.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { MISSING } from '../support/wire-changes.ts';
import { changing, expectWrongValuesToSpoil, shownFields } from '../support/wrong-fields.ts';

const graph = shareGraph();
const membership = planCalls['GET /membership/plan/list'];
const isFeature = (wire: string): boolean => wire.startsWith('currentPlan.features.');
const fields = shownFields(membership).filter(([wire]) => !isFeature(wire));

test.each(fields)('a membership whose %s is wrong loses that field alone', async (wire, shows) => {
  await expectWrongValuesToSpoil(graph, membership, wire, shows);
});

test('a membership whose currentPlan is no object, or an empty one, loses its plan alone', async () => {
  await expectWrongValuesToSpoil(graph, membership, 'currentPlan', { currentPlan: record });
});

const FEATURES = `{ membership {
  connectedAccountCount
  currentPlan { name features { key isEnabled limit text } team: feature(key: "Team Members") { limit } }
} }`;

test.each([
  [MISSING, null],
  [null, null],
  ['', null],
  [[], null],
  ['null', null],
  [{}, []],
])('a plan whose features are %o has %o of them', async (features, shown) => {
  graph.sandbox.faults.add(changing('GET /membership/plan/list', 'response.currentPlan.features', features));
  const { data, errors } = await graph.query(FEATURES);
  expect(errors).toEqual([]);
  expect(data.membership.currentPlan).toEqual({ name: 'Small Team', features: shown, team: null });
});

test.each([0, 'Y', [1], 1e21, true])('a plan whose features are %o loses them alone', async (features) => {
  graph.sandbox.faults.add(changing('GET /membership/plan/list', 'response.currentPlan.features', features));
  const answer = await graph.query(FEATURES);
  expect(errorsOf(answer)).toEqual([
    'membership.currentPlan.features UPSTREAM_MALFORMED',
    'membership.currentPlan.team UPSTREAM_MALFORMED',
  ]);
  expect(answer.data.membership).toMatchObject({
    connectedAccountCount: 14,
    currentPlan: { name: 'Small Team', features: null },
  });
});

interface Feature {
  readonly key: string;
  readonly isEnabled: boolean | null;
  readonly limit: number | null;
  readonly text: string;
}

async function featuresWith(
  value: unknown,
): Promise<{ features: Feature[] | null; team: unknown; errors: string[] }> {
  graph.sandbox.faults.clear();
  graph.sandbox.faults.add(
    changing('GET /membership/plan/list', 'response.currentPlan.features.White Label', value),
  );
  const answer = await graph.query(FEATURES);
  const { features, team } = answer.data.membership.currentPlan as {
    features: Feature[] | null;
    team: unknown;
  };
  return { features, team, errors: errorsOf(answer) };
}

const LONG = 'x'.repeat(10_000);

test.each([
  ['Yes', { isEnabled: true, limit: null, text: 'Yes' }],
  ['No', { isEnabled: false, limit: null, text: 'No' }],
  ['Y', { isEnabled: null, limit: null, text: 'Y' }],
  ['yes', { isEnabled: null, limit: null, text: 'yes' }],
  ['50 per day', { isEnabled: null, limit: null, text: '50 per day' }],
  [0, { isEnabled: null, limit: 0, text: '0' }],
  [-1, { isEnabled: null, limit: -1, text: '-1' }],
  [2.5, { isEnabled: null, limit: null, text: '2.5' }],
  [3_000_000_000, { isEnabled: null, limit: null, text: '3000000000' }],
  [1e21, { isEnabled: null, limit: null, text: '1e+21' }],
])('a feature that is %o shows as %o', async (value, shown) => {
  await expectFeature(value, shown);
});

test('a feature that is a text of any length shows as that text', async () => {
  await expectFeature(LONG, { isEnabled: null, limit: null, text: LONG });
});

async function expectFeature(value: unknown, shown: Omit<Feature, 'key'>): Promise<void> {
  const { features, team, errors } = await featuresWith(value);
  expect(errors).toEqual([]);
  expect(features).toHaveLength(39);
  expect(features?.find(({ key }) => key === 'White Label')).toEqual({ key: 'White Label', ...shown });
  expect(team).toEqual({ limit: 4 });
}

test('a feature that is not sent is not among the features, and the others stand', async () => {
  const { features, team, errors } = await featuresWith(MISSING);
  expect(errors).toEqual([]);
  expect(features).toHaveLength(38);
  expect(team).toEqual({ limit: 4 });
});

test.each([null, ''])('a feature that is %o says nothing, and the others stand', async (value) => {
  const { features, team, errors } = await featuresWith(value);
  expect(errors).toEqual([]);
  expect(features).toHaveLength(39);
  expect(features?.find(({ key }) => key === 'White Label')).toMatchObject({
    isEnabled: null,
    limit: null,
    text: '',
  });
  expect(team).toEqual({ limit: 4 });
});

test.each([[[]], [{}], [[1]], [true], [{ included: 'Yes' }]])(
  'a feature that is %o leaves the other features as they are',
  async (value) => {
    const { features, team } = await featuresWith(value);
    expect(features?.filter(({ key }) => key !== 'White Label')).toHaveLength(38);
    expect(team).toEqual({ limit: 4 });
  },
);

test.each([
  'Two-Factor Authorization',
  'Password Manager',
  'Social Inbox Tokens',
  'Single Sign-On Session Key',
])('a feature whose name is %s is a feature like any other', async (key) => {
  graph.sandbox.faults.add(
    changing('GET /membership/plan/list', `response.currentPlan.features.${key}`, 'Yes'),
  );
  const { data, errors } = await graph.query(
    `{ membership { currentPlan { feature(key: "${key}") { key isEnabled } features { key } } } }`,
  );
  expect(errors).toEqual([]);
  expect(data.membership.currentPlan.feature).toEqual({ key, isEnabled: true });
  expect(data.membership.currentPlan.features).toHaveLength(40);
});
