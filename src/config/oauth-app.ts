import { z } from 'zod';
import { choice, redirectUris } from './setting.ts';

/** An OAuth app of the legacy surface. */
export interface OAuthApp {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Addresses to which an authorisation may redirect; compared exactly. */
  readonly redirectUris: readonly string[];
  /** `strict`: the redirect must return the state; `cookie`: if it does not, the browser's cookie suffices. */
  readonly state: 'strict' | 'cookie';
}

/** The environment variables for the app. */
export const oauthSettings = {
  OAUTH_CLIENT_ID: z.string().optional().describe('client id of your OAuth app on the legacy surface'),
  OAUTH_CLIENT_SECRET: z.string().optional().describe('client secret of that app'),
  OAUTH_REDIRECT_URIS: redirectUris().describe(
    'redirect URIs of that app, separated by commas; /connect needs one that ends in /connect/callback',
  ),
  OAUTH_STATE: choice(['strict', 'cookie'])
    .default('strict')
    .describe('cookie: rely on the cookie alone if the service does not return the state'),
};

type Values = z.output<z.ZodObject<typeof oauthSettings>>;

const TOGETHER = ['OAUTH_CLIENT_ID', 'OAUTH_CLIENT_SECRET', 'OAUTH_REDIRECT_URIS'] as const;

/** Lists problems with them: an app needs all of its parts. */
export function oauthProblems(values: Values): string[] {
  const isGiven = (name: (typeof TOGETHER)[number]): boolean => (values[name]?.length ?? 0) > 0;
  if (!TOGETHER.some(isGiven)) return [];
  return TOGETHER.filter((name) => !isGiven(name)).map(
    (name) => `${name}: is required with the other OAUTH_ settings`,
  );
}

/** Builds the app from the variables, or returns null. */
export function oauthAppOf(values: Values): OAuthApp | null {
  const { OAUTH_CLIENT_ID: clientId, OAUTH_CLIENT_SECRET: clientSecret } = values;
  if (clientId === undefined || clientSecret === undefined) return null;
  return { clientId, clientSecret, redirectUris: values.OAUTH_REDIRECT_URIS, state: values.OAUTH_STATE };
}
