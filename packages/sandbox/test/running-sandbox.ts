import { request } from 'undici';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startSandbox } from '../src/sandbox.ts';
import type { Sandbox, SandboxOptions } from '../src/sandbox.ts';

/** A sandbox for all tests of a file that change nothing. Faults and counted requests are gone before each test. */
export function shareSandbox(options: SandboxOptions = {}): () => Sandbox {
  let sandbox: Sandbox | undefined;
  const running = (): Sandbox => {
    if (!sandbox) throw new Error('The sandbox has not started yet.');
    return sandbox;
  };
  beforeAll(async () => {
    sandbox = await startSandbox(options);
  });
  beforeEach(() => {
    running().faults.clear();
    running().requests.clear();
  });
  afterAll(() => sandbox?.close());
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

/** What came back. */
interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Reads into the JSON answer: `at('response.list.0.loginId')`; the whole of it without a path. */
  at(path?: string): unknown;
  /** One field of every record of `response.list`. */
  pluck(field: string): unknown[];
}

export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'HEAD' | 'PUT' | 'DELETE' | 'OPTIONS';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One call over HTTP; redirects are not followed. */
export async function call(url: string, options: CallOptions = {}): Promise<Reply> {
  const response = await request(url, options);
  const text = await response.body.text();
  const at = (path = '') => readInto(JSON.parse(text), path);
  return {
    status: response.statusCode,
    headers: response.headers,
    text,
    at,
    pluck(field) {
      const records = at('response.list');
      return Array.isArray(records) ? records.map((record) => readInto(record, field)) : [];
    },
  };
}

/** Follows a dotted path into a JSON value; undefined where there is nothing. */
export function readInto(value: unknown, path: string): unknown {
  const steps = path === '' ? [] : path.split('.');
  return steps.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null
        ? Object.getOwnPropertyDescriptor(inner, step)?.value
        : undefined,
    value,
  );
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
