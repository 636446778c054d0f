import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changing, MISSING } from '../support/wire-changes.ts';

const graph = shareGraph();

const PLAN_LIST = 'GET /membership/plan/list';
const FEATURES = `{ membership {
  connectedAccountCount
  currentPlan { name features { key isEnabled limit text } team: feature(key: "Team Members") { limit } }
} }`;

async function readPlanWith(features: unknown) {
  graph.sandbox.faults.clear();
  graph.sandbox.faults.add(changing(PLAN_LIST, 'response.currentPlan.features', features));
  return await graph.query(FEATURES);
}

test('a plan whose features are absent has none, and one whose features are an empty object an empty list', async () => {
  for (const features of [MISSING, null, '', [], 'null', {}]) {
    const { data, errors } = await readPlanWith(features);
    expect(errors, inspect(features)).toEqual([]);
    const isEmpty = inspect(features) === '{}';
    expect(data.membership.currentPlan, inspect(features)).toEqual({
      name: 'Small Team',
      features: isEmpty ? [] : null,
      team: null,
    });
  }
});

test('a plan whose features are no object loses its features alone', async () => {
  for (const features of [0, 'Y', [1], 1e21, true]) {
    const answer = await readPlanWith(features);
    expect(errorsOf(answer), inspect(features)).toEqual([
      'membership.currentPlan.features UPSTREAM_MALFORMED',
      'membership.currentPlan.team UPSTREAM_MALFORMED',
    ]);
    expect(answer.data.membership).toMatchObject({
      connectedAccountCount: 14,
      currentPlan: { name: 'Small Team', features: null },
    });
  }
});

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

test('a feature says whether it is on, or how much there is of it, or is a text; an absent one says nothing', async () => {
  const features = Object.fromEntries(READABLE.map(([value], index) => [`feature ${index}`, value]));
  const { data, errors } = await readPlanWith({ ...features, 'Team Members': 4 });
  expect(errors).toEqual([]);
  const shown = READABLE.map(([, feature], index) => ({ key: `feature ${index}`, ...feature }));
  const team = { key: 'Team Members', isEnabled: null, limit: 4, text: '4' };
  expect(data.membership.currentPlan.features).toEqual([...shown, team]);
  expect(data.membership.currentPlan.team).toEqual({ limit: 4 });
});

test('a feature that is no text or number leaves the other features as they are', async () => {
  for (const value of [[], {}, [1], true, { included: 'Yes' }]) {
    const answer = await readPlanWith({ odd: value, 'White Label': 'Yes', 'Team Members': 4 });
    const { features, team } = answer.data.membership.currentPlan as {
      readonly features: readonly { readonly key: string }[];
      readonly team: unknown;
    };
    expect(
      features.filter(({ key }) => key !== 'odd'),
      inspect(value),
    ).toMatchObject([
      { key: 'White Label', isEnabled: true },
      { key: 'Team Members', limit: 4 },
    ]);
    expect(team, inspect(value)).toEqual({ limit: 4 });
  }
});

test('features whose names resemble those of secrets are features like any other', async () => {
  const keys = [
    'Two-Factor Authorization',
    'Password Manager',
    'Social Inbox Tokens',
    'Single Sign-On Session Key',
  ];
  graph.sandbox.faults.add(
    changing(PLAN_LIST, 'response.currentPlan.features', Object.fromEntries(keys.map((key) => [key, 'Yes']))),
  );
  const found = keys.map((key, index) => `f${index}: feature(key: "${key}") { key isEnabled }`);
  const { data, errors } = await graph.query(
    `{ membership { currentPlan { ${found.join(' ')} features { key } } } }`,
  );
  expect(errors).toEqual([]);
  const { features, ...single } = data.membership.currentPlan as Readonly<Record<string, unknown>>;
  expect(Object.values(single)).toEqual(keys.map((key) => ({ key, isEnabled: true })));
  expect(features).toEqual(keys.map((key) => ({ key })));
});
