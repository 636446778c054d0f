import { context, propagation, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-node';
import { expect, onTestFinished } from 'vitest';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listen } from './attack-page.ts';

export type RecordedSpans = ReturnType<typeof recordSpans>;

/**
 * Registers an SDK that keeps spans in memory until the test ends: as the command line registers one that sends them, or
 * as a host does that has instrumentations of its own, which find the current span.
 */
export function recordSpans({ isHost = false }: { readonly isHost?: boolean } = {}) {
  const exporter = new InMemorySpanExporter();
  const begun: string[] = [];
  const counter = {
    onStart: (span: { readonly spanContext: ReadableSpan['spanContext'] }) =>
      void begun.push(span.spanContext().spanId),
    onEnd: () => undefined,
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  const spanProcessors = [counter, new SimpleSpanProcessor(exporter)];
  const provider = new NodeTracerProvider({ spanProcessors });
  provider.register(isHost ? {} : { contextManager: null });
  onTestFinished(async () => {
    for (const api of [trace, context, propagation]) api.disable();
    await provider.shutdown();
  });
  const settled = async (least = 1): Promise<readonly ReadableSpan[]> => {
    await expect
      .poll(() => begun.length >= least && exporter.getFinishedSpans().length === begun.length)
      .toBe(true);
    // By their times, those that begin within a millisecond would have any order.
    const placeOf = (span: ReadableSpan): number => begun.indexOf(span.spanContext().spanId);
    return exporter.getFinishedSpans().toSorted((one, other) => placeOf(one) - placeOf(other));
  };
  return {
    /** Those that have ended so far. */
    get ended() {
      return exporter.getFinishedSpans();
    },
    /** All of them, once each that was begun has ended and there are at least so many; the oldest first. */
    settled,
    /** Those of a name, likewise. */
    named: async (name: string, least?: number) =>
      (await settled(least)).filter((span) => span.name === name),
  };
}

/** Everything that leaves the process of a span. */
export function told(span: ReadableSpan): string {
  const { name, attributes, events, links, status, resource } = span;
  const linked = links.map(({ attributes: ofLink }) => ofLink);
  return JSON.stringify([name, attributes, events, linked, status, resource.attributes]);
}

interface Resource {
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

interface Sent {
  readonly resourceSpans: readonly { readonly resource: Resource }[];
}

/** Starts a collector of spans on 127.0.0.1, which takes OTLP over HTTP; it ends with the test. */
export async function startCollector() {
  const requests: { path: string; headers: IncomingHttpHeaders; body: Buffer }[] = [];
  let answer: number | 'nothing' = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
      if (answer !== 'nothing') response.writeHead(answer, { 'content-type': 'application/json' }).end('{}');
    });
  });
  return {
    url: await listen(server),
    requests,
    get resources() {
      const sent = requests.flatMap(({ body }) => (JSON.parse(body.toString()) as Sent).resourceSpans);
      return sent.map(({ resource: { attributes } }) =>
        Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as unknown])),
      );
    },
    /** How it answers: with a status, or never. */
    answersWith: (how: number | 'nothing') => void (answer = how),
  };
}
