import type { ExecutionResult } from 'graphql';
import type { Graph } from '../../../src/graph.ts';
import type { OperationSpan } from '../../../src/observability/tracing.ts';
import type { Credentials } from '../../../src/operation/credentials.ts';
import { createContext, type OperationContext } from '../../../src/operation/operation.ts';
import { presentResult } from '../../../src/present-result.ts';
import type { Services } from '../../../src/services.ts';
import { cancellationBy } from '../../../src/sources/upstream/cancellation.ts';
import type { Arguments } from './arguments.ts';
import { pendingTextIn, waitForText } from './slow-text.ts';
import type { Tool } from './tool.ts';

/** Who calls a tool, and how the call is reported. */
export interface Caller {
  readonly credentials: Credentials;
  /** Returns the id of a call, which is also logged. */
  readonly requestId: () => string;
  /** The span of the request, if one is recorded. */
  readonly span: OperationSpan | null;
  /** Called with the result of a call before its errors are prepared for the client. */
  readonly onResult?: (result: ExecutionResult) => void;
}

/** The dependencies of tool calls. */
export interface CallParts {
  readonly services: Services;
  readonly graph: Graph;
  /** How long a call waits for a text that is slow to generate, in milliseconds. */
  readonly textWithinMs: number;
}

/** One call of a tool. */
export interface ToolCall {
  readonly tool: Tool;
  /** The variables of its operation. */
  readonly input: Arguments;
  readonly caller: Caller;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
}

/**
 * Executes the operation of a tool within the limits of the graph. If a generated text is pending, waits for it and
 * then repeats the write with the same key, which does not send it again.
 */
export async function callTool(parts: CallParts, call: ToolCall): Promise<ExecutionResult> {
  const requestId = call.caller.requestId();
  const context = (): OperationContext => contextOf(parts, call, requestId);
  const { graph, services, textWithinMs } = parts;
  const execute = async (): Promise<ExecutionResult> => {
    const operation = graph.prepare(call.tool.document).operation(null);
    return graph.bounded(await graph.execute({ operation, context: context(), variables: call.input }));
  };
  let result = await execute();
  const pending = call.tool.takesKey ? pendingTextIn(result) : null;
  if (pending !== null) {
    const until = AbortSignal.any([call.signal, AbortSignal.timeout(textWithinMs)]);
    await waitForText(graph, { id: pending, context: context(), until });
    result = await execute();
  }
  call.caller.onResult?.(result);
  // Nobody gets the result, and its cancelled calls are no errors to log.
  call.signal.throwIfAborted();
  services.log.debug({ requestId, transport: 'mcp', tool: call.tool.name }, 'an assistant called a tool');
  return presentResult(result, requestId, services.log);
}

function contextOf({ services }: CallParts, { caller, signal }: ToolCall, requestId: string) {
  const { credentials, span } = caller;
  return createContext(services, { requestId, credentials, span, cancellation: cancellationBy(signal) });
}
