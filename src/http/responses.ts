import { GraphQLError, type ExecutionResult, type GraphQLFormattedError } from 'graphql';
import type { ResponseType } from './accept.ts';

/** Returns the text of a result without the HTTP hints of its errors. */
export function textOf(result: ExecutionResult): string {
  return JSON.stringify(result.errors ? { ...result, errors: result.errors.map(withoutHttp) } : result);
}

/** Returns the error as clients get it: HTTP hints are for the transport. */
export function withoutHttp(error: GraphQLError): GraphQLFormattedError {
  const { http: _http, ...extensions } = error.extensions;
  return { ...error.toJSON(), extensions };
}

interface HttpHint {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** True if only the media type of GraphQL responses expresses the error by its status. */
  readonly spec?: boolean;
}

const WITHOUT_ERRORS: Omit<HttpHint, 'spec'> = { status: 200 };

/** Returns the status of a result, and the headers of its errors. */
export function headOf({ errors }: ExecutionResult, type: ResponseType): Omit<HttpHint, 'spec'> {
  if (!errors) return WITHOUT_ERRORS;
  let status = 0;
  let headers: HttpHint['headers'];
  for (const { extensions } of errors) {
    const hint = extensions['http'] as HttpHint | undefined;
    if (!hint || (hint.spec && type === 'application/json')) continue;
    status = Math.max(status, hint.status);
    if (hint.headers) headers = { ...headers, ...hint.headers };
  }
  return { status: status || 200, ...(headers && { headers }) };
}

/** Returns an error that was thrown as a GraphQL error; anything but a GraphQL error is unexpected. */
export function asGraphQLError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const originalError = error instanceof Error ? error : new Error(String(error));
  return new GraphQLError('unexpected', { originalError });
}
