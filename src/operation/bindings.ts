import type { LiveEvent } from '../live/readers.ts';
import type { LiveCaller } from '../live/relay.ts';
import type { Services } from '../services.ts';
import type { ClientOptions } from '../sources/call.ts';
import { createCurrentClient, type CurrentClient } from '../sources/current/client.ts';
import { SourceError, type Surface } from '../sources/errors.ts';
import { createLegacyClient, type LegacyClient } from '../sources/legacy/client.ts';
import type { Sources } from '../sources/sources.ts';
import { cancellationBy } from '../sources/upstream/cancellation.ts';
import type { FinishedCall } from '../sources/upstream/upstream-call.ts';
import type { CallersWrites, WriteContext } from '../writes/context.ts';
import type { Credentials } from './credentials.ts';

/** Live results, bound to the caller. Reading throws a SourceError where the surface or its credential is missing. */
export interface CallersLive extends Readonly<WriteContext['live']> {
  /** The state of one generation, then its end. */
  readonly read: (contentId: string) => AsyncIterableIterator<LiveEvent>;
  /** The end of each generation that the caller's credential asked for here, from now on. */
  readonly follow: () => AsyncIterableIterator<LiveEvent>;
}

/** How the calls of one binding to the surfaces go. */
export interface CallRules extends Pick<ClientOptions, 'cancellation' | 'endsAt' | 'isFresh' | 'onCall'> {
  readonly credentials: Credentials;
}

/** Binds the surfaces to a caller. */
export function bindSources(services: Services, { credentials, ...rules }: CallRules): Sources {
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
  return { http, credential: credential.value, caller: services.hashCredential(surface, credential.value) };
}

// What is read for the sake of a write must not be older than the write, and is read also when the caller has gone.
/** Binds what writes need to a caller. */
export function bindWrites(services: Services, { credentials, onCall }: CallRules): CallersWrites {
  const { settled: _settled, ...shared } = services.writes;
  return {
    ...shared,
    sources: bindSources(services, { credentials, onCall, isFresh: true }),
    callerId: (surface) => callerId(services, credentials, surface),
  };
}

function callerId({ hashCredential }: Services, credentials: Credentials, surface: Surface): string {
  const credential = credentials[surface];
  return hashCredential(surface, credential.state === 'given' ? credential.value : '');
}

/** Binds live results to a caller; `hangUp` ends the connection of one who does not read. */
export function bindLive(
  services: Services,
  { credentials, hangUp }: { readonly credentials: Credentials; readonly hangUp?: () => void },
): CallersLive {
  const { live, onDrift } = services;
  const onCall = (call: FinishedCall): void => services.onCall(call, null);
  const holder = (): string => callerId(services, credentials, 'current');
  const caller = (): LiveCaller => {
    const bound = bind(services, credentials, 'current');
    return {
      holder: bound.caller,
      apiKey: bound.credential,
      // A look that began before the result was there would not see it.
      client: (signal) =>
        createCurrentClient({
          ...bound,
          cancellation: cancellationBy(signal),
          isFresh: true,
          onDrift,
          onCall,
        }),
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
