import { getOperationAST, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { OperationContext } from '../context.ts';
import type { FinishedOperation } from '../metrics.ts';
import type { Services } from '../services.ts';
import { traced } from '../tracing.ts';
import { isAsyncIterable } from './yoga.ts';

type Outcome = FinishedOperation['outcome'];

/** Counts, logs and traces each operation, on every transport. */
export function useOperationObserver(services: Services): Plugin<OperationContext> {
  const { metrics } = services;
  let subscriptions = 0;
  metrics.gauge('graphql_subscriptions_open', 'Subscriptions that wait for events.', () => subscriptions);
  const refused = (): void => metrics.operation({ kind: 'none', outcome: 'refused', durationMs: 0 });
  return {
    onParse:
      () =>
      ({ result }) => {
        if (result instanceof Error) refused();
      },
    onValidate:
      () =>
      ({ valid }) => {
        if (!valid) refused();
      },
    onExecute({ args, executeFn, setExecuteFn }) {
      const operation = observe(args, services);
      setExecuteFn((given: ExecutionArgs) => operation.run(() => executeFn(given) as Executed));
      return { onExecuteDone: ({ result }) => void operation.end(result) };
    },
    onSubscribe({ args, subscribeFn, setSubscribeFn }) {
      const operation = observe(args, services);
      setSubscribeFn((given: ExecutionArgs) => operation.run(() => subscribeFn(given) as Executed));
      let isOpen = false;
      const leave = (): void => {
        if (isOpen) subscriptions -= 1;
        isOpen = false;
      };
      return {
        onSubscribeResult({ result }) {
          isOpen = operation.end(result) === 'ok';
          if (isOpen) subscriptions += 1;
          return { onEnd: leave };
        },
        // A stream that fails is not ended by its reader.
        onSubscribeError: leave,
      };
    },
  };
}

/** What executing an operation gives: a result, or a stream of them. */
type Executed = ExecutionResult | AsyncIterable<unknown>;

function observe(args: ExecutionArgs, { metrics, log }: Services) {
  const startedAt = performance.now();
  const kind = kindOf(args);
  const { requestId, calls } = args.contextValue as OperationContext;
  let isExecuted = false;
  return {
    run(execute: () => Executed | Promise<Executed>): Promise<Executed> {
      isExecuted = true;
      return traced(spanOf(kind), execute);
    },
    end(result: Executed): Outcome {
      const outcome = isExecuted ? outcomeOf(result) : 'refused';
      const operation = { kind, outcome, durationMs: performance.now() - startedAt };
      metrics.operation(operation);
      log.debug({ requestId, ...operation, calls: calls.made }, 'executed an operation');
      return outcome;
    },
  };
}

function kindOf({ document, operationName }: ExecutionArgs): FinishedOperation['kind'] {
  return getOperationAST(document, operationName)?.operation ?? 'none';
}

function spanOf(kind: FinishedOperation['kind']) {
  return {
    name: `graphql ${kind}`,
    attributes: { 'graphql.operation.type': kind },
    conclude: (result: Executed) => ({ hasFailed: outcomeOf(result) !== 'ok' }),
  };
}

function outcomeOf(result: Executed): Outcome {
  if (isAsyncIterable(result) || !result.errors?.length) return 'ok';
  return result.data === undefined ? 'refused' : 'error';
}
