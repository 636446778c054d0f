import { expect, test } from 'vitest';
import { ConfigError, readConfig, type Environment } from '../../src/config.ts';

const SECRET = 'planted-secret-of-the-operator';
const CREDENTIALS = ['API_KEY', 'ACCESS_TOKEN'] as const;
const ELSEWHERE = ['0.0.0.0', '::', '10.0.0.7', 'graph.example', '127.0.0.1.graph.example'];

function problemsOf(environment: Environment): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.message).not.toContain(SECRET);
    return error.problems;
  }
}

test.each(CREDENTIALS)('%s alone is enough while only this machine can reach the server', (name) => {
  for (const HOST of ['127.0.0.1', '127.9.9.9', '::1', 'localhost'])
    expect(problemsOf({ HOST, [name]: SECRET }), HOST).toEqual([]);
});

test.each(CREDENTIALS)('%s refuses the start for anybody else’s ears, without being repeated', (name) => {
  for (const HOST of ELSEWHERE)
    expect(problemsOf({ HOST, [name]: SECRET }), HOST).toEqual([
      expect.stringMatching(`^${name}: .*CLIENT_TOKENS`),
    ]);
});

test.each(CREDENTIALS)('%s is taken anywhere beside tokens of its clients', (name) => {
  for (const HOST of ELSEWHERE)
    expect(problemsOf({ HOST, [name]: SECRET, CLIENT_TOKENS: `${SECRET}-1` }), HOST).toEqual([]);
});

test('an empty list of tokens guards nothing', () => {
  for (const CLIENT_TOKENS of ['', ' ', ',', ' , '])
    expect(problemsOf({ HOST: '0.0.0.0', API_KEY: SECRET, CLIENT_TOKENS }), CLIENT_TOKENS).toHaveLength(1);
});

test('both credentials are named where both would be given away', () => {
  const names = problemsOf({ HOST: '0.0.0.0', API_KEY: SECRET, ACCESS_TOKEN: SECRET }).map(
    (problem) => problem.split(':')[0],
  );
  expect(names).toEqual(['API_KEY', 'ACCESS_TOKEN']);
});

test.each([
  'short',
  '123456789012345',
  `long-enough-for-all,short`,
  `${SECRET} ${SECRET}`,
  `${SECRET}\u00e9`,
])('the client tokens %j are refused without being repeated', (CLIENT_TOKENS) => {
  const problems = problemsOf({ CLIENT_TOKENS });
  expect(problems).toEqual([expect.stringMatching(/^CLIENT_TOKENS: /)]);
  for (const token of CLIENT_TOKENS.split(',')) expect(problems.join('')).not.toContain(token);
});

test.each(CREDENTIALS)('%s can’t hold what no header can, and is not repeated', (name) => {
  for (const value of [`${SECRET}\r\nx: y`, `${SECRET} x`, `${SECRET}\u0000`, `ключ-${SECRET}`])
    expect(problemsOf({ [name]: value }), value).toEqual([expect.stringMatching(`^${name}: `)]);
});

test('without credentials of the operator nobody needs a token, wherever the server listens', () => {
  const { clientTokens, operator } = readConfig({ HOST: '0.0.0.0' });
  expect([clientTokens, operator]).toEqual([[], { apiKey: null, accessToken: null }]);
});
