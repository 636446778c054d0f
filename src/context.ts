import { createLoaders, type Loaders } from './loaders.ts';
import type { Services } from './services.ts';
import { createCurrentClient, type CurrentClient } from './sources/current/client.ts';
import { SourceError, type Surface } from './sources/errors.ts';
import { createLegacyClient, type LegacyClient } from './sources/legacy/client.ts';

/** A caller's credential for one surface, as it was sent. */
export type Credential =
  | { readonly state: 'missing' }
  /** Sent, but in a form that no credential has; it is not passed on. */
  | { readonly state: 'unusable' }
  | { readonly state: 'given'; readonly value: string };

/** The caller's credentials: an API key for the current surface, an access token for the legacy one. */
export type Credentials = Readonly<Record<Surface, Credential>>;

/** What one operation carries. */
export interface OperationContext {
  /** Also in the response header `x-request-id` and in the log. */
  readonly requestId: string;
  readonly credentials: Credentials;
  readonly sources: Sources;
  readonly loaders: Loaders;
  /** The zone of the service's wall clock, where the operator states one. */
  readonly serviceTimeZone: string | null;
}

/** The surfaces, bound to the caller. Each throws a SourceError where the surface or its credential is missing. */
export interface Sources {
  readonly current: () => CurrentClient;
  readonly legacy: () => LegacyClient;
  /** True when this server has the surface at all. */
  readonly isConfigured: (surface: Surface) => boolean;
  /** The surface that answers when the caller names none. */
  readonly preferred: () => Surface;
}

/** What the transport knows of an operation. */
export interface OperationOptions {
  readonly requestId: string;
  readonly credentials: Credentials;
  /** Aborted when the caller has gone. */
  readonly signal?: AbortSignal;
}

/** Makes the context of one operation; nothing in it outlives the operation or is shared with another. */
export function createContext(services: Services, options: OperationOptions): OperationContext {
  const sources = bindSources(services, options);
  return {
    requestId: options.requestId,
    credentials: options.credentials,
    sources,
    loaders: createLoaders(sources, services),
    serviceTimeZone: services.config.serviceTimeZone,
  };
}

function bindSources(services: Services, { credentials, signal }: OperationOptions): Sources {
  const shared = { onDrift: services.onDrift, onCall: services.onCall, ...(signal ? { signal } : {}) };
  let current: CurrentClient | undefined;
  let legacy: LegacyClient | undefined;
  return {
    current: () =>
      (current ??= createCurrentClient({ ...bind(services, credentials, 'current'), ...shared })),
    legacy: () =>
      (legacy ??= createLegacyClient({
        ...bind(services, credentials, 'legacy'),
        ...shared,
        tokenPlacement: services.config.legacyTokenPlacement,
      })),
    isConfigured: (surface) => services.http[surface] !== null,
    preferred: () => preferredSurface(services, credentials),
  };
}

function bind(services: Services, credentials: Credentials, surface: Surface) {
  const http = services.http[surface];
  const credential = credentials[surface];
  if (http === null) throw new SourceError('not-configured', surface, 'the surface is not configured');
  if (credential.state === 'missing')
    throw new SourceError('credential-missing', surface, 'no credential was sent');
  if (credential.state === 'unusable')
    throw new SourceError('unauthenticated', surface, 'an unusable credential');
  return { http, credential: credential.value };
}

function preferredSurface(services: Services, credentials: Credentials): Surface {
  const usable = (surface: Surface): boolean =>
    services.http[surface] !== null && credentials[surface].state !== 'missing';
  if (usable('current')) return 'current';
  if (usable('legacy')) return 'legacy';
  return services.http.current === null ? 'legacy' : 'current';
}
