import type { MiddlewareHandler } from 'hono';
import type { Clock } from './clock.ts';
import type { Owner } from './data/model.ts';
import type { Quirks } from './quirks.ts';
import { Refusal } from './refusal.ts';
import type { SandboxEnv, Service } from './service.ts';

/** The parts of a request that may carry credentials. */
export interface Presented {
  readonly header: (name: string) => string | null;
  readonly query: URLSearchParams;
  /** Form or JSON fields of the body. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The owners that the API key and the access token belong to. */
export interface Caller {
  readonly byKey: Owner | null;
  readonly byToken: Owner | null;
}

/** The valid credentials. */
export interface Credentials {
  identify(presented: Presented): Caller;
  ownerOfKey(apiKey: string | null | undefined): Owner | null;
  /** Accepts an access token from now on, for a limited time or indefinitely. */
  admit(token: string, owner: Owner, lifetimeMs: number): void;
}

/** Creates the credentials: the owners' own keys and tokens, and tokens issued later. */
export function createCredentials(owners: readonly Owner[], quirks: Quirks, clock: Clock): Credentials {
  const keys = new Map(owners.map((owner) => [owner.credentials.apiKey, owner]));
  const tokens = new Map(
    owners.map((owner) => [owner.credentials.accessToken, { owner, expiresAt: Number.POSITIVE_INFINITY }]),
  );
  const ownerOfToken = (token: string) => {
    const entry = tokens.get(token);
    return entry && entry.expiresAt > clock.now() ? entry.owner : null;
  };
  const ownerOfKey = (key: string | null | undefined) => (key ? (keys.get(key) ?? null) : null);
  return {
    ownerOfKey,
    admit(token, owner, lifetimeMs) {
      tokens.set(token, { owner, expiresAt: clock.now() + lifetimeMs });
    },
    identify(presented) {
      const token = presentedTokens(presented, quirks).find((text) => text !== '');
      return {
        byKey: ownerOfKey(presented.header('x-api-key')),
        byToken: token === undefined ? null : ownerOfToken(token),
      };
    },
  };
}

function presentedTokens({ header, query, fields }: Presented, quirks: Quirks): string[] {
  const bearer = /^Bearer +(\S+)$/i.exec(header('authorization') ?? '')?.[1] ?? '';
  const field = fields['access_token'];
  const found = {
    header: bearer,
    body: typeof field === 'string' ? field : '',
    query: query.get('access_token') ?? '',
  };
  return quirks.legacyTokenPlacements.map((placement) => found[placement]);
}

/** Admits a call of the current surface for the owner of its key; otherwise responds with 401. */
export function requireKey({ quirks, world }: Service, sparesKey = false): MiddlewareHandler<SandboxEnv> {
  return async (c, next) => {
    const { byKey, byToken } = c.env.caller;
    const spared = sparesKey && !quirks.libraryNeedsKey && c.req.header('x-api-key') === undefined;
    const owner = spared ? world.owners[0] : byKey;
    if (!owner) throw new Refusal(401, invalid('header x-api-key', world.owners[0], 'apiKey'), 'x-api-key');
    if (quirks.currentNeedsToken && byToken !== owner) {
      throw new Refusal(401, invalid('access token', owner, 'accessToken'), 'access_token');
    }
    c.set('owner', owner);
    await next();
  };
}

/** Admits a legacy call for the owner of its access token. */
export function requireToken({ quirks, world }: Service): MiddlewareHandler<SandboxEnv> {
  return async (c, next) => {
    const owner = c.env.caller.byToken;
    if (!owner) {
      const problem = invalid('access token', world.owners[0], 'accessToken');
      throw new Refusal(quirks.legacyUnauthorizedStatus, problem);
    }
    c.set('owner', owner);
    await next();
  };
}

// Whoever sends a real credential should learn that this is not the service.
function invalid(what: string, { credentials }: Owner, kind: 'apiKey' | 'accessToken'): string {
  return `The ${what} is missing or invalid. This is the sandbox, which accepts ${credentials[kind]}.`;
}
