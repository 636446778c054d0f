import { expect, test } from 'vitest';
import { blankRuns, REDACTED, searchBudget, type Run } from '../../src/sources/blank-runs.ts';
import { blankSecrets, cleanText, withoutSecrets } from '../../src/sources/redact.ts';
import { secretsIn } from '../../src/sources/secrets.ts';
import { cases } from '../support/depth.ts';
import { cpuMsOf, costOf, MOST_GROWTH } from '../support/cpu.ts';

/** The largest answer has 30,000; a time that grows with the square of it shows with fewer. */
const MANY = cases(3_000, 30_000);
const LEAST_CHARS = 160;

/** Looks random, and is the same each time. */
const random = (seed: number): string =>
  ((seed * 2_654_435_761) % 4_294_967_296).toString(36) + seed.toString(36).padStart(4, 'x');

type Answer = { readonly secrets: readonly object[]; readonly texts: readonly string[] };
const answer = (
  size: number,
  secret: (index: number) => string,
  said: (index: number) => string,
): Answer => ({
  secrets: Array.from({ length: size }, (_, index) => ({ accessToken: secret(index) })),
  texts: Array.from({ length: size }, (_, index) => said(index)),
});

/** Answers of 5 to 8 MB for 30,000 secrets, each of which is the worst for one way of searching. */
const ANSWERS: Readonly<Record<string, (size: number) => Answer>> = {
  'values that have nothing in common': (size) =>
    answer(
      size,
      (index) => random(index) + random(index + 7),
      (index) => `text ${index} ${'lorem ipsum '.repeat(14)} ${random(index * 3)}`,
    ),
  'values that begin alike': (size) =>
    answer(
      size,
      (index) => 'a'.repeat(40) + index,
      () => 'a'.repeat(120),
    ),
  'short values that begin alike': (size) =>
    answer(
      size,
      (index) => `aaaaaa${index === 0 ? '' : index}`,
      () => 'aaaaa '.repeat(30),
    ),
  'texts of Base64': (size) =>
    answer(
      size,
      (index) => `s${random(index)}`,
      (index) => Array.from({ length: 12 }, (_, word) => `Q${random(index * 12 + word)}QmFz`).join(' '),
    ),
  'values that are spelt in many ways': (size) =>
    answer(
      size,
      (index) => `<"&+/=${random(index)}`,
      (index) => `${'&lt;&quot;&amp; %3C%22%26 <"&+/= '.repeat(5)}${index}`,
    ),
};

/**
 * How often an answer may be parsed in the time that its secrets take, which is 10 to 150 times: a search for each of them
 * in each text takes 5,000 times as long as parsing, and more; some 500 times for the fewer ones.
 */
const MOST_PARSINGS = 400;
const PARSINGS = 20;

test.each(Object.entries(ANSWERS))(
  'many secrets and as many texts, %s: the time grows with the answer, not with its square',
  (_name, make) => {
    const cleaning = costOf((size) => withoutSecrets(make(size)), MANY);
    expect(cleaning.growth).toBeLessThan(MOST_GROWTH);
    const text = JSON.stringify(make(MANY));
    expect(text.length).toBeGreaterThan(LEAST_CHARS * MANY);
    const parsing = cpuMsOf(() => {
      for (let time = 0; time < PARSINGS; time += 1) JSON.parse(text);
    });
    expect(cleaning.ms / (parsing / PARSINGS)).toBeLessThan(MOST_PARSINGS);
  },
);

test('control: a search for each secret in each text takes many times as long, for few of them already', () => {
  const few = ANSWERS['values that have nothing in common']?.(1_500) as Answer;
  const values = secretsIn(few).documented;
  let found = 0;
  const oneByOne = cpuMsOf(() => {
    for (const text of few.texts) for (const value of values) found += Number(text.includes(value));
  });
  expect(found).toBe(0);
  expect(oneByOne / cpuMsOf(() => withoutSecrets(few))).toBeGreaterThan(3);
});

test('of many secrets each is found in its own text', () => {
  const whole = answer(
    MANY,
    (index) => random(index) + random(index + 7),
    (index) => `by ${random(index) + random(index + 7)}.`,
  );
  const clean = withoutSecrets(whole) as Answer;
  expect(new Set(clean.texts)).toEqual(new Set([`by ${REDACTED}.`]));
});

