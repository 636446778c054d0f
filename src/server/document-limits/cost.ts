import type { Plugin } from 'graphql-yoga';
import { GraphQLError, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Config } from '../../config.ts';
import type { OperationContext } from '../../context.ts';
import { isAsyncIterable } from '../yoga.ts';
import { estimate, type Estimate, type Planned } from './estimate.ts';
import { variablesError } from './variables.ts';

/** What an operation costs, in calls to the service. */
export interface OperationCost {
  /** Most calls that it was thought to make, before it was executed. */
  readonly estimated: number;
  /** Calls that have ended so far. */
  readonly calls: number;
  readonly limit: number;
}

type CostSettings = Pick<Config, 'limits' | 'costInExtensions'>;

/**
 * Refuses an operation before anything of it is executed when its variables are beyond a limit, or its estimated cost
 * is; tells the others in `extensions.cost` what they cost, a stream with each of its events.
 */
export function useCostLimit(settings: CostSettings): Plugin<OperationContext> {
  return {
    onExecute: ({ args, setResultAndStopExecution }) => {
      const { refused, tell } = judge(args, settings);
      if (refused) setResultAndStopExecution(refusal(refused, args.contextValue));
      return { onExecuteDone: tell };
    },
    onSubscribe: ({ args, setResultAndStopExecution }) => {
      const { refused, tell } = judge(args, settings);
      if (refused) setResultAndStopExecution(refusal(refused, args.contextValue));
      return { onSubscribeResult: () => ({ onNext: tell }) };
    },
  };
}

interface Verdict {
  readonly refused: GraphQLError | null;
  /** Adds to a result of the operation what it has cost by then. */
  readonly tell: (hook: ResultHook) => void;
}

interface ResultHook {
  readonly result: ExecutionResult | AsyncIterable<unknown>;
  readonly setResult: (result: ExecutionResult) => void;
}

const tellNothing = (): void => undefined;

function judge(args: ExecutionArgs, { limits, costInExtensions }: CostSettings): Verdict {
  const tooMuch = variablesError(args.variableValues, limits);
  if (tooMuch) return { refused: tooMuch, tell: tellNothing };
  const context = args.contextValue as OperationContext;
  const estimated = estimateOrRefusal({ ...args, context, limits });
  if (estimated instanceof GraphQLError) return { refused: estimated, tell: tellNothing };
  // What can't be executed is left to the executor, which says why.
  if (estimated === null || !costInExtensions) return { refused: null, tell: tellNothing };
  return {
    refused: null,
    tell: ({ result, setResult }) => {
      if (isAsyncIterable(result) || !('data' in result)) return;
      const cost: OperationCost = {
        estimated: estimated.calls,
        calls: context.calls.made,
        limit: limits.cost,
      };
      setResult({ ...result, extensions: { ...result.extensions, cost } });
    },
  };
}

function estimateOrRefusal(planned: Planned): Estimate | GraphQLError | null {
  try {
    return estimate(planned);
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

// Over WebSocket a result would come as if the operation had been executed; a stream that fails is told as an Error.
function refusal(error: GraphQLError, context: unknown): ExecutionResult {
  const isOverHttp = (context as { readonly request?: unknown }).request !== undefined;
  return isOverHttp ? { errors: [error] } : failingStream(error);
}

// Those who are handed a result look whether it is a stream, whatever the types say.
function failingStream(reason: GraphQLError): ExecutionResult {
  const stream: AsyncIterableIterator<never> = {
    [Symbol.asyncIterator]: () => stream,
    next: () => Promise.reject(reason),
  };
  return stream as ExecutionResult;
}
