import { context, propagation, trace, type HrTime } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-node';
import { expect, onTestFinished } from 'vitest';

/** The spans of one test, as the SDK records them. */
export interface RecordedSpans {
  /** How many were begun. */
  readonly begun: number;
  /** Those that have ended so far. */
  readonly ended: readonly ReadableSpan[];
  /** All of them, once each that was begun has ended and there are at least so many; the oldest first. */
  settled(least?: number): Promise<readonly ReadableSpan[]>;
  /** Those of a name, likewise. */
  named(name: string, least?: number): Promise<readonly ReadableSpan[]>;
}

/**
 * Registers an SDK that keeps spans in memory until the test ends: as the command line registers one that sends them, or
 * as a host does that has instrumentations of its own, which find the current span.
 */
export function recordSpans({ isHost = false }: { readonly isHost?: boolean } = {}): RecordedSpans {
  const exporter = new InMemorySpanExporter();
  let begun = 0;
  const counter = {
    onStart: () => void (begun += 1),
    onEnd: () => undefined,
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  const provider = new NodeTracerProvider({
    spanProcessors: [counter, new SimpleSpanProcessor(exporter)],
  });
  provider.register(isHost ? {} : { contextManager: null });
  onTestFinished(async () => {
    for (const api of [trace, context, propagation]) api.disable();
    await provider.shutdown();
  });
  const settled = async (least = 1): Promise<readonly ReadableSpan[]> => {
    await expect.poll(() => begun >= least && exporter.getFinishedSpans().length === begun).toBe(true);
    return exporter.getFinishedSpans().toSorted((one, other) => ms(one.startTime) - ms(other.startTime));
  };
  return {
    get begun() {
      return begun;
    },
    get ended() {
      return exporter.getFinishedSpans();
    },
    settled,
    named: async (name, least) => (await settled(least)).filter((span) => span.name === name),
  };
}

function ms([seconds, nanoseconds]: HrTime): number {
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

/** Everything that leaves the process of a span. */
export function told(span: ReadableSpan): string {
  const { name, attributes, events, links, status, resource } = span;
  const linked = links.map(({ attributes: ofLink }) => ofLink);
  return JSON.stringify([name, attributes, events, linked, status, resource.attributes]);
}
