import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import type { RunningGraph } from './graph.ts';

/** How often each call of the service was made. */
export function callsOf({ sandbox }: RunningGraph): Partial<Record<EndpointName, number>> {
  const counts: Partial<Record<EndpointName, number>> = {};
  for (const { endpoint } of sandbox.requests.all) {
    if (endpoint) counts[endpoint] = (counts[endpoint] ?? 0) + 1;
  }
  return counts;
}

/** The id of a record in the graph, made of its own id. */
export function globalId(
  type: 'QueuedPost' | 'LibraryItem' | 'AiGeneration' | 'AccountGroup',
  rawId: string,
): string {
  const letters = { QueuedPost: 'q', LibraryItem: 'i', AiGeneration: 't', AccountGroup: 'g' };
  return Buffer.from(`1${letters[type]}c:${rawId}`).toString('base64url');
}
