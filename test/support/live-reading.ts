import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { createClient } from 'graphql-ws';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { AnswerError } from './graph.ts';
// Yoga starts the event streams, and is loaded with the first one: a reader would be later than the others of a test.
import '../../src/http/yoga.ts';

/** An operation as it is sent. */
export interface Operation {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
}

/** One event of a subscription. */
export interface Told {
  /** The generation, with whatever was selected of it. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test asserts on any shape
  readonly generation: any;
  readonly errors: readonly AnswerError[];
}

/** How a subscription ended: with a complete message, with errors instead of events, or with its connection. */
export type Ending =
  | { readonly how: 'complete' }
  | { readonly how: 'refused'; readonly errors: readonly AnswerError[] }
  | { readonly how: 'cut'; readonly code?: number };

/** Somebody who reads a subscription. */
export interface Reading {
  /** What came so far. */
  readonly events: readonly Told[];
  /** The statuses of what came so far, and the codes of errors. */
  readonly said: readonly string[];
  /** Null while it goes on. */
  readonly ending: Ending | null;
  /** Waits until so many events have come. */
  received(count: number): Promise<readonly Told[]>;
  /** Waits for the end. */
  ended(): Promise<Ending>;
  /** Ends it as a client does that wants no more. */
  leave(): void;
  /** Goes without a goodbye. */
  vanish(): void;
  /** Stops taking what comes, or goes on with it. */
  read(isReading: boolean): void;
}

/** Reads over graphql-ws, on a socket of its own that is closed when the test ends. */
export function readOverSocket(url: string, operation: Operation, apiKey: string): Reading {
  const [reading] = readAllOverSocket(url, [operation], apiKey);
  return reading as Reading;
}

/** Reads several subscriptions over one socket. */
export function readAllOverSocket(
  url: string,
  operations: readonly Operation[],
  apiKey: string,
): readonly Reading[] {
  let socket: WebSocket | undefined;
  const opened = (one: WebSocket): void => void (socket = one);
  class KnownSocket extends WebSocket {
    constructor(address: string, protocols: string | string[]) {
      super(address, protocols);
      opened(this);
    }
  }
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: KnownSocket,
    connectionParams: apiKey === '' ? {} : { 'x-api-key': apiKey },
    retryAttempts: 0,
  });
  onTestFinished(async () => await client.dispose());
  return operations.map(({ query, variables = {} }) => {
    const notes = createNotes();
    const sink = {
      next: notes.add,
      error: (error: unknown) => notes.end(endingOf(error)),
      complete: () => notes.end({ how: 'complete' }),
    };
    const leave = client.subscribe({ query, variables }, sink);
    const read = (isReading: boolean): void => (isReading ? socket?.resume() : socket?.pause());
    return Object.assign(notes.reading, { leave, vanish: () => socket?.terminate(), read });
  });
}

function endingOf(error: unknown): Ending {
  if (Array.isArray(error)) return { how: 'refused', errors: error as AnswerError[] };
  const code = (error as { code?: unknown } | null)?.code;
  return { how: 'cut', ...(typeof code === 'number' ? { code } : {}) };
}

/** Reads server-sent events; the connection is cut when the test ends. */
export function readOverSse(url: string, operation: Operation, apiKey: string): Reading {
  const notes = createNotes();
  const call = askForEvents(url, operation, apiKey);
  let answer: IncomingMessage | undefined;
  call.on('response', (response) => {
    let text = '';
    answer = response;
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const messages = `${text}${chunk}`.split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages) note(notes, message);
    });
  });
  // Without a complete message, the end of the connection is the end.
  call.on('error', () => undefined).on('close', () => notes.end({ how: 'cut' }));
  const leave = (): void => void call.destroy();
  const read = (isReading: boolean): void => void (isReading ? answer?.resume() : answer?.pause());
  return Object.assign(notes.reading, { leave, vanish: leave, read });
}

/** Asks for server-sent events over a connection of its own, which is cut when the test ends. */
export function askForEvents(url: string, operation: Operation, apiKey: string): ClientRequest {
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...(apiKey === '' ? {} : { 'x-api-key': apiKey }),
  };
  const call = request(`${url}/graphql`, { method: 'POST', headers, agent: false });
  onTestFinished(() => void call.destroy());
  call.end(JSON.stringify(operation));
  return call;
}

function note(notes: Notes, message: string): void {
  const [, event] = /^event: (.*)$/m.exec(message) ?? [];
  const [, data = ''] = /^data: ?(.*)$/m.exec(message) ?? [];
  if (event === 'next') notes.add(JSON.parse(data));
  if (event === 'complete') notes.end({ how: 'complete' });
}

interface Notes {
  readonly reading: Omit<Reading, 'leave' | 'vanish' | 'read'>;
  readonly add: (result: unknown) => void;
  readonly end: (ending: Ending) => void;
}

interface Result {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly AnswerError[];
}

function createNotes(): Notes {
  const events: Told[] = [];
  const state: { ending: Ending | null } = { ending: null };
  const explain = (): string => `${JSON.stringify(events)} and then ${JSON.stringify(state.ending)}`;
  return {
    add(result) {
      const { data, errors = [] } = result as Result;
      // What was refused before it began comes as an event over SSE, and as an ending over WebSocket.
      if (data === undefined) state.ending ??= { how: 'refused', errors };
      else events.push({ generation: Object.values(data ?? {})[0] ?? null, errors });
    },
    end(ending) {
      state.ending ??= ending;
    },
    reading: {
      events,
      get said() {
        return events.map(({ generation, errors }) =>
          generation === null ? String(errors[0]?.extensions['code']) : String(generation.status),
        );
      },
      get ending() {
        return state.ending;
      },
      async received(count) {
        const isOver = (): boolean => events.length >= count || state.ending !== null;
        await expect.poll(isOver, { message: `${count} events` }).toBe(true);
        if (events.length < count) throw new Error(`not ${count} events, but ${explain()}`);
        return events;
      },
      async ended() {
        const wait = expect.poll(() => state.ending).not.toBeNull();
        await wait.catch(() => Promise.reject(new Error(`no end, but ${explain()}`)));
        return state.ending as Ending;
      },
    },
  };
}
