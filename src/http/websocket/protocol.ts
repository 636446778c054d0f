import {
  GraphQLError,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLFormattedError,
} from 'graphql';
import { makeServer, type Server, type SubscribePayload } from 'graphql-ws';
import type { ExecutionRequest } from '../../engine/engine.ts';
import type { OperationSpan } from '../../observability/tracing.ts';
import { credentialsFor } from '../../operation/caller.ts';
import { OperationContext } from '../../operation/operation.ts';
import { OVERLOADED_MESSAGE } from '../../../packages/overload/src/overload.ts';
import { presentResult } from '../../present-result.ts';
import type { ErrorCode } from '../../schema/errors.ts';
import { schema } from '../../schema/index.ts';
import { headersIn, readCredentials, type HeaderBag } from '../access.ts';
import { GRAPHQL_PATH, Refusal } from '../exchange.ts';
import type { GraphqlParts } from '../graphql.ts';
import { noteErrors, spanned, spanOfMessage } from '../operation-span.ts';
import { asGraphQLError, withoutHttp } from '../responses.ts';
import type { Connection } from './connection.ts';

const INIT_TIMEOUT_MS = 3_000;
/** Maximum number of concurrent operations per socket. */
const MAX_OPERATIONS = 50;

/** The parts shared with HTTP. */
export type ProtocolParts = Pick<GraphqlParts, 'services' | 'graph' | 'access' | 'documents' | 'overload'>;

/** Creates the graphql-transport-ws protocol for all sockets. */
export function createProtocol(parts: ProtocolParts): Server<Connection> {
  const { log } = parts.services;
  const formatted = (
    { extra }: { readonly extra: Connection },
    id: string,
    errors: readonly GraphQLError[],
  ): readonly GraphQLFormattedError[] =>
    presentResult({ errors }, extra.operation(id).requestId, log).errors.map(withoutHttp);
  return makeServer<HeaderBag, Connection>({
    connectionInitWaitTimeout: INIT_TIMEOUT_MS,
    onConnect: ({ connectionParams, extra: { seat, request } }) =>
      seat.claim(readCredentials(headersIn(connectionParams), request.headers)),
    onSubscribe: ({ connectionParams, extra }, id, payload) => {
      const inMessage = headersIn(payload.extensions?.['headers']);
      const span = spanOfMessage(GRAPHQL_PATH, extra.request, inMessage);
      const fail = (errors: readonly GraphQLError[]): readonly GraphQLError[] => {
        noteErrors(span, { errors });
        span?.end();
        return errors;
      };
      // An error that leaves this hook would close the socket; this way it only ends the operation.
      try {
        const bags = [inMessage, headersIn(connectionParams)];
        const admitted = admit(parts, extra, { id, payload, bags, span });
        return admitted instanceof AdmittedOperation ? admitted : fail(admitted);
      } catch (error) {
        return fail([asGraphQLError(error)]);
      }
    },
    execute: (args) => admittedIn(args).execute(),
    subscribe: (args) => admittedIn(args).subscribe(),
    onNext: (context, id, _payload, args, { data, errors, extensions }) => {
      if (!errors) return undefined;
      const shown = formatted(context, id, errors);
      if (admittedIn(args).isSubscription && shown.some(isRejectedKey)) context.extra.hasRevokedKey = true;
      return { ...(data !== undefined && { data }), errors: shown, ...(extensions && { extensions }) };
    },
    onComplete: ({ extra }) => {
      if (extra.hasRevokedKey && extra.keys.size <= 1) extra.shutOut();
    },
    onError: (context, id, _payload, errors) => formatted(context, id, errors),
  });
}

interface Message {
  /** The client's id of the operation. */
  readonly id: string;
  readonly payload: SubscribePayload;
  /** Where its credentials may be, in order before the headers of the socket. */
  readonly bags: readonly HeaderBag[];
  readonly span: OperationSpan | null;
}

