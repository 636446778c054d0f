import { beforeEach, expect, test } from 'vitest';
import { onlyError } from '../support/answers.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingEach } from '../support/wire-changes.ts';

const graph = shareGraph();
beforeEach(() => graph.sandbox.faults.clear());

const digits = '0123456789abcdefABCDEF';
const SURFACES = {
  CURRENT: { endpoint: 'GET /accounts/list', body: (message: string) => ({ message }) },
  LEGACY: { endpoint: 'GET /oauth/accounts', body: (msg: string) => ({ error: 1, msg }) },
} as const;
type Surface = keyof typeof SURFACES;

async function wordsOf(surface: Surface, words: string, more: object = {}): Promise<string> {
  const { endpoint, body } = SURFACES[surface];
  graph.sandbox.faults.clear();
  graph.sandbox.faults.add({ kind: 'status', status: 400, body: { ...body(words), ...more }, endpoint });
  const { message } = onlyError(await graph.query(`{ accounts(surface: ${surface}) { totalCount } }`));
  return message.replace(/^.*The service says: /, '');
}

/** Words of a failure, and how they read without the secret. */
const WORDS: readonly (readonly [words: string, clean: string])[] = [
  [`Invalid token EAAB${digits}ZDZD for the page`, 'Invalid token [redacted] for the page'],
  [`Bearer ${digits} was refused`, 'Bearer [redacted] was refused'],
  [`The network said: EAAB${digits}ZDZD`, 'The network said: [redacted]'],
  [`ya29.${digits} is not valid`, '[redacted] is not valid'],
  [`sk_live_${digits} is not valid`, '[redacted] is not valid'],
  [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${digits} is not valid`, '[redacted] is not valid'],
  [`GET /me?access_token=${digits}&fields=id failed`, 'GET /me?access_token=[redacted]&fields=id failed'],
  [`password: ${digits}, user: x`, 'password: [redacted], user: x'],
  [`the secret is ${digits}`, 'the secret is [redacted]'],
];
const CASES = (['CURRENT', 'LEGACY'] as const).flatMap((surface) =>
  WORDS.map(([words, clean]) => [surface, words, clean] as const),
);

test.each(CASES)('the %s surface says %j, and the error %j', async (surface, words, clean) => {
  expect(await wordsOf(surface, words)).toBe(clean);
  expect(graph.log.join('\n')).not.toContain(digits);
});

test.each(['CURRENT', 'LEGACY'] as const)(
  'control: words of the %s surface that hold no token come as they are',
  async (surface) => {
    for (const words of [
      'Invalid token.',
      'Bearer token expected',
      'Post 1234567890123456789 was not found',
      'The access token has expired; reconnect account 410201 (code 190)',
    ])
      expect(await wordsOf(surface, words)).toBe(words);
  },
);

test.each(['CURRENT', 'LEGACY'] as const)(
  'the %s surface says both credentials of its caller, and the error neither',
  async (surface) => {
    const { apiKey, accessToken } = graph.sandbox.owners[0];
    for (const secret of [apiKey, accessToken]) {
      // A word that tells of no secret: the value alone is what is known.
      expect(await wordsOf(surface, `No "${secret}" here`)).toBe('No "[redacted]" here');
    }
  },
);

test.each(['CURRENT', 'LEGACY'] as const)(
  'the %s surface says a credential that its failed answer holds as a field, and the error does not',
  async (surface) => {
    const secret = 'quiet-words-of-nobody';
    expect(await wordsOf(surface, `The page ${secret} is gone`, { data: [{ accessToken: secret }] })).toBe(
      'The page [redacted] is gone',
    );
    expect(await wordsOf(surface, `The page ${secret} is gone`)).toBe(`The page ${secret} is gone`);
  },
);

test('a token as the name of a field is in no log line, and ordinary names are', async () => {
  const tokens = [
    `EAAB${digits}`,
    `ghp_${digits}`,
    'eyJhbGciOiJIUzI1NiJ9',
    '4f2a9c0e7b5d4f2a',
    'EAABwzLixnjYBAKqRsTuVwXyZaBcDeFg',
    `AKIA${digits.slice(0, 10)}ABCDEF`,
  ];
  graph.sandbox.faults.add(
    changingEach('GET /accounts/list', () => ({
      ...Object.fromEntries(tokens.map((token) => [token, 1])),
      moodRing: 'green',
    })),
  );
  await graph.query('{ accounts(first: 1, surface: CURRENT) { nodes { displayName } } }');
  const log = graph.log.join('\n');
  expect(log).toContain('"moodRing"');
  expect(log).toContain('"(no name)"');
  for (const token of tokens) expect(log).not.toContain(token);
  const metrics = await (await fetch(`${graph.url}/metrics`)).text();
  for (const token of tokens) expect(metrics).not.toContain(token);
});
