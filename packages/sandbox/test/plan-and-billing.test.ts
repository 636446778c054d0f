import { expect, test } from 'vitest';
import { clientOf, movableClock, sandboxForTest } from './running-sandbox.ts';

test('the plan keeps the spelling of the service, and a number where a boolean is declared', async () => {
  const { get } = clientOf(await sandboxForTest());
  const plan = await get('/membership/plan/list');
  expect(plan.at('response')).toMatchObject({ discountRuning: false, biannualDiscountPercent: 15 });
  expect(plan.at('response.currentPlan.palnType')).toBe('Y');
  expect(plan.at('response.currentPlan.features.Post')).toBe('50 per day');
});

test('each call makes another billing session, whose secrets are filed', async () => {
  const clock = movableClock();
  const sandbox = await sandboxForTest({ now: clock.now });
  const { get } = clientOf(sandbox);
  const first = await get('/payment/billing/portalcreate');
  const second = await get('/payment/billing/portalcreate');
  const ids = [first.at('response.portal.id'), second.at('response.portal.id')];
  expect(new Set(ids).size).toBe(2);
  expect(sandbox.state.owner('harbour').billingSessions).toEqual(ids);
  expect(sandbox.secrets.billingSessions).toContain(first.at('response.portal.token'));
  expect(first.at('response.portal.created_at')).toBe(clock.now() / 1_000);
  expect(first.at('response.portalUrl')).toContain(String(first.at('response.portal.token')));
});
