import type { IncomingMessage } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { Graph } from '../graph.ts';
import { createContext, type OperationContext } from '../operation/operation.ts';
import type { Overload } from '../overload.ts';
import { presentResult } from '../present-result.ts';
import type { Services } from '../services.ts';
import { CancellationSource } from '../sources/upstream/cancellation.ts';
import type { ResponseType } from './accept.ts';
import { isRefused, type Access } from './access.ts';
import { admit, GRAPHQL_PATH } from './admission.ts';
import type { HttpResponse } from './connections.ts';
import { noteErrors, spanOfRequest } from './operation-span.ts';
import type { OperationParameters, ResolveDocument } from './persisted-documents.ts';
import { asGraphQLError, closeAfter, headOf, respondsAsEvent, textOf, type Refusal } from './responses.ts';
import type { EventStreams } from './seats.ts';
import type { YogaHandler } from './yoga.ts';

/** The parts that answer GraphQL over HTTP. */
export interface GraphqlParts {
  readonly services: Services;
  readonly graph: Graph;
  /** Loaded for the first request that is not a plain POST. */
  readonly yoga: () => Promise<YogaHandler>;
  readonly access: Access;
  readonly documents: ResolveDocument;
  readonly overload: Overload;
  readonly streams: EventStreams;
  /** How long a caller may take to read its response, in milliseconds. */
  readonly readWithinMs: number;
  /** Whether plain POSTs are answered without Yoga. */
  readonly shortPath: boolean;
}

/** One request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: HttpResponse;
  readonly requestId: string;
}

/** Answers a GraphQL request, or returns why it is rejected. */
export async function answerGraphql(parts: GraphqlParts, exchange: Exchange): Promise<Refusal | null> {
  const { request, response, requestId } = exchange;
  const { services, overload } = parts;
  if (overload.turnsAway()) return overload.refusal();
  const span = spanOfRequest(GRAPHQL_PATH, request, response);
  const admitted = await admit(request, services.config.getQueries);
  if ('message' in admitted) return admitted;
  const credentials = parts.access.grant(request.headers.host, request.headers);
  if (isRefused(credentials)) return { status: 401, ...credentials };
  const { accepted } = admitted;
  const parameters = parts.documents(admitted.parameters);
  if ('message' in parameters)
    return { ...parameters, asEvent: respondsAsEvent(parameters.status, accepted) };
  // Counted only from here: while a caller is still sending or already reading, the server does no work for it.
  const leave = overload.enter();
  if (leave === null) return overload.refusal();
  const cancellation = new CancellationSource();
  response.once('close', () => {
    leave();
    if (!response.writableFinished) cancellation.cancel();
  });
  const clear = services.doorway.whenClear();
  if (clear !== null) await clear;
  // A caller that has disconnected would not be noticed again, and its stream would never be closed.
  if (response.destroyed) {
    leave();
    return null;
  }
  const executed = (isStream: boolean): boolean => {
    leave();
    if (!isStream) closeAfter(response, parts.readWithinMs);
    else if (!parts.streams.enter(response, request.socket.remoteAddress ?? '', credentials)) return false;
    // The stream may last for days, so the span only covers its start.
    else span?.end(200);
    return true;
  };
  const hangUp = (): void => void response.destroy();
  const operation = createContext(services, { requestId, credentials, cancellation, hangUp, span });
  const isPlain = parts.shortPath && request.method === 'POST' && accepted.result !== null;
  if (isPlain && answerPlain(parts, exchange, { parameters, operation, executed, type: accepted.result }))
    return null;
  request.headers.accept = accepted.header;
  const yoga = await parts.yoga();
  await yoga(request, response, { operation, parameters, executed, accepted });
  return null;
}

interface PlainRequest {
  readonly parameters: object;
  readonly operation: OperationContext;
  /** Called once the operation has been executed. */
  readonly executed: (isStream: boolean) => boolean;
  readonly type: ResponseType;
}

/**
 * Answers a request with one JSON response. Returns false without executing anything for a subscription, or if the
 * parameters are malformed or it is unclear which operation is meant: Yoga reports what is wrong.
 */
function answerPlain(
  { graph, services }: GraphqlParts,
  { response }: Exchange,
  { parameters, operation: context, executed, type }: PlainRequest,
): boolean {
  if (!isWellFormed(parameters)) return false;
  const { query, operationName, variables } = parameters;
  const write = (result: ExecutionResult): true => {
    executed(false);
    if (response.destroyed) return true;
    const bounded = graph.bounded(result);
    noteErrors(context.span, bounded);
    const presented = presentResult(bounded, context.requestId, services.log);
    const text = textOf(presented);
    const { status, headers } = headOf(presented, type);
    response.writeHead(status, {
      ...headers,
      'content-type': `${type}; charset=utf-8`,
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
    return true;
  };
  const fail = (error: unknown): true => write({ errors: [asGraphQLError(error)] });
  let prepared;
  try {
    prepared = graph.prepare(query);
  } catch (error) {
    return fail(error);
  }
  const operation = prepared.operation(operationName);
  if (operation.kind === 'subscription' || operation.kind === 'none') return false;
  if (prepared.errors.length > 0) return write({ errors: prepared.errors });
  const result = graph.execute({ operation, context, variables });
  if (!(result instanceof Promise)) return write(result);
  void result.then(write, fail);
  return true;
}

/** The parameters of a GraphQL request as most clients send them. */
interface WellFormedParameters {
  readonly query: string;
  readonly operationName: string | null | undefined;
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
}

function isWellFormed(parameters: object): parameters is WellFormedParameters {
  const { query, operationName, variables, extensions }: OperationParameters = parameters;
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
