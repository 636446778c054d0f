import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A span as OTLP has it in JSON. */
export interface SentSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

/** A request with spans. */
export interface SpanRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A collector of spans, which takes OTLP over HTTP. */
export interface SpanCollector {
  /** Address, without a trailing slash. */
  readonly url: string;
  readonly requests: readonly SpanRequest[];
  /** The spans of requests in JSON. */
  readonly spans: readonly SentSpan[];
  /** The resources of requests in JSON. */
  readonly resources: readonly Readonly<Record<string, unknown>>[];
  /** How it answers: with a status, or never. */
  answersWith(status: number | 'nothing'): void;
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: SentSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

/** Starts a collector on 127.0.0.1; it ends with the test. */
export async function startCollector(): Promise<SpanCollector> {
  const requests: SpanRequest[] = [];
  let answer: number | 'nothing' = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
      if (answer !== 'nothing') response.writeHead(answer, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const sent = () => requests.flatMap(({ body }) => (JSON.parse(body.toString()) as Sent).resourceSpans);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get spans() {
      return sent().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
    },
    get resources() {
      return sent().map(({ resource: { attributes } }) => valuesOf(attributes));
    },
    answersWith: (how) => void (answer = how),
  };
}

/** Attributes of OTLP as an object. */
export function valuesOf(attributes: SentSpan['attributes']): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
