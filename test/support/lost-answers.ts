import { expect } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { startGraph, type GraphOptions, type RunningGraph } from './graph.ts';
import { write, type Input, type MutationName } from './writes.ts';

// The answer to a write is lost, and the server looks for what the write made.

/** The verdict on a write that may or may not have been carried out. */
export const UNKNOWN = ['UNKNOWN', 'OUTCOME_UNKNOWN'];

/** Starts a server that reads the lists before writes with a key. */
export function startReadingFirst(sandbox: GraphOptions['sandbox'] = {}): Promise<RunningGraph> {
  return startGraph({ environment: { READ_BEFORE_WRITES: 'on' }, sandbox });
}

/** Loses the answer to the next call of an endpoint, which had its effect or none. */
export function losing(
  { sandbox }: RunningGraph,
  endpoint: EndpointName,
  effect: 'done' | 'none' = 'done',
): void {
  sandbox.faults.add({ kind: 'reset-before-headers', endpoint, effect });
}

/** Writes as somebody else would, through another server of the same service: the first one is not told. */
export async function writeElsewhere(
  { sandbox }: RunningGraph,
  name: MutationName,
  input: Input,
): Promise<void> {
  const other = await startGraph({
    environment: { CURRENT_API_URL: sandbox.url, LEGACY_API_URL: sandbox.url },
  });
  expect((await write(other, name, input)).outcome).toBe('COMPLETED');
}
