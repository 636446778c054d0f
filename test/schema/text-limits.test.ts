import { expect, test } from 'vitest';
import { TEXT_LIMITS } from '../../packages/text-length/src/text-length.ts';
import { MAX_TEXT } from '../../src/writes/problems.ts';
import { onlyError } from '../support/answers.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { openTransport } from '../support/transports.ts';
import { EXAMPLES } from '../support/writes.ts';

const graph = shareGraph();
const LIMITS = `query ($text: String) { textLimits(text: $text) { network field unit max length } }`;

async function lengthsOf(text?: string | null): Promise<readonly (number | null)[]> {
  const { data, errors } = await graph.query(LIMITS, { variables: { text } });
  expect(errors).toEqual([]);
  return (data.textLimits as { length: number | null }[]).map(({ length }) => length);
}

const countsOf = (weighted: number, points: number, units: number): number[] =>
  TEXT_LIMITS.map(
    ({ unit }) => ({ WEIGHTED_CHARACTERS: weighted, CHARACTERS: points, UTF16_UNITS: units })[unit],
  );

test('the limits are those of the warnings, without a length if no text is given, and without a credential', async () => {
  const { data } = await graph.query(LIMITS, { headers: {} });
  expect(data.textLimits).toEqual(
    TEXT_LIMITS.map(({ field, ...limit }) => ({ ...limit, field: field.toUpperCase(), length: null })),
  );
  expect(data.textLimits[0]).toEqual({
    network: 'X',
    field: 'TEXT',
    unit: 'WEIGHTED_CHARACTERS',
    max: 280,
    length: null,
  });
  expect(await lengthsOf(null)).toEqual(TEXT_LIMITS.map(() => null));
});

test.each<[text: string, weighted: number, points: number, units: number]>([
  ['', 0, 0, 0],
  ['Doors at seven.', 15, 15, 15],
  ['https://kelpgate.example.com/menu', 23, 33, 33],
  ['👋🏽', 2, 2, 4],
  ['日本', 4, 2, 2],
  ['e\u0301', 1, 2, 2],
])('the length of %j is given in the unit of each limit', async (text, ...counts) => {
  expect(await lengthsOf(text)).toEqual(countsOf(...counts));
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('a length that exceeds the limit is the one in the warning', async () => {
  const text = '日'.repeat(183);
  const { data: listed } = await graph.query('{ accounts(filter: { networks: [X] }) { nodes { id } } }');
  const input = {
    ...EXAMPLES.createPost,
    accountIds: [listed.accounts.nodes[0].id],
    variants: [{ variant: 'ORIGINAL', text }],
  };
  const { data } = await graph.query(
    'query ($input: CreatePostInput!) { validatePost(input: $input) { warnings { message } } }',
    { variables: { input } },
  );
  expect(await lengthsOf(text)).toEqual(countsOf(366, 183, 183));
  expect(JSON.stringify(data.validatePost.warnings)).toContain('366 characters as X counts them');
});

test('a text is measured up to the length that a post can hold; a longer or broken one is refused', async () => {
  expect(await lengthsOf('a'.repeat(MAX_TEXT))).toEqual(countsOf(MAX_TEXT, MAX_TEXT, MAX_TEXT));
  for (const text of ['a'.repeat(MAX_TEXT + 1), 'a\ud83d']) {
    const answer = await graph.query(LIMITS, { variables: { text } });
    expect(onlyError(answer)).toMatchObject({ path: ['textLimits'], extensions: { code: 'BAD_USER_INPUT' } });
    expect(onlyError(answer).message).toMatch(/^text /);
    expect(answer.data).toEqual({ textLimits: null });
  }
});

test('measuring long texts under many aliases is refused before it is done', async () => {
  const lengths = Array.from({ length: 30 }, (_, index) => `a${index}: length`).join(' ');
  const answer = await openTransport(
    'HTTP',
    graph.url,
    graph.caller.both,
  )({
    query: `query ($text: String) { textLimits(text: $text) { ${lengths} } }`,
    variables: { text: 'a'.repeat(MAX_TEXT) },
  });
  expect(onlyError(answer).extensions['code']).toBe('LIMIT_EXCEEDED');
});
