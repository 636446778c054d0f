import type { ExecutionResult } from 'graphql';
import type { OperationContext } from './operation/operation.ts';
import { Engine, outcomeOf, type Ending } from './engine/engine.ts';
import type { OperationKind } from './engine/prepared.ts';
import { schema } from './schema/index.ts';
import type { Services } from './services.ts';
import { traced } from './observability/tracing.ts';

/** The graph, as the transports execute it. */
export type Graph = Engine<OperationContext>;

/** Creates the engine of this graph: its schema, what its operations cost, and where they are reported. */
export function createGraph(services: Services): Graph {
  const { config, metrics } = services;
  let subscriptions = 0;
  metrics.gauge('graphql_subscriptions_open', 'Subscriptions that wait for events.', () => subscriptions);
  return new Engine<OperationContext>({
    schema,
    limits: config.limits,
    introspection: config.introspection,
    executor: config.executor,
    costInExtensions: config.costInExtensions,
    callsOf: ({ calls }) => calls.made,
    trace: (kind, run) => traced(spanOf(kind), run),
    onEnd: (ending, context) => {
      metrics.operation(ending);
      if (context) log(services, ending, context);
      if (ending.kind === 'subscription' && ending.outcome === 'ok') subscriptions += 1;
    },
    onStreamEnd: () => {
      subscriptions -= 1;
    },
  });
}

function log({ log: lines }: Services, ending: Ending, { requestId, calls }: OperationContext): void {
  lines.debug({ requestId, ...ending, calls: calls.made }, 'executed an operation');
}

function spanOf(kind: OperationKind) {
  return {
    name: `graphql ${kind}`,
    attributes: { 'graphql.operation.type': kind },
    conclude: (result: unknown) => ({ hasFailed: outcomeOf(result as ExecutionResult) !== 'ok' }),
  };
}