test('a text hardly longer than the secrets is cleaned like the same text within a long one', () => {
  const secrets = [
    'harbour-',
    'harbour-light',
    'arbour-9',
    ...Array.from({ length: 20 }, (_, index) => `value-${index}-of-20`),
  ];
  const known = secretsIn(secrets.map((accessToken) => ({ accessToken })));
  const texts = [
    'harbour-',
    'xharbour-',
    'harbour-ligh',
    'harbour-light',
    'harbour-light!',
    'harbour-9',
    'harbou-',
    ' value-7-of-20',
  ];
  const long = '. '.repeat(200);
  for (const text of texts) expect(cleanText(text + long, known)).toBe(cleanText(text, known) + long);
  expect(texts.map((text) => cleanText(text, known))).toEqual([
    REDACTED,
    `x${REDACTED}`,
    `${REDACTED}ligh`,
    REDACTED,
    `${REDACTED}!`,
    // Two that overlap.
    REDACTED,
    'harbou-',
    ` ${REDACTED}`,
  ]);
});

/** More than a regular expression can take at once, as a control shows. */
const LONG_CHARS = 7_000_000;
const LONG: Readonly<Record<string, string>> = {
  'one word': 'token='.repeat(LONG_CHARS / 6),
  'many words': 'token=abcdefgh '.repeat(LONG_CHARS / 15),
  'a value': `token=${'a'.repeat(LONG_CHARS)}`,
  'a name': `${'a'.repeat(LONG_CHARS)}token=abcdefgh`,
  'an address': `https://x.example/?${'&access_token=abcdefgh'.repeat(LONG_CHARS / 22)}`,
  'the parameter of an address': `https://x.example/?access_token=${'a'.repeat(LONG_CHARS)}`,
  'white space': `token${' '.repeat(LONG_CHARS)}=abcdefgh`,
  cookies: 'cookie: a=b; '.repeat(LONG_CHARS / 13),
};

test.each(Object.entries(LONG))(
  'megabytes of assignments, %s: no regular expression overflows',
  (_name, text) => {
    const parsing = cpuMsOf(() => JSON.parse(JSON.stringify(text)));
    const cleaning = cpuMsOf(() => {
      withoutSecrets([text]);
      blankSecrets(text, ['another-secret']);
      cleanText(text, secretsIn({ accessToken: 'another-secret' }));
    });
    expect(cleaning / Math.max(parsing, 10)).toBeLessThan(MOST_PARSINGS);
  },
);

test('control: a regular expression that takes a value at once overflows', () => {
  const atOnce = /(token)=([^\s"]{4,})/gi;
  expect(() => (LONG['one word'] ?? '').replaceAll(atOnce, '')).toThrow(RangeError);
});

const ASSIGNED: Run = { head: /token=/g, rest: /\w{1,8}/y, keepsHead: true };

test('what follows when the budget is spent is blanked, and what came before stands', () => {
  const budget = searchBudget(8);
  const text = `first token=abc second ${'token=abc '.repeat(1_000)}end`;
  const clean = blankRuns(text, ASSIGNED, budget);
  expect(clean.startsWith(`first token=${REDACTED} second token=${REDACTED}`)).toBe(true);
  expect(clean).not.toContain('abc');
  expect(clean.endsWith(REDACTED)).toBe(true);
});

test('ordinary texts cost nothing, however often they are read', () => {
  const budget = searchBudget(8);
  for (let time = 0; time < 1_000; time += 1)
    expect(blankRuns('the token=abc is old', ASSIGNED, budget)).toBe(`the token=${REDACTED} is old`);
  expect(budget.steps).toBe(8);
});

test('a page that is read a hundred times by many is the same each time', () => {
  const records = Array.from({ length: 100 }, (_, index) => ({
    accessToken: `secret-${random(index)}`,
    picture: `https://pictures.example.com/harbour/${random(index)}${random(index + 1)}${random(index + 2)}.png`,
    about: `by secret-${random(index)}, who wrote ${'many words '.repeat(20)}`,
  }));
  const secrets = secretsIn(records);
  const read = (): string[] =>
    records.flatMap(({ picture, about }) => [cleanText(picture, secrets), cleanText(about, secrets)]);
  const first = read();
  expect(first[0]).toBe(records[0]?.picture);
  expect(first[1]).toContain('many words');
  const { steps } = secrets.budget();
  for (let time = 0; time < 100; time += 1) read();
  expect(read()).toEqual(first);
  expect(secrets.budget().steps).toBe(steps);
});
