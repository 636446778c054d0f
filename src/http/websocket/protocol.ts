import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  getOperationAST,
  OperationTypeNode,
  GraphQLError,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLFormattedError,
} from 'graphql';
import type { Server } from 'graphql-ws';
import type { Log } from '../../observability/log.ts';
import type { OperationSpan } from '../../observability/tracing.ts';
import { credentialsFor } from '../../operation/caller.ts';
import { createContext } from '../../operation/operation.ts';
import type { Credentials } from '../../operation/credentials.ts';
import type { Graph } from '../../graph.ts';
import type { Services } from '../../services.ts';
import { cancellationBy, type Cancellation } from '../../sources/upstream/cancellation.ts';
import { isRefused, type Access } from '../access.ts';
import { readCredentials, type HeaderBag } from '../credentials.ts';
import type { Doorway } from '../../doorway.ts';
import { noteErrors, spanned, spanOfMessage } from '../operation-span.ts';
import type { Overload } from '../overload.ts';
import type { ResolveDocument } from '../persisted-documents.ts';
import { withoutHttp } from '../responses.ts';
import { presentResult } from '../../present-result.ts';
import { schema } from '../../schema/index.ts';
import { GRAPHQL_PATH } from '../admission.ts';
import type { SocketOperations } from './operations.ts';
import { makeServer } from './packages.ts';
import type { Seat } from './seats.ts';

const INIT_TIMEOUT_MS = 3_000;
/** Maximum number of concurrent operations per socket. */
const MAX_OPERATIONS = 50;

/** The state of one socket. */
export interface Caller {
  /** The request that became the socket. */
  readonly request: IncomingMessage;
  readonly seat: Seat;
  readonly operations: SocketOperations;
  /** Closes the connection of a caller that does not read. */
  readonly hangUp: () => void;
  /** Closes the connection of a caller whose only key is no longer accepted. */
  readonly shutOut: () => void;
  /** The API keys used by operations of the socket, each with the access token sent with it. */
  readonly keys: Set<string>;
  /** True once a subscription has ended because its key is no longer accepted. */
  hasRevokedKey: boolean;
}

/** The parts shared with HTTP. */
export interface ProtocolParts {
  readonly services: Services;
  readonly graph: Graph;
  readonly access: Access;
  readonly documents: ResolveDocument;
  readonly overload: Overload;
}

/** Executes the operation of a message; passed along with the operation as its root value. */
interface Executors {
  execute(): ReturnType<NonNullable<ProtocolOptions['execute']>>;
  subscribe(): ReturnType<NonNullable<ProtocolOptions['subscribe']>>;
}

type ProtocolOptions = Parameters<typeof makeServer<HeaderBag, Caller>>[0];

/** Creates the graphql-transport-ws protocol for all sockets. Operation ids are this server's. */
export function createProtocol(parts: ProtocolParts): Server<Caller> {
  const { log } = parts.services;
  const requestIds = new WeakMap<object, string>();
  const idOf = (payload: object): string => requestIds.get(payload) ?? randomUUID();
  return makeServer<HeaderBag, Caller>({
    connectionInitWaitTimeout: INIT_TIMEOUT_MS,
    onConnect: ({ connectionParams, extra: { seat, request } }) =>
      seat.claim(readCredentials(connectionParams, request.headers)),
    execute: (args) => (args.rootValue as Executors).execute(),
    subscribe: (args) => (args.rootValue as Executors).subscribe(),
    onSubscribe: async ({ connectionParams, extra }, name, payload) => {
      const requestId = randomUUID();
      requestIds.set(payload, requestId);
      const inMessage = bagOf(payload.extensions?.['headers']);
      const span = spanOfMessage(GRAPHQL_PATH, extra.request, inMessage);
      const message = { name, payload, bags: [inMessage, connectionParams], requestId, span };
      const begun = begin(parts, extra, message);
      if ('document' in begun) return begun;
      noteErrors(span, { errors: begun });
      span?.end();
      return begun;
    },
    onNext: ({ extra }, _name, payload, args, { data, errors, extensions }) => {
      if (!errors) return undefined;
      const told = formatted(errors, idOf(payload), log);
      if (isSubscription(args) && told.some(isRejectedKey)) extra.hasRevokedKey = true;
      return { ...(data === undefined ? {} : { data }), errors: told, ...(extensions && { extensions }) };
    },
    onComplete: ({ extra }) => {
      if (extra.hasRevokedKey && extra.keys.size <= 1) extra.shutOut();
    },
    onError: (_ctx, _name, payload, errors) => formatted(errors, idOf(payload), log),
  });
}

interface Message extends Pick<SocketCaller, 'requestId' | 'span'> {
  /** Our name for the operation. */
  readonly name: string;
  readonly payload: SubscribePayload;
  /** Where its credentials may be, in order before the headers of the socket. */
  readonly bags: readonly (HeaderBag | undefined)[];
}

