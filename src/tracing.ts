import type * as OpenTelemetry from '@opentelemetry/api';
import type { Attributes, ProxyTracerProvider, Span } from '@opentelemetry/api';
import { load } from './load.ts';

// As CommonJS, as prom-client loads it: the two share one copy.
const { SpanKind, SpanStatusCode, trace } = load('@opentelemetry/api') as typeof OpenTelemetry;

/** What a span tells: names and numbers of ours, and nothing that a caller or the service wrote. */
export interface SpanDescription<T> {
  readonly name: string;
  /** True for a call to the service. */
  readonly isCall?: boolean;
  readonly attributes: Attributes;
  /** What came of it, where that is more than its end. */
  readonly conclude?: (result: T) => SpanConclusion;
}

/** How a span ends. */
export interface SpanConclusion {
  /** True for a failure that is told and not thrown. */
  readonly hasFailed: boolean;
  readonly attributes?: Attributes;
}

const NAME = 'social-publishing-graphql';

/**
 * Runs something within a span of OpenTelemetry, which is current for what it calls. Only the API is used: without an SDK,
 * which the operator loads beside the server, nothing is recorded and nothing is spent.
 */
export function traced<T>(description: SpanDescription<T>, run: () => T | Promise<T>): T | Promise<T> {
  return isActive() ? withSpan(description, run) : run();
}

// The provider of the API is a proxy, which has a tracer to delegate to once an SDK has been registered.
function isActive(): boolean {
  const provider = trace.getTracerProvider();
  return !('getDelegateTracer' in provider) || (provider as ProxyTracerProvider).getDelegateTracer(NAME) !== undefined;
}

async function withSpan<T>(description: SpanDescription<T>, run: () => T | Promise<T>): Promise<T> {
  const { name, isCall = false, attributes, conclude } = description;
  const kind = isCall ? SpanKind.CLIENT : SpanKind.INTERNAL;
  return await trace.getTracer(NAME).startActiveSpan(name, { kind, attributes }, async (span) => {
    try {
      const result = await run();
      if (conclude) end(span, conclude(result));
      return result;
    } catch (error) {
      // The error itself may hold what was sent.
      end(span, { hasFailed: true });
      throw error;
    } finally {
      span.end();
    }
  });
}

function end(span: Span, { hasFailed, attributes = {} }: SpanConclusion): void {
  span.setAttributes(attributes);
  if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
}
