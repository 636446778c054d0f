import { beforeEach } from 'vitest';
import { startSandbox } from '../src/sandbox.ts';
import type { Sandbox, SandboxOptions } from '../src/sandbox.ts';
import { send, type HttpCall, type HttpReply } from '../../../test/support/http.ts';
import { valueAt } from '../../../test/support/sandbox.ts';
import { shared } from '../../../test/support/shared.ts';

/** A sandbox for all tests of a file that change nothing. Faults and counted requests are gone before each test. */
export function shareSandbox(options: SandboxOptions = {}): () => Sandbox {
  const running = shared(
    () => startSandbox(options),
    (sandbox) => sandbox.close(),
  );
  beforeEach(() => {
    running().faults.clear();
    running().requests.clear();
  });
  return running;
}

/** A clock that stands still until a test moves it. */
export function movableClock(start = Date.parse('2026-11-20T08:00:00Z')) {
  let time = start;
  return {
    now: () => time,
    pass(ms: number) {
      time += ms;
    },
  };
}

interface Reply extends HttpReply {
  /** Reads into the JSON answer: `at('response.list.0.loginId')`; the whole of it without a path. */
  at(path?: string): unknown;
  /** One field of every record of `response.list`. */
  pluck(field: string): unknown[];
}

/** One call over HTTP; redirects are not followed. */
export async function call(url: string, options?: HttpCall): Promise<Reply> {
  const reply = await send(url, options);
  const at = (path?: string): unknown => {
    const answer: unknown = JSON.parse(reply.text);
    return path === undefined ? answer : valueAt(answer, path);
  };
  const pluck = (field: string): unknown[] => {
    const records = at('response.list');
    return Array.isArray(records) ? records.map((record) => valueAt(record, field)) : [];
  };
  return { ...reply, at, pluck };
}

/** The calls of one owner (the first unless told). */
export function clientOf(sandbox: Sandbox, ownerIndex: 0 | 1 = 0) {
  const { apiKey, accessToken } = sandbox.owners[ownerIndex];
  const key = { 'x-api-key': apiKey };
  const bearer = { authorization: `Bearer ${accessToken}` };
  return {
    get: (path: string) => call(`${sandbox.url}${path}`, { headers: key }),
    post: (path: string, body: unknown) =>
      call(`${sandbox.url}${path}`, {
        method: 'POST',
        headers: { ...key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    legacyGet: (path: string) => call(`${sandbox.url}${path}`, { headers: bearer }),
    legacyPost: (path: string, fields: Readonly<Record<string, string>>) =>
      call(`${sandbox.url}${path}`, {
        method: 'POST',
        headers: { ...bearer, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      }),
  };
}

/** A valid body of POST /posts/create, with changes. */
export function newPosts(changes: Readonly<Record<string, unknown>> = {}) {
  return {
    shareType: 0,
    loginIds: [410_201],
    posts: [{ type: 'original', postDesc: 'Fresh from the roaster', instagramPostType: 'post' }],
    ...changes,
  };
}
