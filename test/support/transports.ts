import type { AnswerError, CallerHeaders } from './graph.ts';
import { jsonOf, postJson } from './http.ts';
import { connectSocket } from './web-sockets.ts';
import { expect } from 'vitest';

export const TRANSPORTS = ['HTTP', 'WebSocket', 'server-sent events'] as const;
export type Transport = (typeof TRANSPORTS)[number];

export interface Operation {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
  readonly operationName?: string;
  readonly extensions?: Record<string, unknown>;
}

export interface Outcome {
  /** Status of the answer, where there is one. */
  readonly status: number | null;
  /** True when it was told as a result, false when as an error before any result. */
  readonly isResult: boolean;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test asserts on any shape
  readonly data?: any;
  readonly errors: readonly AnswerError[];
  readonly extensions: Readonly<Record<string, unknown>>;
}

type Run = (operation: Operation) => Promise<Outcome>;

/** Opens a way to the server; what it opens is closed when the test ends. */
export function openTransport(transport: Transport, url: string, headers: CallerHeaders = {}): Run {
  if (transport === 'WebSocket') return overSocket(url, headers);
  const isStream = transport === 'server-sent events';
  const accept = isStream ? 'text/event-stream' : 'application/graphql-response+json';
  return async (operation) => {
    const reply = await postJson(`${url}/graphql`, operation, { accept, ...headers });
    const body = isStream && reply.text.includes('data: ') ? lastEvent(reply.text) : jsonOf(reply);
    return { status: reply.status, ...outcomeOf(body) };
  };
}

function overSocket(url: string, headers: CallerHeaders): Run {
  const socket = connectSocket(url, { connectionParams: headers });
  return async (operation) => {
    try {
      const { data, errors, extensions } = await socket.run(operation);
      return { status: null, ...outcomeOf({ data, errors: errors as unknown as AnswerError[], extensions }) };
    } catch (reason) {
      if (!Array.isArray(reason)) throw reason;
      return { status: null, isResult: false, errors: reason as AnswerError[], extensions: {} };
    }
  };
}

interface Body {
  readonly data?: unknown;
  readonly errors?: readonly AnswerError[] | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

function outcomeOf({ data, errors = [], extensions = {} }: Body): Omit<Outcome, 'status'> {
  return { isResult: data !== undefined, ...(data === undefined ? {} : { data }), errors, extensions };
}

function lastEvent(text: string): Body {
  const events = [...text.matchAll(/^data: (.+)$/gm)].map(([, json = '']) => json);
  return JSON.parse(events.findLast((json) => json !== '') ?? '{}') as Body;
}

/**
 * The limits that an operation was refused for before anything of it was executed: what each is about, how much was
 * found and how much is allowed. Fails the test for any other outcome.
 */
export function refusalsIn({ status, isResult, data, errors }: Outcome): string {
  expect(data).toBeUndefined();
  expect(isResult).toBe(false);
  if (status !== null) expect([200, 400]).toContain(status);
  expect(errors.length).toBeGreaterThan(0);
  return errors.map(wordsOf).join('; ');
}

function wordsOf({ message, extensions }: AnswerError): string {
  expect(extensions).toMatchObject({ code: 'LIMIT_EXCEEDED', retryable: false });
  expect(extensions['requestId']).toMatch(/^[\da-f-]{36}$/);
  const words = /^The operation exceeds the limit for (.+): (\d\S*) \(maximum (\d+)\)\.$/.exec(message);
  if (!words) throw new Error(`an unexpected message: ${message}`);
  const [, what, found, allowed] = words;
  return `${what}: ${found} of ${allowed}`;
}
