import { reporting, type Authorization } from '../authorization.ts';
import type { OperationSpan } from '../observability/tracing.ts';
import type { Loaders } from '../loaders/loaders.ts';
import type { Services } from '../services.ts';
import type { Surface } from '../sources/errors.ts';
import type { Sources } from '../sources/sources.ts';
import type { Cancellation } from '../sources/upstream/cancellation.ts';
import type { FinishedCall } from '../sources/upstream/call.ts';
import type { Drift } from '../sources/drift.ts';
import type { CallersWrites, WriteContext } from '../writes/context.ts';
import { bindSubscriptions, BoundSources, BoundWrites, loadersOf } from './bindings.ts';
import { CallBudget } from './call-budget.ts';
import { Caller } from './caller.ts';
import type { Credentials } from './credentials.ts';

/** The transport's information about an operation. */
interface OperationOptions {
  readonly requestId: string;
  readonly credentials: Credentials;
  /** Cancelled when the caller disconnects. */
  readonly cancellation?: Cancellation | undefined;
  /** Closes the connection of a caller that does not read. */
  readonly hangUp?: () => void;
  /** The span of the operation, if one is recorded. */
  readonly span?: OperationSpan | null | undefined;
}

/**
 * The context of one operation. It shares only reads in flight and a validation's reading of the queue, and those only
 * with the same caller. Its members are created on first use, because most operations need few of them.
 */
export class OperationContext implements WriteContext {
  /** Also sent in the response header `x-request-id` and logged. */
  readonly requestId: string;
  readonly credentials: Credentials;
  /** Its calls to the service. */
  readonly calls: CallBudget;
  /** Null if no spans are recorded. */
  readonly span: OperationSpan | null;
  readonly #services: Services;
  readonly #caller: Caller;
  readonly #options: OperationOptions;
  #endsAt: number;
  #sources: Sources | undefined;
  #loaders: Loaders | undefined;
  #writes: CallersWrites | undefined;

  constructor(services: Services, options: OperationOptions) {
    this.requestId = options.requestId;
    this.credentials = options.credentials;
    this.span = options.span ?? null;
    this.#services = services;
    this.#caller = new Caller(services, options.credentials);
    this.#options = options;
    this.calls = new CallBudget(services.config.limits.cost);
    this.#endsAt = performance.now() + services.config.operationTimeoutMs;
  }

  get sources(): Sources {
    return (this.#sources ??= new BoundSources(this.#services, {
      caller: this.#caller,
      cancellation: this.#options.cancellation,
      endsAt: this.#endsAt,
      onCall: this.#onCall,
      budget: this.calls,
      span: this.span,
    }));
  }

  get loaders(): Loaders {
    return (this.#loaders ??= loadersOf(this.#services, this.#caller, this.sources));
  }

  /** Starts over for an event of a subscription: discards what was read before, and renews its time and its calls. */
  renew(): void {
    this.#endsAt = performance.now() + this.#services.config.operationTimeoutMs;
    this.calls.renew();
    this.#sources = undefined;
    this.#loaders = undefined;
  }

  /** Discards what was read before, so that what follows a write reads afresh. */
  forgetReads(): void {
    this.#loaders = undefined;
  }

  get writes(): CallersWrites {
    return (this.#writes ??= new BoundWrites(this.#services, {
      caller: this.#caller,
      onCall: this.#onCall,
      span: this.span,
    }));
  }

  get live() {
    return this.#subscribed.live;
  }

  get watches() {
    return this.#subscribed.watches;
  }

  get #subscribed() {
    // Not kept: a subscriber needs it once, and waits for hours.
    return bindSubscriptions(this.#services, this.#caller, this.#options.hangUp);
  }

  get onDrift(): (drift: Drift) => void {
    return this.#services.onDrift;
  }

  get serviceTimeZone(): string | null {
    return this.#services.config.serviceTimeZone;
  }

  /** Returns the host of a surface; null if the surface is not configured. */
  hostOf(surface: Surface): string | null {
    const { currentApiUrl, legacyApiUrl } = this.#services.config;
    return (surface === 'current' ? currentApiUrl : legacyApiUrl)?.host ?? null;
  }

  get legacyTrue(): '1' | 'true' {
    return this.#services.config.legacyTrue;
  }

  get readsBeforeWrites(): boolean {
    return this.#services.config.readsBeforeWrites;
  }

  /** Whether the sandbox is in the place of the service. */
  get isSandbox(): boolean {
    return this.#services.config.demoCredentials !== null;
  }

  /** How long writes with a key are known, across restarts, in milliseconds; null if a restart forgets them. */
  get writeRetentionMs(): number | null {
    const { redis, dataDirectory, writeRetentionMs } = this.#services.config;
    return redis === null && dataDirectory === null ? null : writeRetentionMs;
  }

  /** Null if this server has no app on the legacy surface. */
  get authorization(): Authorization | null {
    const { authorization } = this.#services;
    return authorization && reporting(authorization, { span: this.span, onCall: this.#onCall });
  }

  readonly #onCall = (call: FinishedCall): void => {
    this.calls.made += 1;
    this.#services.onCall(call, this.requestId);
  };
}
