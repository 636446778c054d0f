import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import type { CallerHeaders, RunningGraph } from './graph.ts';
import { openTransport, TRANSPORTS } from './transports.ts';
import { EXAMPLES, write } from './writes.ts';

/** What a client of a server with CLIENT_TOKENS says. */
export const PLANTED_TOKEN = 'planted-client-token';

/** What is asked, and what goes wrong meanwhile. */
export interface PlantedOperations {
  /** Headers of a caller who is let in. */
  readonly headers: CallerHeaders;
  readonly queries: readonly string[];
  readonly faults: readonly FaultKind[];
}

/**
 * Has a server with that token read, write, refuse and fail, over each transport, with words that are planted in whatever
 * it is sent; gives the graph as that caller uses it.
 */
export async function operateWithPlanted(
  graph: RunningGraph,
  { headers, queries, faults }: PlantedOperations,
): Promise<RunningGraph> {
  const asked: RunningGraph = {
    ...graph,
    query: (document, call) => graph.query(document, { ...call, headers }),
  };
  const strangers = [{}, { 'x-client-token': 'planted-wrong-token' }, { 'x-client-token': PLANTED_TOKEN }];
  for (const transport of TRANSPORTS) {
    for (const query of queries) await openTransport(transport, graph.url, headers)({ query });
    for (const one of strangers)
      await openTransport(transport, graph.url, one)({ query: '{ accounts { totalCount } }' });
  }
  await write(asked, 'createPost', { ...EXAMPLES.createPost, idempotencyKey: 'planted-key' });
  await write(asked, 'createBillingPortalSession', {});
  for (const fault of faults) {
    graph.sandbox.faults.add({ ...fault, endpoint: '*', times: 2 });
    await asked.query('{ accounts(first: 2) { nodes { displayName color } } }');
  }
  graph.sandbox.faults.clear();
  return asked;
}
