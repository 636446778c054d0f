import { LRUCache } from 'lru-cache';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  connectThrough,
  startConnectable,
  CALLBACK,
  freshCode,
  oauthEnvironment,
} from '../support/connect.ts';
import { startGraph } from '../support/graph.ts';
import { leaksIn } from '../support/leaks.ts';
import { write } from '../support/writes.ts';

/** Everything that is put into a memory of this process from now on, as text. */
function watchMemories(): readonly string[] {
  const kept: string[] = [];
  for (const memory of [LRUCache, Map]) {
    // oxlint-disable-next-line typescript/unbound-method -- it is called on its own object below
    const original = memory.prototype.set as (...args: unknown[]) => unknown;
    const spy = vi.spyOn(memory.prototype as { set: typeof original }, 'set');
    spy.mockImplementation(function (this: unknown, ...args) {
      // Maps serve for much that ends with its request; those that outlive it say since or until when they hold it.
      const [, value] = args as [unknown, unknown];
      const isKept =
        memory !== Map ||
        (typeof value === 'object' && value !== null && ('endsAt' in value || 'record' in value));
      if (isKept) kept.push(JSON.stringify(args.slice(0, 2)));
      return Reflect.apply(original, this, args);
    });
    onTestFinished(() => {
      spy.mockRestore();
    });
  }
  return kept;
}

test('a billing session, a code and its token are kept nowhere', async () => {
  const graph = await startGraph({ environment: oauthEnvironment() });
  const kept = watchMemories();
  await write(graph, 'createBillingPortalSession');
  const code = await freshCode(graph.sandbox);
  await write(graph, 'exchangeAuthorizationCode', { code, redirectUri: CALLBACK });
  const { accessTokens, clientSecrets, billingSessions } = graph.sandbox.secrets;
  expect(leaksIn(kept, [code, ...accessTokens, ...clientSecrets, ...billingSessions])).toEqual([]);
});

test('of an authorisation in a browser nothing but its state is kept', async () => {
  const graph = await startConnectable();
  const kept = watchMemories();
  const { begun } = await connectThrough(graph);
  const { accessTokens, authorizationCodes, clientSecrets } = graph.sandbox.secrets;
  expect(kept.some((entry) => entry.includes(begun.state))).toBe(true);
  expect(leaksIn(kept, [...authorizationCodes, ...accessTokens, ...clientSecrets])).toEqual([]);
});
