import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../packages/sandbox/src/sandbox.ts';
import { oauthEnvironment, CALLBACK } from '../support/consent.ts';
import { freePort } from '../support/free-port.ts';
import { startGraph, type RunningGraph } from '../support/graph.ts';
import {
  EXAMPLES,
  KEYED,
  write,
  type Input,
  type MutationName,
  type WritePayload,
} from '../support/writes.ts';

const CONNECTING = 'undici:client:beforeConnect';
const INPUTS: Readonly<Record<MutationName, Input>> = {
  ...EXAMPLES,
  exchangeAuthorizationCode: { code: 'c'.repeat(80), redirectUri: CALLBACK },
};
const NAMES = Object.keys(INPUTS) as MutationName[];

/** Counts how often this process begins to connect to an address. */
function countConnects(url: string): { readonly count: number } {
  const seen = { count: 0 };
  const onConnect = (message: unknown): void => {
    const { host } = (message as { readonly connectParams: { readonly host: string } }).connectParams;
    if (host === new URL(url).host) seen.count += 1;
  };
  subscribe(CONNECTING, onConnect);
  onTestFinished(() => void unsubscribe(CONNECTING, onConnect));
  return seen;
}

/** An address at which nobody listens. */
async function closedAddress(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}

function graphAt(url: string): Promise<RunningGraph> {
  return startGraph({ environment: { ...oauthEnvironment(), CURRENT_API_URL: url, LEGACY_API_URL: url } });
}

/** A server that closes each connection as soon as something arrives, and counts what arrived. */
async function hangingUp() {
  const arrived: string[] = [];
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (data) => {
      arrived.push(String(data).split('\r\n')[0] ?? '');
      socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrived };
}

const MOST_CONNECTS = 2;
const outcomeAndCodes = ({ outcome, userErrors }: WritePayload): string[] => [
  outcome,
  ...userErrors.map(({ code }) => code),
];
const UNREACHABLE = ['REJECTED', 'SURFACE_UNAVAILABLE'];

describe('a connection that is refused', () => {
  test('lets every mutation be tried twice at most, and be told as not sent', async () => {
    const closed = await closedAddress();
    const graph = await graphAt(closed);
    for (const name of NAMES) {
      const connects = countConnects(closed);
      const payload = await write(graph, name, INPUTS[name]);
      expect(outcomeAndCodes(payload), name).toEqual(UNREACHABLE);
      expect(payload.userErrors[0]?.retryable, name).toBe(true);
      expect(connects.count, name).toBeGreaterThan(0);
      expect(connects.count, name).toBeLessThanOrEqual(MOST_CONNECTS);
    }
  });

  test('is not remembered for any mutation with a key', async () => {
    const closed = await closedAddress();
    const graph = await graphAt(closed);
    const keyed = KEYED.map((name) => [name, { ...INPUTS[name], idempotencyKey: `key-${name}` }] as const);
    for (const [name, input] of keyed)
      expect((await write(graph, name, input)).outcome, name).toBe('REJECTED');
    const sandbox = await startSandbox({ port: Number(new URL(closed).port) });
    onTestFinished(() => sandbox.close());
    for (const [name, input] of keyed)
      expect(await write(graph, name, input), name).toMatchObject({ outcome: 'COMPLETED', replayed: false });
  });

  test('is tried again within the call, and done once when it is no longer refused', async () => {
    const closed = await closedAddress();
    const graph = await graphAt(closed);
    const connects = countConnects(closed);
    let sandbox: ReturnType<typeof startSandbox> | undefined;
    const onError = (): void => {
      sandbox ??= startSandbox({ port: Number(new URL(closed).port) });
    };
    subscribe('undici:client:connectError', onError);
    onTestFinished(async () => {
      unsubscribe('undici:client:connectError', onError);
      await (await sandbox)?.close();
    });
    const payload = await write(graph, 'createDraft', INPUTS.createDraft);
    const started = await sandbox;
    expect(connects.count).toBe(2);
    if (payload.outcome === 'COMPLETED') expect(started?.requests.count('POST /draft/create')).toBe(1);
    else expect(started?.requests.count()).toBe(0);
  });
});

describe('a host that nobody knows', () => {
  // The name is reserved for exactly this; no name server knows it.
  const NOBODY = 'https://nobody.invalid';

  test('lets every mutation be told as not sent', async () => {
    const graph = await graphAt(NOBODY);
    for (const name of NAMES) {
      const connects = countConnects(NOBODY);
      const payload = await write(graph, name, INPUTS[name]);
      expect(outcomeAndCodes(payload), name).toEqual(UNREACHABLE);
      expect(connects.count, name).toBeLessThanOrEqual(MOST_CONNECTS);
    }
  });
});

describe('a server that takes the connection and hangs up', () => {
  test('may have done a write, which is not sent again', async () => {
    const { url, arrived } = await hangingUp();
    const graph = await graphAt(url);
    for (const name of ['createPost', 'createDraft', 'createLibraryItem', 'generateAiText'] as const) {
      arrived.length = 0;
      const payload = await write(graph, name, INPUTS[name]);
      expect(outcomeAndCodes(payload), name).toEqual(['UNKNOWN', 'OUTCOME_UNKNOWN']);
      expect(
        arrived.filter((line) => line.startsWith('POST ')),
        name,
      ).toHaveLength(1);
    }
  });
});
