import { expect, test } from 'vitest';
import { jsonOf, postJson } from '../support/raw-http.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { documentOf, EXAMPLES } from '../support/writes.ts';

// Somebody who has forgotten a header, or written it in another form, is told what to send.

const graph = shareGraph();

const CURRENT = 'The current surface requires a credential: send the header "x-api-key".';
const LEGACY =
  'The legacy surface requires a credential: send the header "authorization: Bearer …", whose value must begin with "Bearer ".';
const IGNORED = 'The "authorization" header was ignored because its value does not begin with "Bearer ".';

async function ask(query: string, variables: object, headers: Readonly<Record<string, string>> = {}) {
  return jsonOf(await postJson(`${graph.url}/graphql`, { query, variables }, headers));
}

test('a query without a key is told the header', async () => {
  const { errors } = await ask('{ accounts(surface: CURRENT) { totalCount } }', {});
  expect(errors).toMatchObject([{ message: CURRENT, extensions: { code: 'CREDENTIAL_MISSING' } }]);
});

test('a mutation without a key is told the same header', async () => {
  const { data } = await ask(documentOf('createPost'), { input: EXAMPLES.createPost });
  expect(JSON.stringify(data)).toContain(JSON.stringify(CURRENT));
  expect(graph.sandbox.requests.count()).toBe(0);
});

test.each([
  [{}, LEGACY],
  [{ authorization: 'demo-token-harbour' }, `${LEGACY} ${IGNORED}`],
  [{ authorization: 'Token demo-token-harbour' }, `${LEGACY} ${IGNORED}`],
])(
  'a token in another form, as in %j, is told the form, by queries and mutations alike',
  async (headers, message) => {
    const { errors } = await ask('{ accounts(surface: LEGACY) { totalCount } }', {}, headers);
    expect(errors).toMatchObject([{ message, extensions: { code: 'CREDENTIAL_MISSING' } }]);
    const { data } = await ask(
      documentOf('createStatusUpdate'),
      { input: EXAMPLES.createStatusUpdate },
      headers,
    );
    expect(JSON.stringify(data)).toContain(JSON.stringify(message));
    expect(graph.sandbox.requests.count()).toBe(0);
  },
);