/** Returns what to execute for a message, or the errors that prevent it. */
function admit(
  parts: ProtocolParts,
  connection: Connection,
  message: Message,
): AdmittedOperation | readonly GraphQLError[] {
  const { services, access, graph } = parts;
  const { request, seat, hangUp } = connection;
  const { payload, span } = message;
  if (connection.running > MAX_OPERATIONS) return TOO_MANY_OPERATIONS;
  const credentials = access.grant(request.headers.host, ...message.bags, request.headers);
  if (credentials instanceof Refusal) return [refusal(credentials.code, credentials.message)];
  const shown = credentialsFor(services.config, credentials, 'current');
  if (shown.length > 0) connection.noteKey(shown.join(' '));
  // The explorer sends its credentials only with each operation.
  if (!seat.claim(credentials)) return TOO_MANY_SOCKETS;
  const parameters = parts.documents({ ...payload });
  if (parameters instanceof Refusal) return [refusal(parameters.code, parameters.message)];
  const prepared = graph.prepare(String(parameters.query));
  if (prepared.errors.length > 0) return prepared.errors;
  const started = connection.operation(message.id);
  const { requestId, cancellation } = started;
  // As over HTTP, an empty name counts as none.
  const operation = prepared.operation(payload.operationName || null);
  // graphql-ws would end it without executing it.
  if ('errors' in operation.compiled) return operation.compiled.errors;
  const context = new OperationContext(services, { requestId, credentials, cancellation, hangUp, span });
  const admitted = { operation, context, variables: payload.variables };
  const refused = graph.admit(admitted);
  if (refused) return [refused];
  started.isExecuting = operation.kind !== 'subscription';
  // A write is finished nevertheless, and has no error that would say so.
  if (span !== null) cancellation.add({ cancel: () => span.fail('cancelled') });
  return new AdmittedOperation(parts, admitted);
}

/** What graphql-ws executes; the server's capacity is checked when the execution begins. */
class AdmittedOperation implements ExecutionArgs {
  readonly schema = schema;
  readonly document: DocumentNode;
  readonly operationName: string | null;
  readonly contextValue: OperationContext;
  readonly isSubscription: boolean;
  readonly #parts: ProtocolParts;
  readonly #request: ExecutionRequest<OperationContext>;

  constructor(parts: ProtocolParts, request: ExecutionRequest<OperationContext>) {
    const { document, name, kind } = request.operation;
    this.document = document;
    this.operationName = name;
    this.contextValue = request.context;
    this.isSubscription = kind === 'subscription';
    this.#parts = parts;
    this.#request = request;
  }

  execute(): Promise<ExecutionResult> {
    return this.#whenThereIsRoom(() => this.#parts.graph.execute(this.#request, null));
  }

  subscribe(): Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>> {
    return this.#whenThereIsRoom(() => this.#parts.graph.subscribe(this.#request, null));
  }

  // A waiting subscription does no work, so it only counts until it has started.
  #whenThereIsRoom<T extends object>(run: () => T | Promise<T>): Promise<T | ExecutionResult> {
    const { overload, services } = this.#parts;
    return spanned<T | ExecutionResult>(this.#request.context.span, async () => {
      const leave = overload.turnsAway() ? null : overload.enter();
      if (leave === null) return { errors: OVERLOADED };
      try {
        await services.doorway.whenClear();
        return await run();
      } finally {
        leave();
      }
    });
  }
}

function admittedIn(args: ExecutionArgs): AdmittedOperation {
  if (args instanceof AdmittedOperation) return args;
  throw new Error('graphql-ws executes something other than what was admitted');
}

// An error of the root field ends the subscription; one below it, such as of a call that is refused once, does not.
function isRejectedKey({ path, extensions }: GraphQLFormattedError): boolean {
  return (
    path?.length === 1 &&
    extensions?.['code'] === 'CREDENTIAL_REJECTED' &&
    extensions['surface'] === 'CURRENT'
  );
}

function refusal(code: ErrorCode, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}

const TOO_MANY_OPERATIONS = [
  refusal('LIMIT_EXCEEDED', `Too many operations on this WebSocket (maximum ${MAX_OPERATIONS}).`),
];
const TOO_MANY_SOCKETS = [refusal('LIMIT_EXCEEDED', 'Too many WebSockets with this credential are open.')];
const OVERLOADED = [refusal('OVERLOADED', OVERLOADED_MESSAGE)];
