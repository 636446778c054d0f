import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openLog } from '../../src/observability/log.ts';
import { createContext } from '../../src/operation/operation.ts';
import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import { openServices } from '../../src/services.ts';
import type { PostOutlook } from '../../src/writes/validate-post.ts';
import { validatePost } from '../../src/writes/validate-post.ts';
import { harbour } from '../support/account-records.ts';
import { callsOf } from '../support/calls.ts';
import { UNDISTURBED } from '../support/graph.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { account } from '../support/writes.ts';

const graph = shareGraph();

test('five hundred posts that are checked in one context read the queue, the plan and each account once', async () => {
  const [first] = harbour(graph).queue;
  const text = first?.content.description ?? '';
  const time = new Date(first?.dueAt ?? 0).toISOString().slice(0, 16);
  const config = readConfig({ ...UNDISTURBED, CURRENT_API_URL: graph.sandbox.url });
  const services = openServices(
    config,
    openLog('silent', () => undefined),
  );
  const { apiKey } = graph.sandbox.owners[0];
  const credentials = { current: { state: 'given', value: apiKey }, legacy: { state: 'missing' } } as const;
  const context = createContext(services, { requestId: 'bulk', credentials });
  const ids = [landmarks.plainId, landmarks.bigNetworkId];
  const results: PostOutlook[] = [];
  for (let row = 0; row < 500; row += 1) {
    const variant = {
      variant: 'original',
      instagramPostType: 'post',
      text: row === 0 ? text : `Row ${row}.`,
    } as const;
    const timing = { scheduledAtLocal: [row === 2 ? time : '2030-01-06T08:30'] };
    const accountIds = [account(ids[row % 2])];
    const { outlook } = await validatePost(context, { accountIds, timing, variants: [variant] });
    results.push(await outlook());
  }
  await services.close();
  expect(callsOf(graph)).toEqual({
    'GET /accounts/view/{loginId}': 2,
    'GET /posts/queued': 1,
    'GET /membership/plan/list': 1,
  });
  const warned = (code: string): number[] =>
    results.flatMap(({ warnings }, row) => (warnings.some((one) => one.code === code) ? [row] : []));
  expect(warned('SAME_TEXT_IN_QUEUE')).toEqual([0]);
  expect(warned('SAME_MINUTE_AS_QUEUED_POST')).toEqual([2]);
});
