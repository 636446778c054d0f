import { expect, test } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { jsonOf, postJson } from '../support/http.ts';

const COUNTERPARTS = `


{ accountGroups(first: 9) { nodes { accounts(first: 3) { nodes {
  counterpart { id }
  again: counterpart {
    id } } } } }
}`;

test('a missing credential is an error at each field that needs it, with its own path, with either executor', async () => {
  const answers = [];
  for (const EXECUTOR of ['compiled', 'graphql-js'] as const) {
    const graph = await startGraph({ sandbox: { data: 'large' }, environment: { EXECUTOR } });
    const { errors } = jsonOf(
      await postJson(`${graph.url}/graphql`, { query: COUNTERPARTS }, graph.caller.key),
    ) as { errors: { path: unknown[]; extensions: object }[] };
    answers.push(errors.map(({ extensions, ...error }) => ({ ...error, ...extensions, requestId: '' })));
  }
  const [ours = [], theirs = []] = answers;
  expect(ours.length).toBeGreaterThan(10);
  expect(ours).toEqual(theirs);
  expect(new Set(ours.map(({ path }) => JSON.stringify(path))).size).toBe(ours.length);
  expect(ours.slice(0, 2)).toMatchObject([
    { code: 'CREDENTIAL_MISSING', surface: 'LEGACY', locations: [{ line: 5, column: 3 }] },
    { code: 'CREDENTIAL_MISSING', surface: 'LEGACY', locations: [{ line: 6, column: 3 }] },
  ]);
});