/** Returns what to execute for a message, or the errors that prevent it. */
function begin(
  parts: ProtocolParts,
  { operations, request, seat, hangUp, keys }: Caller,
  { name, payload, bags, requestId, span }: Message,
): ExecutionArgs | readonly GraphQLError[] {
  if (operations.running > MAX_OPERATIONS) return TOO_MANY_OPERATIONS;
  const credentials = parts.access.grant(request.headers.host, ...bags, request.headers);
  if (isRefused(credentials)) return [refusal(credentials.code, credentials.message)];
  const shown = credentialsFor(parts.services.config, credentials, 'current');
  if (shown.length > 0) keys.add(shown.join(' '));
  // The explorer sends its credentials only with each operation.
  if (!seat.claim(credentials)) return TOO_MANY_SOCKETS;
  const signal = operations.signalOf(name);
  const caller = { requestId, credentials, cancellation: cancellationBy(signal), hangUp, span };
  // An error leaving the hook would close the socket; this way it only ends the operation.
  try {
    return prepare(parts, payload, caller, operations);
  } catch (error) {
    return asErrors(error);
  }
}

function isSubscription({ document, operationName }: ExecutionArgs): boolean {
  return getOperationAST(document, operationName)?.operation === OperationTypeNode.SUBSCRIPTION;
}

function isRejectedKey({ extensions }: GraphQLFormattedError): boolean {
  return extensions?.['code'] === 'CREDENTIAL_REJECTED' && extensions['surface'] === 'CURRENT';
}

const TOO_MANY_OPERATIONS = [
  limitError(`Too many operations on this WebSocket (maximum ${MAX_OPERATIONS}).`),
];
const TOO_MANY_SOCKETS = [limitError('Too many WebSockets with this credential are open.')];

const OVERLOADED = [refusal('OVERLOADED', 'The server is overloaded.')];

function limitError(message: string): GraphQLError {
  return refusal('LIMIT_EXCEEDED', message);
}

function refusal(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}

interface SubscribePayload {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Record<string, unknown> | null | undefined;
  readonly extensions?: Record<string, unknown> | null | undefined;
}

interface SocketCaller {
  readonly requestId: string;
  readonly credentials: Credentials;
  readonly cancellation: Cancellation;
  readonly hangUp: () => void;
  readonly span: OperationSpan | null;
}

function prepare(
  { services, graph, documents, overload }: ProtocolParts,
  payload: SubscribePayload,
  caller: SocketCaller,
  operations: SocketOperations,
): ExecutionArgs | readonly GraphQLError[] {
  const parameters = documents({ ...payload });
  if ('message' in parameters) return [refusal(parameters.code ?? 'BAD_USER_INPUT', parameters.message)];
  const prepared = graph.prepare(String(parameters.query));
  if (prepared.errors.length > 0) return prepared.errors;
  // As over HTTP, an empty name counts as none.
  const operationName = payload.operationName || null;
  const operation = prepared.operation(operationName);
  const context = createContext(services, caller);
  const request = { operation, context, variables: payload.variables };
  const admission = graph.admit(request);
  if (admission.refusal) return [admission.refusal];
  const admitted = admitting(overload, services.doorway);
  return {
    schema,
    document: prepared.document,
    operationName,
    variableValues: payload.variables ?? null,
    contextValue: context,
    rootValue: {
      execute: () =>
        spanned(caller.span, () =>
          admitted(async () => graph.bounded(await operations.track(graph.execute(request, admission)))),
        ),
      subscribe: () => spanned(caller.span, () => admitted(() => graph.subscribe(request, admission))),
    } satisfies Executors,
  };
}

// A waiting subscription does no work, so it only counts until it has started.
function admitting(overload: Overload, doorway: Doorway) {
  return async <T>(run: () => T | Promise<T>): Promise<T | ExecutionResult> => {
    const leave = overload.turnsAway() ? null : overload.enter();
    if (leave === null) return { errors: OVERLOADED };
    try {
      const clear = doorway.whenClear();
      if (clear !== null) await clear;
      return await run();
    } finally {
      leave();
    }
  };
}

function formatted(
  errors: readonly GraphQLError[],
  requestId: string,
  log: Log,
): readonly GraphQLFormattedError[] {
  return presentResult({ errors }, requestId, log).errors.map(withoutHttp);
}

function asErrors(error: unknown): readonly GraphQLError[] {
  if (error instanceof GraphQLError) return [error];
  return [
    new GraphQLError('unexpected', {
      originalError: error instanceof Error ? error : new Error(String(error)),
    }),
  ];
}

function bagOf(value: unknown): HeaderBag {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
