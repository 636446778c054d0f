import { AsyncLocalStorage } from 'node:async_hooks';
import {
  context,
  ROOT_CONTEXT,
  trace,
  type Attributes,
  type Context,
  type ContextManager,
  type Span,
  type SpanOptions,
  type SpanStatus,
  type Tracer,
} from '@opentelemetry/api';
import { onTestFinished } from 'vitest';

/** A span that was begun. */
export interface RecordedSpan {
  readonly name: string;
  readonly options: SpanOptions;
  readonly attributes: Attributes;
  readonly status: SpanStatus;
  /** The span within which it was begun. */
  readonly parent: RecordedSpan | null;
  readonly isEnded: boolean;
  /** Everything else that it was told: events, exceptions, links, other names. */
  readonly others: readonly unknown[];
}

/** Records the spans that are begun from now on, nested as they are with an SDK, until the test ends. */
export function recordSpans(): readonly RecordedSpan[] {
  const spans: RecordedSpan[] = [];
  trace.setGlobalTracerProvider({ getTracer: () => recordingTracer(spans) });
  context.setGlobalContextManager(contextManager());
  onTestFinished(() => {
    trace.disable();
    context.disable();
  });
  return spans;
}

type Recording = Span & { record: { -readonly [K in keyof RecordedSpan]: RecordedSpan[K] } };

function recordingTracer(spans: RecordedSpan[]): Tracer {
  const startSpan: Tracer['startSpan'] = (name, options = {}, within = context.active()) => {
    const parent = (trace.getSpan(within) as Recording | undefined)?.record ?? null;
    const span = recordingSpan(name, options, parent);
    spans.push(span.record);
    return span;
  };
  return {
    startSpan,
    startActiveSpan: (name: string, ...rest: unknown[]) => {
      const run = rest.at(-1) as (span: Span) => unknown;
      const options = rest.length > 1 ? (rest[0] as SpanOptions) : {};
      const span = startSpan(name, options);
      return context.with(trace.setSpan(context.active(), span), run, undefined, span);
    },
  };
}

function recordingSpan(name: string, options: SpanOptions, parent: RecordedSpan | null): Recording {
  const others: unknown[] = [];
  const record = {
    name,
    options,
    attributes: { ...options.attributes },
    status: { code: 0 },
    parent,
    isEnded: false,
    others,
  };
  const other = (...args: unknown[]): Recording => {
    others.push(args);
    return span;
  };
  const span = {
    record,
    spanContext: () => ({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 }),
    setAttribute: (key: string, value: string) => {
      record.attributes[key] = value;
      return span;
    },
    setAttributes: (attributes: Attributes) => {
      Object.assign(record.attributes, attributes);
      return span;
    },
    setStatus: (status: SpanStatus) => {
      record.status = status;
      return span;
    },
    end: () => void (record.isEnded = true),
    isRecording: () => true,
    addEvent: other,
    addLink: other,
    addLinks: other,
    updateName: other,
    recordException: other,
  } as unknown as Recording;
  return span;
}

function contextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (within: Context, run: (...args: unknown[]) => unknown, self: unknown, ...args: unknown[]) =>
      storage.run(within, () => run.call(self, ...args)),
    bind: (_within: Context, target: unknown) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager as ContextManager;
}
