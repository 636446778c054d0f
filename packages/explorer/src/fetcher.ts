import type { Fetcher, FetcherOpts, FetcherParams } from '@graphiql/toolkit';
import { getOperationAST, OperationTypeNode, parse, type ExecutionResult } from 'graphql';
import type { FreshKeys } from './fresh-keys.ts';
import { failure } from './failure.ts';
import { asSent } from './headers.ts';
import type { Follow, Sink } from './live.ts';

const INTROSPECTION = 'IntrospectionQuery';

/** What came of an operation, one after the other, until it is unsubscribed from. */
type Results = Exclude<Awaited<ReturnType<Fetcher>>, ExecutionResult | AsyncIterable<ExecutionResult>>;

/** One operation, and where it goes. */
interface Sending {
  readonly address: URL;
  readonly params: FetcherParams;
  readonly headers: FetcherOpts['headers'];
}

/**
 * Sends GraphiQL's operations: subscriptions over one WebSocket, each with headers of its own, so that each tab may have
 * its own credentials; everything else by POST. Either ends when it is stopped. Keys that the page wrote are replaced, except
 * in queries, which look up what happened to a write.
 */
export function createFetcher(
  address: URL,
  { follow, keys }: { readonly follow: Follow; readonly keys: FreshKeys },
  startingHeaders: Readonly<Record<string, string>>,
): Fetcher {
  let headersOfFirst: FetcherOpts['headers'] = startingHeaders;
  return (given, { headers, documentAST } = {}) => {
    const variables: unknown = isQuery(given) ? given.variables : keys.renew(given.variables);
    const params: FetcherParams = { ...given, variables };
    if (params.operationName === INTROSPECTION) {
      // The first one is sent before there is an editor that could tell its headers.
      const known = headers ?? headersOfFirst;
      headersOfFirst = undefined;
      return introspect({ address, params, headers: known });
    }
    const operation = documentAST && getOperationAST(documentAST, params.operationName);
    return operation?.operation === OperationTypeNode.SUBSCRIPTION
      ? followed(follow, params, headers)
      : answerTo({ address, params, headers });
  };
}

// The document that GraphiQL gives may be that of another tab for a moment.
function isQuery({ query, operationName }: FetcherParams): boolean {
  try {
    return getOperationAST(parse(query), operationName)?.operation === OperationTypeNode.QUERY;
  } catch {
    return false;
  }
}

function resultsOf(start: (sink: Sink) => () => void): Results {
  // GraphiQL always gives all three functions, as an object.
  return { subscribe: (sink) => ({ unsubscribe: start(sink as Sink) }) };
}

function followed(follow: Follow, params: FetcherParams, headers: FetcherOpts['headers']): Results {
  const payload = {
    query: params.query,
    operationName: params.operationName ?? null,
    variables: (params.variables ?? {}) as Record<string, unknown>,
    extensions: { headers: asSent(headers) },
  };
  return resultsOf((sink) => follow(payload, sink));
}

function answerTo(sending: Sending): Results {
  return resultsOf((sink) => {
    const stopping = new AbortController();
    void deliver(sink, sending, stopping.signal);
    return () => stopping.abort();
  });
}

async function deliver(sink: Sink, sending: Sending, signal: AbortSignal): Promise<void> {
  try {
    sink.next(await post(sending, signal));
    sink.complete();
  } catch (error) {
    if (!signal.aborted) sink.error(error);
  }
}

// A refusal has no data, and GraphiQL would take that for a server that knows no subscriptions, and ask again. It says the
// same of each field.
async function introspect(sending: Sending): Promise<ExecutionResult> {
  const result = await post(sending);
  return result.errors ? { data: null, errors: result.errors.slice(0, 1) } : result;
}

async function post({ address, params, headers }: Sending, signal?: AbortSignal): Promise<ExecutionResult> {
  const request = new Request(address, {
    method: 'POST',
    headers: {
      ...asSent(headers),
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json;q=0.9',
    },
    body: JSON.stringify(params),
    signal: signal ?? null,
  });
  const response = await fetch(request).catch((cause: unknown) => {
    throw failure('The server cannot be reached.', cause);
  });
  return (await response.json().catch((cause: unknown) => {
    throw failure(`The server answered with status ${response.status}, and not with JSON.`, cause);
  })) as ExecutionResult;
}
