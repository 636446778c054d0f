import type { Config } from '../config.ts';
import type { LiveEvent } from '../live/channel.ts';
import type { LiveCaller } from '../live/relay.ts';
import { createLoaders, type Loaders, type SizeMemories } from '../loaders/loaders.ts';
import type { Services } from '../services.ts';
import type { ClientOptions } from '../sources/client.ts';
import { createCurrentClient, type CurrentClientOptions } from '../sources/current/client.ts';
import { SourceError, type Surface } from '../sources/errors.ts';
import { createLegacyClient } from '../sources/legacy/client.ts';
import type { Sources } from '../sources/sources.ts';
import { cancellationBy } from '../sources/upstream/cancellation.ts';
import type { FinishedCall } from '../sources/upstream/call.ts';
import type { IsWanted, WatchCaller, WatchEvents } from '../watch/watches.ts';
import type { ObservedAccount } from '../watch/account-health.ts';
import type { QueuedPostRecord } from '../records/queued-post.ts';
import type { CallersWrites, WriteContext } from '../writes/context.ts';
import { missingCredential } from '../writes/outcome.ts';
import type { CallBudget } from './call-budget.ts';
import { credentialsFor, type Caller } from './caller.ts';
import { givenIn, type Credentials } from './credentials.ts';

/** Live results, bound to the caller. Reading throws a SourceError if the surface or its credential is missing. */
export interface CallersLive extends Readonly<WriteContext['live']> {
  /** The state of one generation, then its end. */
  readonly read: (contentId: string) => AsyncIterableIterator<LiveEvent>;
  /** The end of each generation that the caller's credential asked for here, from now on. */
  readonly follow: () => AsyncIterableIterator<LiveEvent>;
}

/** Watches of lists, bound to the caller. Watching throws as reading live results does. */
export interface CallersWatches {
  readonly queue: (isWanted: IsWanted<QueuedPostRecord>) => WatchEvents<QueuedPostRecord>;
  readonly accountHealth: (isWanted: IsWanted<ObservedAccount>) => WatchEvents<ObservedAccount>;
}

/** The options for the calls of one binding. */
interface CallRules extends Pick<ClientOptions, 'cancellation' | 'endsAt' | 'isFresh' | 'onCall' | 'span'> {
  readonly caller: Caller;
  /** Limits the number of calls; without one, there is no limit. */
  readonly budget?: CallBudget;
}

/** Binds the surfaces to a caller. */
export function bindSources(services: Services, rules: CallRules): Sources {
  return {
    current: once(() => createCurrentClient(bind(services, 'current', rules))),
    legacy: once(() => {
      const tokenPlacement = services.config.legacyTokenPlacement;
      return createLegacyClient({ ...bind(services, 'legacy', rules), tokenPlacement });
    }),
    isConfigured: (surface) => services.http[surface] !== null,
    preferred: () => preferredSurface(services, rules.caller.credentials),
  };
}

/**
 * Calls a function when its result is first needed, and then returns or throws the same again. Thousands of fields may
 * request a surface without a credential, and creating an error with a stack for each is expensive.
 */
function once<T>(make: () => T): () => T {
  let made: (() => T) | undefined;
  return () => (made ??= outcomeOf(make))();
}

