import type { Authorization } from './authorization.ts';
import { ResultBudget } from './engine/result-budget.ts';
import { createLoaders, type Loaders } from './loaders.ts';
import type { LiveCaller, StartedGeneration } from './live/relay.ts';
import type { LiveEvent } from './live/readers.ts';
import type { AiGenerationRecord } from './records/ai-generation.ts';
import type { Services } from './services.ts';
import type { ClientOptions } from './sources/call.ts';
import { createCurrentClient, type CurrentClient } from './sources/current/client.ts';
import { SourceError, type Surface } from './sources/errors.ts';
import type { FinishedCall } from './sources/http.ts';
import type { Drift } from './sources/view.ts';
import type { WriteDesk } from './writes/desk.ts';
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
  readonly writes: CallersWrites;
  readonly live: CallersLive;
  /** How many calls to the service have ended so far. */
  readonly calls: { readonly made: number };
  /** Counts the fields and errors of the result. */
  readonly budget: ResultBudget;
  /** Told of fields that are not as the interface documents them. */
  readonly onDrift: (drift: Drift) => void;
  /** The zone of the service's wall clock, where the operator states one. */
  readonly serviceTimeZone: string | null;
  /** How the legacy surface takes `true` in a form. */
  readonly legacyTrue: '1' | 'true';
  /** Null where this server has no app on the legacy surface. */
  readonly authorization: Authorization | null;
}

/** What writes need, bound to the caller. */
export interface CallersWrites extends Omit<WriteDesk, 'settled'> {
  /** A name for the caller on a surface that tells nothing of the credential. */
  readonly callerId: (surface: Surface) => string;
  /** The surfaces, bound to the caller, for calls that go on when the caller has gone. */
  readonly sources: Sources;
}

/** Live results, bound to the caller. Reading throws a SourceError where the surface or its credential is missing. */
export interface CallersLive {
  /** The state of one generation, then its end. */
  readonly read: (contentId: string) => AsyncIterableIterator<LiveEvent>;
  /** The end of each generation that the caller's credential asked for here, from now on. */
  readonly follow: () => AsyncIterableIterator<LiveEvent>;
  readonly started: (generation: StartedGeneration) => void;
  readonly recall: (contentId: string) => Promise<AiGenerationRecord | null>;
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
  /** Ends the caller's connection, when it does not read what it is sent. */
  readonly hangUp?: () => void;
}

/** Makes the context of one operation; nothing in it outlives the operation or is shared with another. */
export function createContext(services: Services, options: OperationOptions): OperationContext {
  const calls = { made: 0 };
  const onCall = (call: FinishedCall): void => {
    calls.made += 1;
    services.onCall(call, options.requestId);
  };
  const { credentials, signal } = options;
  const endsAt = performance.now() + services.config.operationTimeoutMs;
  const sources = bindSources(services, { credentials, endsAt, onCall, ...(signal ? { signal } : {}) });
  return {
    requestId: options.requestId,
    credentials,
    sources,
    calls,
    budget: new ResultBudget(services.config.limits),
    loaders: createLoaders(sources, services),
    onDrift: services.onDrift,
    writes: bindWrites(services, { credentials, onCall }),
    live: bindLive(services, options),
    serviceTimeZone: services.config.serviceTimeZone,
    legacyTrue: services.config.legacyTrue,
    authorization: services.authorization,
  };
}

/** How the calls of one binding to the surfaces go. */
interface CallRules extends Pick<ClientOptions, 'signal' | 'endsAt' | 'isFresh' | 'onCall'> {
  readonly credentials: Credentials;
}

function bindSources(services: Services, { credentials, ...rules }: CallRules): Sources {
  let current: CurrentClient | undefined;
  let legacy: LegacyClient | undefined;
  const shared = { onDrift: services.onDrift, ...rules };
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
  return { http, credential: credential.value, caller: services.nameOf(surface, credential.value) };
}

// What is read for the sake of a write must not be older than the write, and is read also when the caller has gone.
function bindWrites(services: Services, { credentials, onCall }: CallRules): CallersWrites {
  const { settled: _settled, ...shared } = services.writes;
  return {
    ...shared,
    sources: bindSources(services, { credentials, onCall, isFresh: true }),
    callerId: (surface) => callerId(services, credentials, surface),
  };
}

function callerId({ nameOf }: Services, credentials: Credentials, surface: Surface): string {
  const credential = credentials[surface];
  return nameOf(surface, credential.state === 'given' ? credential.value : '');
}

function bindLive(services: Services, { credentials, hangUp }: OperationOptions): CallersLive {
  const { live, onDrift } = services;
  const onCall = (call: FinishedCall): void => services.onCall(call, null);
  const holder = (): string => callerId(services, credentials, 'current');
  const caller = (): LiveCaller => {
    const bound = bind(services, credentials, 'current');
    return {
      holder: bound.caller,
      apiKey: bound.credential,
      // A look that began before the result was there would not see it.
      client: (signal) => createCurrentClient({ ...bound, signal, isFresh: true, onDrift, onCall }),
      hangUp: hangUp ?? (() => undefined),
    };
  };
  return {
    read: (contentId) => live.read(caller(), contentId),
    follow: () => live.follow(caller()),
    started: (generation) => live.started(holder(), generation),
    recall: (contentId) => live.recall(holder(), contentId),
  };
}

function preferredSurface(services: Services, credentials: Credentials): Surface {
  const usable = (surface: Surface): boolean =>
    services.http[surface] !== null && credentials[surface].state !== 'missing';
  if (usable('current')) return 'current';
  if (usable('legacy')) return 'legacy';
  return services.http.current === null ? 'legacy' : 'current';
}
