import type { ExecutionResult } from 'graphql';
import type { Graph } from '../graph.ts';
import { OperationContext } from '../operation/operation.ts';
import type { OperationSpan } from '../observability/tracing.ts';
import type { Credentials } from '../operation/credentials.ts';
import type { Overload } from '../../packages/overload/src/overload.ts';
import { presentResult } from '../present-result.ts';
import type { Services } from '../services.ts';
import { acceptedBy, ANSWER_TYPES, type Accepted, type ResponseType } from './accept.ts';
import type { Access } from './access.ts';
import { GRAPHQL_PATH, isRead, Refusal, type Exchange } from './exchange.ts';
import { noteErrors, spanOfRequest } from './operation-span.ts';
import { parametersIn, parametersInAddress, readBody, refusalOfAddress } from './parameters.ts';
import type { OperationParameters, ResolveDocument } from './persisted-documents.ts';
import { asGraphQLError, headOf, textOf } from './responses.ts';
import type { EventStreams } from './seats.ts';
import type { EndOfStream, YogaHandler } from './yoga.ts';

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
  if (parts.overload.turnsAway()) return exchange.refuse(parts.overload.refusal());
  new GraphqlRequest(parts, exchange).receive();
}

/** One GraphQL request over HTTP, in the order of its steps. */
class GraphqlRequest {
  readonly #parts: GraphqlParts;
  readonly #exchange: Exchange;
  readonly #accepted: Accepted;
  readonly #span: OperationSpan | null;

  constructor(parts: GraphqlParts, exchange: Exchange) {
    this.#parts = parts;
    this.#exchange = exchange;
    this.#accepted = acceptedBy(exchange.request.headers.accept);
    this.#span = spanOfRequest(GRAPHQL_PATH, exchange);
  }

  /** Reads the parameters. */
  receive(): void {
    const { request } = this.#exchange;
    const refusal = refusalOfAddress(request);
    if (refusal !== null) return this.#exchange.refuse(refusal);
    // An unacceptable response type is detected before the operation can take effect.
    if (this.#accepted.header === '') return this.#exchange.refuse(NOT_ACCEPTABLE);
    if (request.method === 'POST') return readBody(request, this.#receiveBody);
    if (!isRead(request)) return this.#exchange.refuse(NOT_POST);
    this.#admit(this.#parts.services.config.getQueries ? parametersInAddress(request) : NOT_GET);
  }

  readonly #receiveBody = (body: Buffer | Refusal): void => {
    try {
      this.#admit(body instanceof Refusal ? body : parametersIn(body));
    } catch (error) {
      this.#exchange.fail(error);
    }
  };

  /** Executes the request, if its caller may use this server and the server has room for it. */
  #admit(received: object | Refusal): void {
    if (received instanceof Refusal) return this.#exchange.refuse(received);
    const { access, documents, overload, services } = this.#parts;
    const { headers } = this.#exchange.request;
    const credentials = access.grant(headers.host, headers);
    if (credentials instanceof Refusal) return this.#exchange.refuse(credentials);
    const parameters = documents(received);
    if (parameters instanceof Refusal) return this.#exchange.refuseParameters(parameters, this.#accepted);
    const execute = (): void => this.#execute(parameters, credentials);
    this.#exchange.begin(overload, services.doorway, execute)?.catch(this.#exchange.fail);
  }

  #execute(parameters: OperationParameters, credentials: Credentials): void {
    const { requestId, cancellation, request, response } = this.#exchange;
    const { services, shortPath } = this.#parts;
    const hangUp = (): void => void response.destroy();
    const span = this.#span;
    const context = new OperationContext(services, { requestId, credentials, cancellation, hangUp, span });
    const isPlain = shortPath && request.method === 'POST' && isWellFormed(parameters);
    if (isPlain && this.#accepted.result !== null)
      if (this.#answerPlain(parameters, context, this.#accepted.result)) return;
    this.#answerByYoga(parameters, context).catch(this.#exchange.fail);
  }

  /**
   * Answers with one JSON response. Returns false without executing anything for a subscription, or if it is unclear
   * which operation is meant: Yoga reports what is wrong.
   */
  #answerPlain(parameters: WellFormedParameters, context: OperationContext, type: ResponseType): boolean {
    const { graph } = this.#parts;
    const write = (result: ExecutionResult): true => this.#write(result, context, type);
    const fail = (error: unknown): true => write({ errors: [asGraphQLError(error)] });
    let prepared;
    try {
      prepared = graph.prepare(parameters.query);
    } catch (error) {
      return fail(error);
    }
    const operation = prepared.operation(parameters.operationName);
    if (operation.kind === 'subscription' || operation.kind === 'none') return false;
    if (prepared.errors.length > 0) return write({ errors: prepared.errors });
    const result = graph.execute({ operation, context, variables: parameters.variables });
    if (!(result instanceof Promise)) return write(result);
    result.then(write, fail).catch(this.#exchange.fail);
    return true;
  }

  #write(result: ExecutionResult, context: OperationContext, type: ResponseType): true {
    const exchange = this.#exchange;
    exchange.leave?.();
    if (exchange.response.destroyed) return true;
    const { services, readWithinMs } = this.#parts;
    noteErrors(context.span, result);
    const presented = presentResult(result, context.requestId, services.log);
    const { status, headers } = headOf(presented, type);
    const contentType = { 'content-type': `${type}; charset=utf-8` };
    exchange.send(status, headers ? { ...headers, ...contentType } : contentType, textOf(presented));
    exchange.closeAfter(readWithinMs);
    return true;
  }

  async #answerByYoga(parameters: OperationParameters, operation: OperationContext): Promise<void> {
    const { request, response, headers } = this.#exchange;
    const accepted = this.#accepted;
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined) response.setHeader(name, value);
    request.headers.accept = accepted.header;
    const executed = (isStream: boolean) => this.#executed(isStream, operation.credentials);
    const yoga = await this.#parts.yoga();
    await yoga(request, response, { operation, parameters, executed, accepted });
  }

  /** Called when Yoga has executed the operation; says why its stream must not continue. */
  #executed(isStream: boolean, credentials: Credentials): EndOfStream | null {
    const exchange = this.#exchange;
    const { streams, readWithinMs } = this.#parts;
    exchange.leave?.();
    if (!isStream) exchange.closeAfter(readWithinMs);
    else if (!streams.enter(exchange.response, exchange.request.socket.remoteAddress ?? '', credentials))
      return exchange.response.destroyed ? 'caller left' : 'no room';
    // The stream may last for days, so the span only covers its start.
    else this.#span?.end(200);
    return null;
  }
}

const NOT_ACCEPTABLE = new Refusal(406, `Accept one of ${ANSWER_TYPES.join(', ')}.`);
const POST = { headers: { allow: 'POST' } };
const NOT_POST = new Refusal(405, 'Send GraphQL by POST (graphql-sse: omit singleConnection).', POST);
const NOT_GET = new Refusal(
  405,
  'Send GraphQL by POST (urql: preferGetMethod: false); GET queries are disabled on this server (GET_QUERIES=on enables them).',
  POST,
);

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
