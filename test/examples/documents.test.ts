import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildSchema, NoUnusedFragmentsRule, parse, print, specifiedRules, validate, visit } from 'graphql';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const EXAMPLES = join(ROOT, 'examples');
const textOf = (file: string): string => readFileSync(join(EXAMPLES, file), 'utf8');
const schema = buildSchema(readFileSync(join(ROOT, 'schema.graphql'), 'utf8'));
const programs = readdirSync(EXAMPLES).filter((file) => file.endsWith('.js'));

/** What Relay’s compiler makes of a query, as far as it is looked at here. */
interface Artifact {
  readonly hash: string;
  readonly params: { readonly text: string };
}

/** What is wrong with a document; a fragment may stand alone. */
function problemsOf(text: string): string[] {
  const rules = specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule);
  return validate(schema, parse(text), rules).map(({ message }) => message);
}

test('every document of the programs is valid', () => {
  const documents = programs.flatMap((file) =>
    [...textOf(file).matchAll(/graphql\(`(.*?)`\)/gs)].map(([, text = '']) => text),
  );
  expect(documents.length).toBeGreaterThan(8);
  expect(documents.flatMap(problemsOf)).toEqual([]);
  expect(problemsOf('{ accounts(frist: 1) { totalCount } }')).toHaveLength(1);
});

test('every document of curl is valid', () => {
  const documents = [...textOf('curl.sh').matchAll(/"query": ?"((?:[^"\\]|\\.)*)"/g)].map(
    ([, text = '']) => JSON.parse(`"${text}"`) as string,
  );
  expect(documents).toHaveLength(4);
  expect(documents.flatMap(problemsOf)).toEqual([]);
});

test('every document of Python is valid', () => {
  const text = textOf('python/publish.py');
  const documents = [...text.matchAll(/^[A-Z_]+ = (?:"""(.*?)"""|"((?:query|subscription) [^"]*)")$/gms)].map(
    ([, long, short]) => long ?? short ?? '',
  );
  expect(documents).toHaveLength(5);
  expect(documents.flatMap(problemsOf)).toEqual([]);
});

test('the README names every file', () => {
  const named = textOf('README.md');
  expect(
    [...programs, 'relay/accounts.js', 'python/publish.py', 'curl.sh'].filter(
      (file) => !named.includes(file),
    ),
  ).toEqual([]);
});

test('the compiler looks at every program', () => {
  for (const file of [...programs, 'relay/accounts.js']) expect(textOf(file)).toMatch(/^\/\/ @ts-check\n/);
});

describe('what Relay’s compiler made', async () => {
  const file = join(EXAMPLES, 'relay/__generated__/accountsQuery.graphql.js');
  const { default: artifact } = (await import(file)) as { readonly default: Artifact };
  const source = parse(/graphql`(.*?)`/s.exec(textOf('relay/accounts.js'))?.[1] ?? '');
  const made = parse(artifact.params.text);

  test('was made from the text of the program', () => {
    expect(artifact.hash).toBe(createHash('md5').update(print(source)).digest('hex'));
  });

  test('asks for what the program asks for, and for what Relay itself needs', () => {
    const names = new Set(['__typename', 'cursor']);
    const without = visit(made, { Field: ({ name }) => (names.has(name.value) ? null : undefined) });
    const withoutDirectives = visit(source, { Directive: () => null });
    expect(print(without)).toBe(print(withoutDirectives));
  });

  test('is valid', () => {
    expect(problemsOf(artifact.params.text)).toEqual([]);
  });
});
