import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { begin, comeBack, connectThrough, startConnectable } from '../support/connecting.ts';
import { consentAt } from '../support/consent.ts';
import type { GraphOptions, RunningGraph } from '../support/graph.ts';

// The state ties the return of an authorisation to the browser that began it. Whatever is wrong with it, the code that
// came is not traded.

const EXCHANGE = 'POST /oauth/accesstoken';
const NO_ECHO: GraphOptions = { sandbox: { quirks: { echoState: false } } };
const WITH_COOKIE: GraphOptions = { ...NO_ECHO, environment: { OAUTH_STATE: 'cookie' } };

/** Begins and consents; gives what a browser needs to come back. */
async function consented(graph: RunningGraph) {
  const begun = await begin(graph);
  const back = await consentAt(graph.sandbox, begun.consentUrl.href);
  return { ...begun, back: back.searchParams };
}

async function expectRefusal(
  graph: RunningGraph,
  query: URLSearchParams,
  cookie: string | null,
): Promise<void> {
  const reply = await comeBack(graph, query, cookie);
  expect(reply.status).toBe(400);
  expect(reply.text).toContain('Start again');
  expect(reply.text).not.toContain(query.get('code') ?? 'no code');
  expect(graph.sandbox.requests.count(EXCHANGE)).toBe(0);
}

const changed = (query: URLSearchParams, name: string, value: string | null): URLSearchParams => {
  const copy = new URLSearchParams(query);
  if (value === null) copy.delete(name);
  else copy.set(name, value);
  return copy;
};

test('a state is 256 random bits, and no two are alike', async () => {
  const count = 100;
  const graph = await startConnectable();
  const begun = await Promise.all(Array.from({ length: count }, () => begin(graph)));
  expect(new Set(begun.map(({ state }) => state)).size).toBe(count);
  for (const { state } of begun) expect(Buffer.from(state, 'base64url')).toHaveLength(32);
  const bits = begun.flatMap(({ state }) => [...Buffer.from(state, 'base64url')]);
  const ones = bits.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
  // Seven standard deviations.
  expect(Math.abs(ones / (bits.length * 8) - 0.5)).toBeLessThan(0.022);
});

describe('a return is refused', () => {
  test('with any state but the one that was sent', async () => {
    const graph = await startConnectable();
    const wrong: readonly ((state: string) => string | null)[] = [
      () => 'A'.repeat(43),
      () => '',
      (state) => `${state}A`,
      (state) => state.slice(0, -1),
      (state) => state.toUpperCase(),
      () => null,
    ];
    for (const change of wrong) {
      const { back, cookie, state } = await consented(graph);
      await expectRefusal(graph, changed(back, 'state', change(state)), cookie);
    }
  });

  test('with any cookie but the one that was set', async () => {
    const graph = await startConnectable();
    const wrong: readonly ((cookie: string) => string | null)[] = [
      () => null,
      () => 'connect_state=',
      (cookie) => `x_${cookie}`,
      () => `connect_state=${'A'.repeat(43)}`,
      (cookie) => cookie.toUpperCase(),
      (cookie) => cookie.slice(0, -4),
    ];
    for (const change of wrong) {
      const { back, cookie } = await consented(graph);
      await expectRefusal(graph, back, change(cookie));
    }
  });

  test('with the cookie of another browser that has begun as well', async () => {
    const graph = await startConnectable();
    const mine = await consented(graph);
    const theirs = await begin(graph);
    await expectRefusal(graph, mine.back, theirs.cookie);
  });

  test('a second time: one exchange, however often the page is loaded', async () => {
    const graph = await startConnectable();
    const { begun, back, reply } = await connectThrough(graph);
    expect(reply.status).toBe(200);
    for (let time = 0; time < 3; time += 1) {
      expect((await comeBack(graph, back.searchParams, begun.cookie)).status).toBe(400);
    }
    expect(graph.sandbox.requests.count(EXCHANGE)).toBe(1);
  });

  test('but once when it comes twice at the same time', async () => {
    const graph = await startConnectable();
    const { back, cookie } = await consented(graph);
    const replies = await Promise.all([comeBack(graph, back, cookie), comeBack(graph, back, cookie)]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
    expect(graph.sandbox.requests.count(EXCHANGE)).toBe(1);
  });

  test('after it came back wrong once', async () => {
    const graph = await startConnectable();
    const { back, cookie } = await consented(graph);
    await expectRefusal(graph, changed(back, 'state', 'wrong'), cookie);
    await expectRefusal(graph, back, cookie);
  });

  test.each([
    [599_999, 200],
    [600_001, 400],
  ])(
    'ten minutes after it began, and not before: %i ms later it is answered with %i',
    async (laterMs, status) => {
      const graph = await startConnectable();
      const startedAt = Date.now();
      const clock = vi.spyOn(Date, 'now').mockReturnValue(startedAt);
      onTestFinished(() => clock.mockRestore());
      const { back, cookie } = await consented(graph);
      clock.mockReturnValue(startedAt + laterMs);
      const reply = await comeBack(graph, back, cookie);
      expect(reply.status).toBe(status);
    },
  );
});

describe('a service that does not send the state back', () => {
  test('is refused unless the operator chose otherwise', async () => {
    const graph = await startConnectable(NO_ECHO);
    const { back, cookie } = await consented(graph);
    expect(back.has('state')).toBe(false);
    await expectRefusal(graph, back, cookie);
  });

  test('is taken by the cookie alone where the operator chose so', async () => {
    const graph = await startConnectable(WITH_COOKIE);
    const { reply, back, begun } = await connectThrough(graph);
    expect(reply.status).toBe(200);
    expect((await comeBack(graph, back.searchParams, begun.cookie)).status).toBe(400);
    expect(graph.sandbox.requests.count(EXCHANGE)).toBe(1);
  });

  test('is not taken without that cookie, or with a wrong state beside it', async () => {
    const graph = await startConnectable(WITH_COOKIE);
    const one = await consented(graph);
    await expectRefusal(graph, one.back, null);
    await expectRefusal(graph, one.back, `connect_state=${'A'.repeat(43)}`);
    await expectRefusal(graph, changed(one.back, 'state', 'A'.repeat(43)), one.cookie);
  });
});

const withSecret = (secret: string): GraphOptions => ({
  environment: { REDIS_URL: 'redis://127.0.0.1:1', REDIS_SECRET: secret.repeat(32) },
});

test('another process completes it if it has the same secret, and not otherwise', async () => {
  const { back, cookie } = await consented(await startConnectable(withSecret('a')));
  const [same, other] = [await startConnectable(withSecret('a')), await startConnectable(withSecret('b'))];
  // It trades the code, which its own sandbox does not know.
  expect((await comeBack(same, back, cookie)).status).toBe(502);
  expect(same.sandbox.requests.count(EXCHANGE)).toBe(1);
  await expectRefusal(other, back, cookie);
});

test('a browser may send other cookies beside', async () => {
  const graph = await startConnectable();
  const { back, cookie } = await consented(graph);
  const reply = await comeBack(graph, back, `a=b; ${cookie}; connect_state_=c`);
  expect(reply.status).toBe(200);
});

test('two authorisations that one browser has begun do not mix: the last one counts', async () => {
  const graph = await startConnectable();
  const first = await consented(graph);
  const second = await consented(graph);
  const reply = await comeBack(graph, second.back, second.cookie);
  expect(reply.status).toBe(200);
  const late = await comeBack(graph, first.back, second.cookie);
  expect(late.status).toBe(400);
});
