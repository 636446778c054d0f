import type * as OpenTelemetry from '@opentelemetry/api';
import type { Attributes, Context, Link, Span, TextMapGetter, Tracer } from '@opentelemetry/api';
import { load } from '../load.ts';

// As CommonJS, as prom-client and the SDK load it: all share one copy.
const {
  context,
  createContextKey,
  propagation,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} = load('@opentelemetry/api') as typeof OpenTelemetry;

const TRACER = 'social-publishing-graphql';

/** The name of an operation's span until the type of the operation is known, as the semantic conventions have it. */
const UNKNOWN_OPERATION = 'GraphQL Operation';
/** Longer operation names are cut: callers choose them. */
const MAX_NAME_CHARS = 100;

/** True while something records spans. Callers ask before they collect what a span would say. */
export function isTracing(): boolean {
  return recordingTracer() !== null;
}

// Only the API is used here: unless the process or its host has registered an SDK, nothing has a delegate.
function recordingTracer(): Tracer | null {
  const provider = trace.getTracerProvider();
  if (!(provider instanceof ProxyTracerProvider)) return provider.getTracer(TRACER);
  return provider.getDelegateTracer(TRACER) ?? null;
}

/** Reads a header of a request, or what stands in for it; names are in lower case. */
export type ReadHeader = (name: string) => unknown;

/** What a transport knows of an operation when it arrives. */
export interface Arrival {
  readonly attributes: Attributes;
  /** Where `traceparent` and `tracestate` of the caller are. */
  readonly header: ReadHeader;
}

const HEADERS: TextMapGetter<ReadHeader> = {
  get(header, name) {
    const value = header(name.toLowerCase());
    return typeof value === 'string' ? value : undefined;
  },
  keys: () => [],
};

/** Starts the span of an operation, as a child of the caller's; null while nothing records spans. */
export function startOperationSpan({ attributes, header }: Arrival): OperationSpan | null {
  const tracer = recordingTracer();
  if (tracer === null) return null;
  const active = context.active();
  // The HTTP instrumentation of a host has read the caller's headers already.
  const parent = trace.getSpan(active) ? active : propagation.extract(active, header, HEADERS);
  const options = { kind: SpanKind.SERVER, attributes };
  return new OperationSpan(tracer.startSpan(UNKNOWN_OPERATION, options, parent), parent);
}

/** The span of one GraphQL operation, of kind SERVER. */
export class OperationSpan {
  readonly #span: Span;
  readonly #context: Context;
  #hasEnded = false;
  #hasFailed = false;

  constructor(span: Span, parent: Context) {
    this.#span = span;
    this.#context = trace.setSpan(parent, span);
  }

  /** Says which operation it is, once that is known. */
  describe(type: string, name: string | null): void {
    if (this.#hasEnded) return;
    this.#span.updateName(type).setAttribute('graphql.operation.type', type);
    if (name !== null) this.#span.setAttribute('graphql.operation.name', name.slice(0, MAX_NAME_CHARS));
  }

  /** Runs something with the span as the current one, for what the host of this server instruments. */
  run<T>(work: () => T): T {
    return context.with(this.#context, work);
  }

  /** Notes a failure by its code; the first one counts. */
  fail(code: string): void {
    if (this.#hasEnded || this.#hasFailed) return;
    this.#hasFailed = true;
    markFailed(this.#span, code);
  }

  /** Ends the span, with the HTTP status where there is one; once. */
  end(status: number | null = null): void {
    if (this.#hasEnded) return;
    if (status !== null) this.#span.setAttribute('http.response.status_code', status);
    if (status !== null && status >= 500) this.fail(String(status));
    this.#hasEnded = true;
    this.#span.end();
  }

  /**
   * Where a call that is made for the operation belongs. One that is made later, for an event of a subscription or for a
   * caller that has gone, begins a trace of its own with a link back: a subscription may last for days.
   */
  parentOfCall(): ParentOfCall {
    if (!this.#hasEnded) return { parent: this.#context, links: [] };
    return { parent: ROOT_CONTEXT, links: [{ context: this.#span.spanContext() }] };
  }
}

interface ParentOfCall {
  readonly parent: Context;
  readonly links: Link[];
}

// Never the error itself: its message may hold what was sent.
function markFailed(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}

/** What is known of a call before it is sent; nothing that differs from one call of the endpoint to the next. */
export interface CallDescription {
  readonly name: string;
  readonly attributes: Attributes;
}

/** How a call ended. */
export interface EndOfCall {
  /** Null if no response came. */
  readonly status: number | null;
  /** How it failed, or null if a response came, whatever its status. */
  readonly failure: string | null;
}

/** Names of the headers that pass a trace on; what else a propagator knows, such as `baggage`, stays here. */
const TRACE_HEADERS: ReadonlySet<string> = new Set(['traceparent', 'tracestate']);

// The SDK's own key. Within such a context, another instrumentation of the same request (undici's) records no second
// span of it, and adds no header to it.
const SUPPRESSED = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** Starts the span of one attempt of a call; null while nothing records spans. */
export function startCallSpan(
  operation: OperationSpan | null,
  { name, attributes }: CallDescription,
): CallSpan | null {
  const tracer = recordingTracer();
  if (tracer === null) return null;
  const { parent, links } = operation?.parentOfCall() ?? { parent: ROOT_CONTEXT, links: [] };
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, links }, parent);
  return new CallSpan(span, trace.setSpan(parent, span));
}

/** The span of one attempt of a call to the service, of kind CLIENT. */
export class CallSpan {
  readonly #span: Span;
  readonly #context: Context;

  constructor(span: Span, within: Context) {
    this.#span = span;
    this.#context = within;
  }

  /** Names and values of the headers that pass the trace on, in turn. */
  headers(): string[] {
    const headers: string[] = [];
    propagation.inject(this.#context, headers, {
      set: (carrier, name, value) => {
        if (TRACE_HEADERS.has(name)) carrier.push(name, value);
      },
    });
    return headers;
  }

  /** Sends the call. */
  send(run: () => void): void {
    context.with(this.#context.setValue(SUPPRESSED, true), run);
  }

  end({ status, failure }: EndOfCall): void {
    if (status !== null) this.#span.setAttribute('http.response.status_code', status);
    const type = status !== null && status >= 400 ? String(status) : failure;
    // A call that its caller gave up has not failed.
    if (type !== null && type !== 'cancelled') markFailed(this.#span, type);
    this.#span.end();
  }
}
