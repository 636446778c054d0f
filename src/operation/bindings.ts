import type { LiveCaller } from '../live/channel.ts';
import { OperationLoaders, type Loaders } from '../loaders/loaders.ts';
import type { Services } from '../services.ts';
import type { ClientOptions } from '../sources/client.ts';
import {
  createCurrentClient,
  type CurrentClient,
  type CurrentClientOptions,
} from '../sources/current/client.ts';
import { missingCredential, SourceError, type Surface } from '../sources/errors.ts';
import { createLegacyClient, type LegacyClient } from '../sources/legacy/client.ts';
import type { Sources } from '../sources/sources.ts';
import { CancellationSource } from '../sources/upstream/cancellation.ts';
import type { FinishedCall } from '../sources/upstream/call.ts';
import type { IsWanted, WatchCaller } from '../watch/watches.ts';
import { watchedAccountHealth, type ObservedAccount } from '../watch/account-health.ts';
import { watchedQueue } from '../watch/queue.ts';
import type { StartedGeneration } from '../records/ai-generation.ts';
import type { QueuedPostRecord } from '../records/queued-post.ts';
import type { CallersWrites } from '../writes/context.ts';
import type { CallBudget } from './call-budget.ts';
import { credentialsFor, type Caller } from './caller.ts';
import { givenIn, type Credentials } from './credentials.ts';

/** The options for the calls of one binding. */
interface CallRules extends Pick<ClientOptions, 'cancellation' | 'endsAt' | 'isFresh' | 'onCall' | 'span'> {
  readonly caller: Caller;
  /** Limits the number of calls; without one, there is no limit. */
  readonly budget?: CallBudget;
}

/** The surfaces, bound to a caller. */
export class BoundSources implements Sources {
  readonly #services: Services;
  readonly #rules: CallRules;
  #current: CurrentClient | undefined;
  #legacy: LegacyClient | undefined;
  /** Thousands of fields may request a surface without a credential, and an error with a stack is expensive. */
  readonly #errors: Partial<Record<Surface, SourceError>> = {};

  constructor(services: Services, rules: CallRules) {
    this.#services = services;
    this.#rules = rules;
  }

  current(): CurrentClient {
    return (this.#current ??= createCurrentClient(this.bind('current')));
  }

  legacy(): LegacyClient {
    const tokenPlacement = this.#services.config.legacyTokenPlacement;
    return (this.#legacy ??= createLegacyClient({ ...this.bind('legacy'), tokenPlacement }));
  }

  isConfigured(surface: Surface): boolean {
    return this.#services.http[surface] !== null;
  }

  preferred(): Surface {
    const { credentials } = this.#rules.caller;
    const usable = (surface: Surface): boolean =>
      this.isConfigured(surface) && credentials[surface].state !== 'missing';
    if (usable('current')) return 'current';
    if (usable('legacy')) return 'legacy';
    return this.isConfigured('current') ? 'current' : 'legacy';
  }

  /** Returns the options of a surface's client. Throws a SourceError if the surface or its credential is missing. */
  bind(surface: Surface): CurrentClientOptions {
    const { acceptedCredentials, config, hashCredential, onDrift, onServerError } = this.#services;
    const { budget, caller, cancellation, endsAt, isFresh, onCall, span } = this.#rules;
    const { credentials } = caller;
    const http = this.#services.http[surface];
    const credential = credentials[surface];
    if (http === null || credential.state !== 'given')
      throw (this.#errors[surface] ??= bindingError(this.#services, surface, credentials));
    const [, accessToken] = credentialsFor(config, credentials, surface);
    const id = caller.id(surface);
    // What the service accepts is the surface's own credential, even if a token is sent with it.
    const name = (): string => (accessToken === undefined ? id : hashCredential(surface, credential.value));
    let isKnown = false;
    // All calls of one operation have the same credential.
    const onJudged = (isAccepted: boolean): void => {
      if (isAccepted && isKnown) return;
      isKnown = isAccepted;
      acceptedCredentials.note(name(), isAccepted);
    };
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
}

function within(budget: CallBudget, http: CurrentClientOptions['http']): CurrentClientOptions['http'] {
  return {
    send(call) {
      budget.begin();
      return http.send(call);
    },
  };
}

function bindingError(
  { http, config }: Services,
  surface: Surface,
  { [surface]: { state }, legacy }: Credentials,
): SourceError {
  if (http[surface] === null)
    return new SourceError('not-configured', surface, 'the surface is not configured');
  if (state === 'unusable') return new SourceError('unauthenticated', surface, 'an unusable credential');
  // Also if the other surface's credential is missing, since the access token may have been meant for either.
  const isInOtherForm = legacy.state === 'missing' && legacy.isInOtherForm === true;
  const { demoCredentials } = config;
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
    this.sources = new BoundSources(services, { caller, onCall, span, isFresh: true });
    this.#services = services;
    this.#caller = caller;
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

  readonly queueReading: CallersWrites['queueReading'] = (read) =>
    this.#services.queueReadings.read(this.callerId('current'), read);

  loaders(): Loaders {
    return loadersOf(this.#services, this.#caller, this.sources);
  }
}

/** Creates loaders that read through the sources of a caller, with the page sizes learned from its lists. */
export function loadersOf(services: Services, caller: Caller, sources: Sources): Loaders {
  // All lists with page sizes are on the current surface.
  return new OperationLoaders(sources, (list, start) =>
    services.sizeMemoryOf(caller.id('current'), list, start),
  );
}

/**
 * Binds live results and watches to a caller; `hangUp` closes the connection of a caller who does not read. Reading and
 * watching throw a SourceError if the surface or its credential is missing.
 */
export function bindSubscriptions(services: Services, caller: Caller, hangUp = (): void => undefined) {
  const { live, watches } = services;
  const onCall = (call: FinishedCall): void => services.onCall(call, null);
  const subscriber = (): LiveCaller & WatchCaller => {
    // A poll that started before the result existed would not see it.
    const rules = { caller, isFresh: true, onCall };
    const bound = new BoundSources(services, rules).bind('current');
    return {
      holder: bound.caller,
      apiKey: bound.credential,
      client: (signal) => createCurrentClient({ ...bound, cancellation: new CancellationSource(signal) }),
      loaders(signal) {
        const sources = new BoundSources(services, {
          ...rules,
          cancellation: new CancellationSource(signal),
        });
        return loadersOf(services, caller, sources);
      },
      hangUp,
    };
  };
  return {
    live: {
      /** Reads the state of one generation, then its end. */
      read: (contentId: string) => live.read(subscriber(), contentId),
      /** Reads the end of each generation that the caller's credential asked for here, from now on. */
      follow: () => live.follow(subscriber()),
      started: (generation: StartedGeneration) => live.started(caller.id('current'), generation),
      recall: (contentId: string) => live.recall(caller.id('current'), contentId),
    },
    watches: {
      queue: (isWanted: IsWanted<QueuedPostRecord>) => watches.watch(watchedQueue, subscriber(), isWanted),
      accountHealth: (isWanted: IsWanted<ObservedAccount>) =>
        watches.watch(watchedAccountHealth, subscriber(), isWanted),
    },
  };
}
