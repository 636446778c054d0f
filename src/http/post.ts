import type { ServerResponse } from 'node:http';
import { GraphQLError, type ExecutionResult } from 'graphql';
import type { OperationContext } from '../operation/operation.ts';
import type { PreparedDocument } from '../engine/prepared.ts';
import type { Graph } from '../graph.ts';
import type { Log } from '../observability/log.ts';
import type { OperationSpan } from '../observability/tracing.ts';
import type { ResponseType } from './accept.ts';
import { noteErrors } from './operation-span.ts';
import { presentResult } from '../present-result.ts';
import { headOf, textOf } from './responses.ts';

/** The parameters of a GraphQL request as most clients send them, all well-formed. */
export interface PlainParameters {
  readonly query: string;
  readonly operationName: string | null | undefined;
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
}

/** A request that the short path answers. */
export interface PlainPost {
  readonly parameters: PlainParameters;
  readonly responseType: ResponseType;
}

/**
 * Returns the parameters of a plain request, or null. Malformed requests, and those whose caller wants a stream, are
 * left to Yoga, which reports what is wrong.
 */
export function plainPost(parameters: object, responseType: ResponseType | null): PlainPost | null {
  return responseType && isPlain(parameters) ? { parameters, responseType } : null;
}

function isPlain(parameters: object): parameters is PlainParameters {
  const { query, operationName, variables, extensions } = parameters as Readonly<Record<string, unknown>>;
  return (
    typeof query === 'string' &&
    (operationName == null || typeof operationName === 'string') &&
    isObjectOrNothing(variables) &&
    isObjectOrNothing(extensions)
  );
}

function isObjectOrNothing(value: unknown): boolean {
  return value == null || (typeof value === 'object' && !Array.isArray(value));
}

/** The parts that the short path uses to execute. */
export interface PostParts {
  readonly graph: Graph;
  readonly log: Log;
  readonly requestId: string;
  /** The span of the request, where one is recorded. */
  readonly span: OperationSpan | null;
  /** Creates the context of the operation. */
  readonly context: () => OperationContext;
  /** Called once the operation has been executed. */
  readonly executed: () => void;
}

/**
 * Answers a plain POST. Returns false without executing anything for a subscription, or if it is unclear which
 * operation is meant. Otherwise, the response is written once the operation has ended.
 */
export function answerPost(response: ServerResponse, post: PlainPost, parts: PostParts): boolean {
  const { parameters, responseType } = post;
  const write = (result: ExecutionResult): true => {
    parts.executed();
    writeResult(response, result, parts, responseType);
    return true;
  };
  const prepared = prepare(parts.graph, parameters.query);
  if (prepared instanceof GraphQLError) return write({ errors: [prepared] });
  const operation = prepared.operation(parameters.operationName);
  if (operation.kind === 'subscription' || operation.kind === 'none') return false;
  if (prepared.errors.length > 0) return write({ errors: prepared.errors });
  const { variables } = parameters;
  const result = parts.graph.execute({ operation, context: parts.context(), variables });
  if (!(result instanceof Promise)) write(result);
  else result.then(write, (error: unknown) => write({ errors: [unexpected(error)] }));
  return true;
}

function prepare(graph: Graph, query: string): PreparedDocument | GraphQLError {
  try {
    return graph.prepare(query);
  } catch (error) {
    return error instanceof GraphQLError ? error : unexpected(error);
  }
}

function unexpected(error: unknown): GraphQLError {
  const originalError = error instanceof Error ? error : new Error(String(error));
  return new GraphQLError('unexpected', { originalError });
}

function writeResult(
  response: ServerResponse,
  result: ExecutionResult,
  { graph, log, requestId, span }: PostParts,
  responseType: ResponseType,
): void {
  if (response.destroyed) return;
  const bounded = graph.bounded(result);
  noteErrors(span, bounded);
  const presented = presentResult(bounded, requestId, log);
  const text = textOf(presented);
  const { status, headers } = headOf(presented, responseType);
  response.writeHead(status, {
    ...headers,
    'content-type': `${responseType}; charset=utf-8`,
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
