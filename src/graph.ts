import { getOperationAST } from 'graphql';
import { givenIn } from './operation/credentials.ts';
import type { OperationContext } from './operation/operation.ts';
import { Engine } from './engine/engine.ts';
import type { FinishedOperation } from './observability/metrics.ts';
import type { PreparedOperation } from './engine/prepared.ts';
import type { OperationSpan } from './observability/tracing.ts';
import { DATA } from './schema/data.ts';
import { schema } from './schema/index.ts';
import type { Services } from './services.ts';

/** The GraphQL engine, as used by the transports. */
export type Graph = Engine<OperationContext>;

/** Creates the engine: its schema, the cost of its operations, and where they are reported. */
export function createGraph(services: Services): Graph {
  const { config, metrics } = services;
  let subscriptions = 0;
  metrics.gauge('graphql_subscriptions_open', 'Number of open subscriptions.', () => subscriptions);
  return new Engine<OperationContext>({
    ...config,
    schema,
    data: DATA,
    callsOf: ({ calls }) => calls.made,
    onBegin: (operation, { span, credentials }) => {
      if (span !== null) describe(span, operation, givenIn(credentials));
    },
    trace: ({ span }, run) => (span === null ? run() : span.run(run)),
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

function log(
  { log: lines }: Services,
  ending: FinishedOperation,
  { requestId, calls }: OperationContext,
): void {
  if (!lines.isLevelEnabled('debug')) return;
  lines.debug({ requestId, ...ending, calls: calls.made }, 'executed an operation');
}

function describe(
  span: OperationSpan,
  { document, name: wanted, kind }: PreparedOperation,
  credentials: readonly string[],
): void {
  const name = getOperationAST(document, wanted)?.name?.value ?? null;
  const holdsCredential = credentials.some((credential) => name?.includes(credential));
  if (kind !== 'none') span.describe(kind, holdsCredential ? null : name);
}
