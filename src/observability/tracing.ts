import type * as OpenTelemetry from '@opentelemetry/api';
import type { Attributes, Context, Span } from '@opentelemetry/api';
import { load } from '../load.ts';

// As CommonJS, as prom-client loads it: the two share one copy.
const { context, ProxyTracerProvider, SpanKind, SpanStatusCode, trace } = load(
  '@opentelemetry/api',
) as typeof OpenTelemetry;

const TRACER = 'social-publishing-graphql';

/** What a span says: our own names and numbers, and nothing that a caller or the service wrote. */
export interface SpanDescription {
  readonly name: string;
  readonly attributes: Attributes;
}

/** How a span ends. */
export interface SpanConclusion {
  /** True for a failure that is reported and not thrown. */
  readonly hasFailed: boolean;
}

/**
 * Runs something within an OpenTelemetry span, which is current for what it calls. Only the API is used: without an SDK,
 * which the operator loads beside the server, nothing is recorded and nothing is spent.
 */
export function traced<T>(description: ConcludedSpan<T>, run: () => T | Promise<T>): T | Promise<T> {
  return traceContext() === null ? run() : withSpan(description, run);
}

/** A span that says what came of what it is about. */
export interface ConcludedSpan<T> extends SpanDescription {
  readonly conclude?: (result: T) => SpanConclusion;
}

async function withSpan<T>(
  { name, attributes, conclude }: ConcludedSpan<T>,
  run: () => T | Promise<T>,
): Promise<T> {
  const options = { kind: SpanKind.INTERNAL, attributes };
  return await trace.getTracer(TRACER).startActiveSpan(name, options, async (span) => {
    try {
      const result = await run();
      if (conclude?.(result).hasFailed) markFailed(span);
      return result;
    } catch (error) {
      markFailed(span);
      throw error;
    } finally {
      span.end();
    }
  });
}

// The error itself may hold what was sent.
function markFailed(span: Span): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** The current context, in which spans may be started later; null while nothing records spans. */
export function traceContext(): Context | null {
  const provider = trace.getTracerProvider();
  const isIdle = provider instanceof ProxyTracerProvider && provider.getDelegateTracer(TRACER) === undefined;
  return isIdle ? null : context.active();
}

/** The span of a call to the service. */
export interface CallSpan {
  /** Ends the span, with the HTTP status, or null if no response came. */
  end(status: number | null): void;
}

/** Starts the span of a call, which is current while `send` runs. */
export function startCallSpan(within: Context, description: SpanDescription, send: () => void): CallSpan {
  const { name, attributes } = description;
  const span = trace.getTracer(TRACER).startSpan(name, { kind: SpanKind.CLIENT, attributes }, within);
  context.with(trace.setSpan(within, span), send);
  return {
    end(status) {
      if (status !== null) span.setAttributes({ 'http.response.status_code': status });
      if (status === null || status >= 400) markFailed(span);
      span.end();
    },
  };
}
