import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { OperationContext } from '../../context.ts';
import type { ResultBudget } from '../../engine/result-budget.ts';
import { isAsyncIterable } from '../yoga.ts';

interface ResultHook {
  readonly result: ExecutionResult | AsyncIterable<unknown>;
  readonly setResult: (result: ExecutionResult) => void;
}

/**
 * Replaces a result that exceeds a limit by one error. What is left of it would not do: a null without its error would
 * tell the caller that there is nothing.
 */
export function useResultLimits(): Plugin<OperationContext> {
  return {
    onExecute: ({ args }) => ({
      onExecuteDone: (hook) => limit(hook, args.contextValue),
    }),
    onSubscribe: ({ args }) => ({
      onSubscribeResult: () => ({ onNext: (hook) => limit(hook, args.contextValue) }),
    }),
  };
}

function limit({ result, setResult }: ResultHook, { budget }: { readonly budget: ResultBudget }): void {
  if (isAsyncIterable(result) || !('data' in result)) return;
  const exceeded = budget.judge(result);
  if (exceeded) setResult({ data: null, errors: [exceeded] });
}
