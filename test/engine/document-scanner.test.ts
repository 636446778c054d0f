import { serverAudits } from 'graphql-http';
import { expect, test } from 'vitest';
import { eachCase } from '../support/each-case.ts';
import { jsonOf, postJson, send, type HttpReply } from '../support/raw-http.ts';
import { shareServer, startServer } from '../support/server.ts';

// The probes of a scanner of GraphQL servers, as it sends them, and what it takes for a finding.

interface Probe {
  readonly send: (endpoint: string) => Promise<HttpReply>;
  /** True for what the scanner would report. */
  readonly isFinding: (reply: HttpReply) => boolean;
}

// oxlint-disable-next-line typescript/no-explicit-any -- whatever an answer holds
function bodyOf(reply: HttpReply): any {
  try {
    return jsonOf(reply);
  } catch {
    return {};
  }
}

const post = (query: string) => async (endpoint: string) => await postJson(endpoint, { query });
const answered = (reply: HttpReply): boolean => bodyOf(reply).data?.['__typename'] !== undefined;
const get = (query: string) => async (endpoint: string) =>
  await send(`${endpoint}?query=${encodeURIComponent(query)}`);

const circle = (depth: number): string =>
  `query cop { __schema { types { fields { type { fields { type { ${'fields { type { '.repeat(depth)} name ${'} } '.repeat(depth)} } } } } } } }`;

const PROBES: Readonly<Record<string, Probe>> = {
  'alias overloading': {
    send: post(
      `query cop { ${Array.from({ length: 101 }, (_, index) => `alias${index}:__typename`).join(' \n')} }`,
    ),
    isFinding: (reply) => bodyOf(reply).data?.alias100 !== undefined,
  },
  'array-based batching': {
    send: async (endpoint) =>
      await postJson(
        endpoint,
        Array.from({ length: 10 }, () => ({ query: 'query cop { __typename }' })),
      ),
    isFinding: (reply) => Array.isArray(bodyOf(reply)) && bodyOf(reply).length >= 10,
  },
  'directive overloading': {
    send: post(`query cop { __typename ${'@aa'.repeat(10)} }`),
    isFinding: (reply) => (bodyOf(reply).errors ?? []).length === 10,
  },
  'circular introspection': {
    send: post(circle(3)),
    isFinding: (reply) => (bodyOf(reply).data?.['__schema']?.types ?? []).length > 25,
  },
  'field duplication': {
    send: post(`query cop { ${'__typename \n'.repeat(500)} }`),
    isFinding: answered,
  },
  'field suggestions': {
    send: post('query cop { __schema { directive } }'),
    isFinding: (reply) => JSON.stringify(bodyOf(reply).errors ?? '').includes('Did you mean'),
  },
  'queries by GET': { send: get('query cop { __typename }'), isFinding: answered },
  'mutations by GET': { send: get('mutation cop { __typename }'), isFinding: answered },
  'queries from a form': {
    send: async (endpoint) =>
      await send(endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ query: 'query cop { __typename }' }).toString(),
      }),
    isFinding: answered,
  },
  'an explorer': {
    send: async (endpoint) => await send(endpoint, { headers: { accept: 'text/html' } }),
    isFinding: ({ status, headers }) =>
      status === 200 && String(headers['content-type']).startsWith('text/html'),
  },
  introspection: {
    send: post('query cop { __schema { types { name fields { name } } } }'),
    isFinding: (reply) => (bodyOf(reply).data?.['__schema']?.types ?? []).length > 0,
  },
  'trace mode': {
    send: post('query cop { __typename }'),
    isFinding: (reply) => bodyOf(reply).extensions?.tracing !== undefined || reply.text.includes('"tracing"'),
  },
  'unhandled errors': {
    send: post('qwerty cop { abc }'),
    isFinding: (reply) => {
      const [error] = bodyOf(reply).errors ?? [];
      return error?.extensions?.exception !== undefined || /stacktrace|\bat .+:\d+:\d+/.test(reply.text);
    },
  },
};

const PRODUCTION = { INTROSPECTION: 'off', GRAPHIQL: 'off' };
const production = shareServer(PRODUCTION);
/** A server with its doors open: what such a scanner is for. */
const WEAK = {
  INTROSPECTION: 'on',
  GRAPHIQL: 'on',
  MAX_ALIASES: '1000',
  MAX_ROOT_FIELDS: '1000',
  MAX_TOKENS: '10000',
  MAX_SELECTIONS: '1000',
  MAX_INTROSPECTION_DEPTH: '50',
};
/** What no setting opens: neither here nor, in introspection, in the reference implementation. */
const NEVER = [
  'array-based batching',
  'directive overloading',
  'circular introspection',
  'queries by GET',
  'mutations by GET',
  'queries from a form',
  'trace mode',
  'unhandled errors',
];

test('there are 13 probes', () => {
  expect(Object.keys(PROBES)).toHaveLength(13);
});

test('a scanner finds nothing to report in production', () =>
  eachCase(Object.entries(PROBES), async ([, probe]) => {
    const { endpoint } = production;
    const reply = await probe.send(endpoint);
    expect(reply.status).toBeLessThan(500);
    expect(probe.isFinding(reply)).toBe(false);
  }));

test('the probes find what there is to find on a server that is open', async () => {
  const { endpoint } = await startServer(WEAK);
  const found: string[] = [];
  for (const [name, probe] of Object.entries(PROBES)) {
    if (probe.isFinding(await probe.send(endpoint))) found.push(name);
  }
  const expected = Object.keys(PROBES).filter((name) => !NEVER.includes(name));
  expect(found).toEqual(expected);
});

/** The audits that ask by GET or by introspection, neither of which production answers. */
const EXCEPTIONS = ['5A70', 'D6D5', '6A70', '2EA1', '28B9'];

test('in production the audits of GraphQL over HTTP have these exceptions and no other', async () => {
  const { endpoint } = production;
  const audits = serverAudits({ url: endpoint, fetchFn: fetch });
  const results = await Promise.all(audits.map(async ({ id, fn }) => [id, (await fn()).status] as const));
  expect(results.flatMap(([id, status]) => (status === 'ok' ? [] : [id])).toSorted()).toEqual(
    EXCEPTIONS.toSorted(),
  );
});
