import type { ExecutionResult } from 'graphql';
import type { Graph } from '../graph.ts';
import { createContext, type OperationContext } from '../operation/operation.ts';
import type { OperationSpan } from '../observability/tracing.ts';
import type { Credentials } from '../operation/credentials.ts';
import type { Overload } from '../overload.ts';
import { presentResult } from '../present-result.ts';
import type { Services } from '../services.ts';
import { acceptedBy, ANSWER_TYPES, type Accepted, type ResponseType } from './accept.ts';
import type { Access } from './access.ts';
import { GRAPHQL_PATH, Refusal, type Exchange } from './exchange.ts';
import { noteErrors, spanOfRequest } from './operation-span.ts';
import {
  parametersIn,
  parametersInAddress,
  readBody,
  refusalOfAddress,
  type ReceivedParameters,
} from './parameters.ts';
import type { OperationParameters, ResolveDocument } from './persisted-documents.ts';
import { asGraphQLError, headOf, textOf } from './responses.ts';
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

/** Answers a GraphQL request over HTTP. */
export function answerGraphql(parts: GraphqlParts, exchange: Exchange): void {
  const { request } = exchange;
  const { overload, services } = parts;
  if (overload.turnsAway()) return exchange.refuse(overload.refusal());
  const span = spanOfRequest(GRAPHQL_PATH, exchange);
  const refusal = refusalOfAddress(request);
  if (refusal !== null) return exchange.refuse(refusal);
  // An unacceptable response type is detected before the operation can take effect.
  const accepted = acceptedBy(request.headers.accept);
  if (accepted.header === '') return exchange.refuse(NOT_ACCEPTABLE);
  const begin = (received: ReceivedParameters | Refusal): void => {
    if (received instanceof Refusal) exchange.refuse(received);
    else admit(parts, exchange, { received, accepted, span });
  };
  if (request.method === 'POST')
    return readBody(request, (body) => {
      try {
        begin(body instanceof Refusal ? body : parametersIn(body));
      } catch (error) {
        exchange.fail(error);
      }
    });
  if (request.method !== 'GET' && request.method !== 'HEAD') return exchange.refuse(NOT_POST);
  begin(services.config.getQueries ? parametersInAddress(request) : NOT_GET);
}

const NOT_ACCEPTABLE = new Refusal(406, `Accept one of ${ANSWER_TYPES.join(', ')}.`);
const POST = { headers: { allow: 'POST' } };
const NOT_POST = new Refusal(405, 'Send GraphQL by POST (graphql-sse: omit singleConnection).', POST);
const NOT_GET = new Refusal(
  405,
  'Send GraphQL by POST (urql: preferGetMethod: false); GET queries are disabled on this server (GET_QUERIES=on enables them).',
  POST,
);

/** A well-formed request. */
interface WellFormedRequest {
  readonly received: ReceivedParameters;
  readonly accepted: Accepted;
  readonly span: OperationSpan | null;
}

/** Executes a request, if its caller may use this server and the server has room for it. */
function admit(
  parts: GraphqlParts,
  exchange: Exchange,
  { received, accepted, span }: WellFormedRequest,
): void {
  const { headers } = exchange.request;
  const credentials = parts.access.grant(headers.host, headers);
  if (credentials instanceof Refusal) return exchange.refuse(credentials);
  const resolved = parts.documents(received.parameters);
  if (resolved instanceof Refusal) return exchange.refuseParameters(resolved, accepted);
  const request = { parameters: resolved.parameters, credentials, accepted, span };
  const { overload, services } = parts;
  const begun = exchange.begin(overload, services.doorway, () => execute(parts, exchange, request));
  if (begun !== undefined) begun.catch(exchange.fail);
}

/** A request that may be executed. */
interface AdmittedRequest {
  readonly parameters: OperationParameters;
  readonly credentials: Credentials;
  readonly accepted: Accepted;
  readonly span: OperationSpan | null;
}

function execute(parts: GraphqlParts, exchange: Exchange, request: AdmittedRequest): void {
  const { requestId, cancellation, response } = exchange;
  const { parameters, credentials, span, accepted } = request;
  const hangUp = (): void => void response.destroy();
  const operation = createContext(parts.services, { requestId, credentials, cancellation, hangUp, span });
  const isPlain = parts.shortPath && exchange.request.method === 'POST';
  if (isPlain && accepted.result !== null && isWellFormed(parameters)) {
    if (answerPlain(parts, exchange, { parameters, operation, type: accepted.result })) return;
  }
  answerByYoga(parts, exchange, { ...request, operation }).catch(exchange.fail);
}

interface PlainRequest {
  readonly parameters: WellFormedParameters;
  readonly operation: OperationContext;
  readonly type: ResponseType;
}

/**
 * Answers a request with one JSON response. Returns false without executing anything for a subscription, or if it is
 * unclear which operation is meant: Yoga reports what is wrong.
 */
function answerPlain(
  { graph, services, readWithinMs }: GraphqlParts,
  exchange: Exchange,
  { parameters: { query, operationName, variables }, operation: context, type }: PlainRequest,
): boolean {
  const write = (result: ExecutionResult): true => {
    exchange.leave?.();
    if (exchange.response.destroyed) return true;
    const bounded = graph.bounded(result);
    noteErrors(context.span, bounded);
    const presented = presentResult(bounded, context.requestId, services.log);
    const { status, headers } = headOf(presented, type);
    const contentType = { 'content-type': `${type}; charset=utf-8` };
    exchange.send(status, headers ? { ...headers, ...contentType } : contentType, textOf(presented));
    exchange.closeAfter(readWithinMs);
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
  result.then(write, fail).catch(exchange.fail);
  return true;
}

interface YogaRequest extends AdmittedRequest {
  readonly operation: OperationContext;
}

async function answerByYoga(parts: GraphqlParts, exchange: Exchange, request: YogaRequest): Promise<void> {
  const { request: incoming, response } = exchange;
  const { parameters, operation, accepted, credentials, span } = request;
  const executed = (isStream: boolean): boolean => {
    exchange.leave?.();
    if (!isStream) exchange.closeAfter(parts.readWithinMs);
    else if (!parts.streams.enter(response, incoming.socket.remoteAddress ?? '', credentials)) return false;
    // The stream may last for days, so the span only covers its start.
    else span?.end(200);
    return true;
  };
  for (const [name, value] of Object.entries(exchange.headers))
    if (value !== undefined) response.setHeader(name, value);
  incoming.headers.accept = accepted.header;
  const yoga = await parts.yoga();
  await yoga(incoming, response, { operation, parameters, executed, accepted });
}

/** The parameters of a GraphQL request as most clients send them. */
interface WellFormedParameters {
  readonly query: string;
  readonly operationName: string | null | undefined;
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
}

function isWellFormed(parameters: OperationParameters): parameters is WellFormedParameters {
  const { query, operationName, variables, extensions } = parameters;
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