function outcomeOf<T>(make: () => T): () => T {
  try {
    const value = make();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function bind(services: Services, surface: Surface, rules: CallRules): CurrentClientOptions {
  const { caller } = rules;
  const { credentials } = caller;
  const http = services.http[surface];
  const credential = credentials[surface];
  if (http === null) throw new SourceError('not-configured', surface, 'the surface is not configured');
  if (credential.state === 'missing') throw credentialMissing(services.config, surface, credentials);
  if (credential.state === 'unusable')
    throw new SourceError('unauthenticated', surface, 'an unusable credential');
  const [, accessToken] = credentialsFor(services.config, credentials, surface);
  const id = caller.id(surface);
  const { acceptedCredentials, hashCredential, onDrift, onServerError } = services;
  // The accepted credential is the surface's own, whatever is sent in addition.
  const name = (): string => (accessToken === undefined ? id : hashCredential(surface, credential.value));
  const onJudged = (isAccepted: boolean): void => acceptedCredentials.note(name(), isAccepted);
  const { budget, cancellation, endsAt, isFresh, onCall, span } = rules;
  // Written out: spreading several objects into it takes several times as long.
  return {
    http: budget === undefined ? http : within(budget, http),
    credential: credential.value,
    accessToken,
    caller: id,
    credentials: givenIn(credentials),
    onJudged,
    onDrift,
    onServerError,
    cancellation,
    endsAt,
    isFresh,
    onCall,
    span,
  };
}

function within(budget: CallBudget, http: CurrentClientOptions['http']): CurrentClientOptions['http'] {
  return {
    send(call) {
      budget.begin();
      return http.send(call);
    },
  };
}

// Also if the other surface's credential is missing, since the access token may have been meant for either.
function credentialMissing(
  { demoCredentials }: Config,
  surface: Surface,
  { legacy }: Credentials,
): SourceError {
  const isInOtherForm = legacy.state === 'missing' && legacy.isInOtherForm === true;
  return new SourceError('credential-missing', surface, 'no credential was sent', {
    publicMessage: missingCredential(surface, { isInOtherForm, demoCredentials }),
  });
}

/** The dependencies of writes, bound to a caller. */
export class BoundWrites implements CallersWrites {
  readonly journal: CallersWrites['journal'];
  readonly mutex: CallersWrites['mutex'];
  readonly sources: Sources;
  readonly #services: Services;
  readonly #caller: Caller;

  constructor(services: Services, { caller, onCall, span }: CallRules) {
    this.journal = services.writes.journal;
    this.mutex = services.writes.mutex;
    // Reads on behalf of a write must not be older than the write, and continue even if the caller disconnects.
    this.sources = bindSources(services, { caller, onCall, span, isFresh: true });
    this.#services = services;
    this.#caller = caller;
  }

  now(): number {
    return Date.now();
  }

  callerId(surface: Surface): string {
    return this.#caller.id(surface);
  }

  track<T>(write: Promise<T>): Promise<T> {
    const { queueReadings, watches, writes } = this.#services;
    // The lists of the current surface show the write, whichever surface it went to.
    const id = this.#caller.id('current');
    queueReadings.forget(id);
    return writes.track(write, () => {
      queueReadings.forget(id);
      watches.hasten(id);
    });
  }

  queueReading(
    read: Parameters<CallersWrites['queueReading']>[0],
  ): ReturnType<CallersWrites['queueReading']> {
    return this.#services.queueReadings.read(this.callerId('current'), read);
  }

  loaders(): Loaders {
    return createLoaders(this.sources, sizeMemoryFor(this.#services, this.#caller));
  }
}

/** Returns the learned page sizes of the caller's lists, all of which are on the current surface. */
export function sizeMemoryFor(services: Services, caller: Caller): SizeMemories {
  let memories: SizeMemories | undefined;
  return (list, start) => {
    memories ??= services.sizeMemoryOf(caller.id('current'));
    return memories(list, start);
  };
}

/** Binds live results to a caller; `hangUp` closes the connection of a caller who does not read. */
export function bindLive(
  services: Services,
  caller: Caller,
  hangUp: () => void = () => undefined,
): CallersLive {
  const { live } = services;
  const onCall = (call: FinishedCall): void => services.onCall(call, null);
  const holder = (): string => caller.id('current');
  const reader = (): LiveCaller => {
    // A poll that started before the result existed would not see it.
    const bound = bind(services, 'current', { caller, isFresh: true, onCall });
    return {
      holder: bound.caller,
      apiKey: bound.credential,
      client: (signal) => createCurrentClient({ ...bound, cancellation: cancellationBy(signal) }),
      hangUp,
    };
  };
  return {
    read: (contentId) => live.read(reader(), contentId),
    follow: () => live.follow(reader()),
    started: (generation) => live.started(holder(), generation),
    recall: (contentId) => live.recall(holder(), contentId),
  };
}

/** Binds watches to a caller; `hangUp` closes the connection of a caller who does not read. */
export function bindWatches(
  services: Services,
  caller: Caller,
  hangUp: () => void = () => undefined,
): CallersWatches {
  const { watches } = services;
  const watcher = (): WatchCaller => {
    const { caller: holder } = bind(services, 'current', { caller });
    return {
      holder,
      loaders: (signal) => {
        const cancellation = cancellationBy(signal);
        const onCall = (call: FinishedCall): void => services.onCall(call, null);
        const sources = bindSources(services, { caller, cancellation, isFresh: true, onCall });
        return createLoaders(sources, sizeMemoryFor(services, caller));
      },
      hangUp,
    };
  };
  return {
    queue: (isWanted) => watches.queue(watcher(), isWanted),
    accountHealth: (isWanted) => watches.accountHealth(watcher(), isWanted),
  };
}

function preferredSurface(services: Services, credentials: Credentials): Surface {
  const usable = (surface: Surface): boolean =>
    services.http[surface] !== null && credentials[surface].state !== 'missing';
  if (usable('current')) return 'current';
  if (usable('legacy')) return 'legacy';
  return services.http.current === null ? 'legacy' : 'current';
}
