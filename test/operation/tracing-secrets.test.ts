import { expect, test } from 'vitest';
import type { FaultKind } from '../../src/sandbox/faults/fault.ts';
import { ACCOUNT_FIELDS } from '../support/account-selections.ts';
import { CALLBACK, freshCode, oauthEnvironment } from '../support/consent.ts';
import { startGraph } from '../support/graph.ts';
import { leaksIn, secretsOf } from '../support/leaks.ts';
import { recordSpans, told } from '../support/recorded-spans.ts';
import { openTransport, TRANSPORTS } from '../support/transports.ts';
import { EXAMPLES, write } from '../support/writes.ts';

const CLIENT_TOKEN = 'planted-client-token';
const QUERIES = [
  `{ accounts(first: 100) { nodes { id ...AccountFields } } } ${ACCOUNT_FIELDS}`,
  `{ accounts(first: 100, surface: LEGACY) { nodes { id ...AccountFields } } } ${ACCOUNT_FIELDS}`,
  `query { planted: account(id: "MWFjOjQxMDIwMQ") { settingId displayName } node(id: "planted") { id }
    accounts(first: 1, filter: { displayName: "planted" }) { totalCount } }`,
  '{ accountGroups { nodes { name } } planted }',
  '{ planted(',
];
const FAULTS: readonly FaultKind[] = [
  { kind: 'status', status: 500, body: { message: 'planted-words' } },
  { kind: 'status', status: 401, body: { message: 'planted-words' } },
  { kind: 'malformed-json', text: '{"planted-text": ' },
  { kind: 'redirect', location: 'http://127.0.0.1:9/?access_token=planted-location' },
  { kind: 'reset-before-headers' },
];

test.each(['header', 'query'])(
  'with the token in the %s of calls, spans hold no credential, no secret and no word of anybody',
  async (placement) => {
    const spans = recordSpans();
    const environment = {
      MAX_SELECTIONS: '1000',
      CLIENT_TOKENS: CLIENT_TOKEN,
      LEGACY_TOKEN_PLACEMENT: placement,
      PROPAGATE_TRACE: 'on',
      ...oauthEnvironment(),
    };
    const graph = await startGraph({ environment });
    const headers = {
      ...graph.caller.both,
      'x-client-token': CLIENT_TOKEN,
      'x-planted': 'planted',
      'user-agent': 'planted-agent',
      baggage: 'planted=planted',
    };
    const strangers = [{}, { 'x-client-token': 'planted-wrong-token' }, { 'x-client-token': CLIENT_TOKEN }];
    for (const transport of TRANSPORTS) {
      for (const query of QUERIES) await openTransport(transport, graph.url, headers)({ query });
      for (const one of strangers)
        await openTransport(transport, graph.url, one)({ query: '{ accounts { totalCount } }' });
    }
    const asked = {
      ...graph,
      query: ((document, call) => graph.query(document, { ...call, headers })) as typeof graph.query,
    };
    await write(asked, 'createPost', { ...EXAMPLES.createPost, idempotencyKey: 'planted-key' });
    await write(asked, 'createBillingPortalSession', {});
    const code = await freshCode(graph.sandbox);
    await write(asked, 'exchangeAuthorizationCode', { code, redirectUri: CALLBACK });
    for (const fault of FAULTS) {
      graph.sandbox.faults.add({ ...fault, endpoint: '*', times: 2 });
      await graph.query('{ accounts(first: 2) { nodes { displayName color } } }', { headers });
    }
    await fetch(`${graph.url}/graphql?x-api-key=planted-in-address`, { headers }).then((reply) =>
      reply.text(),
    );
    const all = await spans.settled(50);
    const texts = all.map(told);
    expect(all.flatMap(({ events }) => events)).toEqual([]);
    expect(texts.filter((text) => /planted|demo-|410201|Kelpgate|access_token|\?/.test(text))).toEqual([]);
    expect(leaksIn(texts, [...secretsOf(graph), code])).toEqual([]);
    // The control: what a span does say is found.
    expect(texts.filter((text) => text.includes('/accounts/list')).length).toBeGreaterThan(5);
  },
);

test('the name of an operation is told, cut where it is long, and not at all if it holds a credential', async () => {
  const spans = recordSpans();
  const graph = await startGraph();
  const key = 'planted_key_0123456789';
  const headers = { 'x-api-key': key };
  for (const name of ['N'.repeat(300), `my_${key}`])
    await graph.query(`query ${name} { surfaces { surface } }`, { headers });
  const names = (await spans.settled(2)).map(({ attributes }) => attributes['graphql.operation.name']);
  expect(names).toEqual(['N'.repeat(100), undefined]);
});
