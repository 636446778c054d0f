import {
  context,
  createContextKey,
  propagation,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Link,
  type Span,
  type TextMapGetter,
  type Tracer,
} from '@opentelemetry/api';

const TRACER = 'social-publishing-graphql';

/** The name of an operation's span until its type is known, from the semantic conventions. */
const UNKNOWN_OPERATION = 'GraphQL Operation';
/** Longer operation names are truncated, because callers choose them. */
const MAX_NAME_CHARS = 100;

/** Whether spans are being recorded. Callers check this before collecting attributes. */
export function isTracing(): boolean {
  return recordingTracer() !== null;
}

// Only the API is used here: unless the process or its host has registered an SDK, there is no delegate.
function recordingTracer(): Tracer | null {
  const provider = trace.getTracerProvider();
  if (!(provider instanceof ProxyTracerProvider)) return provider.getTracer(TRACER);
  return provider.getDelegateTracer(TRACER) ?? null;
}

/** Headers of a request, or their equivalent, by lower-case names. */
type Headers = Readonly<Record<string, unknown>>;

const HEADERS: TextMapGetter<Headers> = {
  get(headers, name) {
    const value = headers[name.toLowerCase()];
    return typeof value === 'string' ? value : undefined;
  },
  keys: () => [],
};

/** Starts the span of an operation, as a child of the one that its headers name; null if no spans are recorded. */
export function startOperationSpan(attributes: Attributes, headers: Headers): OperationSpan | null {
  const tracer = recordingTracer();
  if (tracer === null) return null;
  const active = context.active();
  // The HTTP instrumentation of a host has already read the caller's headers.
  const parent = trace.getSpan(active) ? active : propagation.extract(active, headers, HEADERS);
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

  /** Adds the type and name of the operation, once known. */
  describe(type: string, name: string | null): void {
    if (this.#hasEnded) return;
    this.#span.updateName(type).setAttribute('graphql.operation.type', type);
    if (name !== null) this.#span.setAttribute('graphql.operation.name', name.slice(0, MAX_NAME_CHARS));
  }

  /** Runs a function with the span as the current one, for instrumentation of the host. */
  run<T>(work: () => T): T {
    return context.with(this.#context, work);
  }

  /** Records a failure by its code; the first one is kept. */
  fail(code: string): void {
    if (this.#hasEnded || this.#hasFailed) return;
    this.#hasFailed = true;
    markFailed(this.#span, code);
  }

  /** Ends the span, with the HTTP status if there is one. Further calls have no effect. */
  end(status: number | null = null): void {
    if (this.#hasEnded) return;
    if (status !== null) this.#span.setAttribute('http.response.status_code', status);
    if (status !== null && status >= 500) this.fail(String(status));
    this.#hasEnded = true;
    this.#span.end();
  }

  /**
   * Returns the parent of a call made for the operation. A later call, for an event of a subscription or a caller that
   * has disconnected, starts its own trace with a link back: a subscription may last for days.
   */
  parentOfCall(): { readonly parent: Context; readonly links: Link[] } {
    if (!this.#hasEnded) return { parent: this.#context, links: [] };
    return { parent: ROOT_CONTEXT, links: [{ context: this.#span.spanContext() }] };
  }
}

// Never the error itself: its message may contain what was sent.
function markFailed(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}

/** How a call ended. */
interface EndOfCall {
  /** Null if no response arrived. */
  readonly status: number | null;
  /** How it failed, or null if a response arrived, whatever its status. */
  readonly failure: string | null;
}

/** Headers that propagate a trace; others that a propagator adds, such as `baggage`, are not sent. */
const TRACE_HEADERS: ReadonlySet<string> = new Set(['traceparent', 'tracestate']);

// The SDK's own key. In such a context, other instrumentation of the same request (undici's) records no second span,
// and adds no headers.
const SUPPRESSED = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** Starts the span of one attempt of a call; null if no spans are recorded. */
export function startCallSpan(
  operation: OperationSpan | null,
  name: string,
  attributes: Attributes,
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

  /** Returns alternating names and values of the headers that propagate the trace. */
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
    // A call that its caller cancelled has not failed.
    if (type !== null && type !== 'cancelled') markFailed(this.#span, type);
    this.#span.end();
  }
}
