import { describe, expect, test } from 'vitest';
import { CALLBACK, freshCode, oauthEnvironment } from '../support/consent.ts';
import { startGraph } from '../support/graph.ts';
import { onlyRequest, sentForm, sentJson } from '../support/sent.ts';
import { EXAMPLES, write, type Input } from '../support/writes.ts';

describe('a request for a text', () => {
  const MINIMAL = { prompt: 'A word on limewash', tone: 'Warm' };
  const SENT = { content: 'A word on limewash', tone: 'Warm' };

  test.each<[string, Input, Input]>([
    ['what is required', MINIMAL, SENT],
    [
      'all that it may hold',
      { ...MINIMAL, origin: 'POST', template: 'Launch', idempotencyKey: 'a-key' },
      { ...SENT, generatedFrom: 'post', templateUsed: 'Launch' },
    ],
    ['hashtags', { ...MINIMAL, origin: 'HASHTAG' }, { ...SENT, generatedFrom: 'hashtag' }],
    ['null for what it may leave out', { ...MINIMAL, origin: null, template: null }, SENT],
    [
      'the service’s word for no template',
      { ...MINIMAL, template: 'No Template' },
      { ...SENT, templateUsed: 'No Template' },
    ],
  ])('with %s is sent as documented', async (_, input, body) => {
    const graph = await startGraph();
    const { outcome } = await write(graph, 'generateAiText', input);
    expect(outcome).toBe('COMPLETED');
    expect(sentJson(graph, 'POST /openai/response')).toEqual(body);
  });
});

test('an exchange sends the five documented fields as a form, and no credential of the caller', async () => {
  const graph = await startGraph({ environment: oauthEnvironment() });
  const code = await freshCode(graph.sandbox);
  await write(graph, 'exchangeAuthorizationCode', { code, redirectUri: CALLBACK });
  expect(sentForm(graph, 'POST /oauth/accesstoken')).toEqual([
    ['client_id', 'demo-client'],
    ['client_secret', 'demo-client-secret-3f9ab71c'],
    ['code', code],
    ['grant_type', 'authorization_code'],
    ['redirect_uri', CALLBACK],
  ]);
  const { headers, query } = onlyRequest(graph, 'POST /oauth/accesstoken');
  expect(headers).not.toHaveProperty('authorization');
  expect(headers).not.toHaveProperty('x-api-key');
  expect([...query]).toEqual([]);
});

test('the calls that are GETs have no body, no query, and the exact id in their path', async () => {
  const graph = await startGraph();
  for (const name of [
    'pauseAccount',
    'deleteAccount',
    'deleteAccountGroup',
    'createBillingPortalSession',
  ] as const) {
    await write(graph, name, EXAMPLES[name]);
  }
  const changing = graph.sandbox.requests.all.filter(({ path }) => /status|delete|portal/.test(path));
  expect(changing.map(({ method, path, query, body }) => [method, path, [...query], body])).toEqual([
    ['GET', '/oauth/account/status/410201', [], ''],
    ['GET', '/oauth/account/delete/410201', [], ''],
    ['GET', '/oauth/group/delete/5103', [], ''],
    ['GET', '/payment/billing/portalcreate', [], ''],
  ]);
});
