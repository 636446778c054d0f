import type { z } from 'zod';
import { clientTokens, credential, headerNames, isLoopback, origins } from './setting.ts';

/** Who may use the server. */
export interface AccessConfig {
  /** Credentials of the service that the operator configured, for callers that send none of their own. */
  readonly operator: { readonly apiKey: string | null; readonly accessToken: string | null };
  /** Tokens of which callers must send one; if there are none, no token is needed. */
  readonly clientTokens: readonly string[];
  /** Origins of pages on other sites that may read responses and open sockets; compared exactly. */
  readonly allowedOrigins: readonly string[];
  /** Headers that those pages may send in addition to the known ones. */
  readonly corsHeaders: readonly string[];
}

/** The environment variables for access. */
export const accessSettings = {
  ALLOWED_ORIGINS: origins().describe(
    'origins of other sites whose pages may use this server, such as https://app.example, separated by commas',
  ),
  CORS_HEADERS: headerNames().describe(
    'additional request headers that pages of those origins may send, such as x-team, separated by commas',
  ),
  API_KEY: credential().describe(
    'API key for callers that send none; requires a loopback HOST or CLIENT_TOKENS',
  ),
  ACCESS_TOKEN: credential().describe(
    'access token for callers that send none; requires a loopback HOST or CLIENT_TOKENS',
  ),
  CLIENT_TOKENS: clientTokens().describe(
    'tokens, separated by commas, one of which every caller must send as x-client-token',
  ),
};

type Values = z.output<z.ZodObject<typeof accessSettings>>;

/** Builds the access configuration from the variables. */
export function accessConfigOf(values: Values): AccessConfig {
  return {
    operator: { apiKey: values.API_KEY, accessToken: values.ACCESS_TOKEN },
    clientTokens: values.CLIENT_TOKENS,
    allowedOrigins: values.ALLOWED_ORIGINS,
    corsHeaders: values.CORS_HEADERS,
  };
}

/** Lists problems with them: anybody who can reach the port could use the operator's credentials. */
export function accessProblems(values: Values & { readonly HOST: string }): string[] {
  if (values.CLIENT_TOKENS.length > 0 || isLoopback(values.HOST)) return [];
  return (['API_KEY', 'ACCESS_TOKEN'] as const)
    .filter((name) => values[name] !== null)
    .map((name) => `${name}: could be used by anyone who can reach this server; set CLIENT_TOKENS as well`);
}
