import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { FinishedCall } from '../sources/upstream/call.ts';
import type { Drift } from '../sources/drift.ts';

/** An operation that has ended, or a subscription that has started. */
interface FinishedOperation {
  /** `none` if the document's operation could not be determined. */
  readonly kind: 'query' | 'mutation' | 'subscription' | 'none';
  /** `refused`: nothing was executed. `error`: at least one field failed. */
  readonly outcome: 'ok' | 'error' | 'refused';
  readonly durationMs: number;
}

/** The metrics of the process, in the text format of Prometheus. No label contains anything chosen by a caller. */
export interface Metrics {
  operation(operation: FinishedOperation): void;
  call(call: FinishedCall): void;
  drift(drift: Drift): void;
  /** Counts a reading of a watched list. */
  reading(list: string, outcome: string): void;
  /** Counts an HTTP response that has been sent. */
  response(status: number): void;
  /** Counts a request rejected because of overload. */
  shed(): void;
  /** Adds a number that is read whenever the metrics are. */
  gauge(name: string, help: string, read: () => number): void;
  readonly contentType: string;
  text(): Promise<string>;
}

/** Buckets of the histograms, in seconds: from responses out of memory to those of a slow assistant. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60];

/** Creates the metrics of one server. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const operations = new Histogram({
    name: 'graphql_operation_duration_seconds',
    help: 'Duration of operations by kind and outcome; for subscriptions, until they start.',
    labelNames: ['kind', 'outcome'],
    buckets: SECONDS,
    registers,
  });
  const calls = new Histogram({
    name: 'service_call_duration_seconds',
    help: 'Duration of calls to the service by endpoint and outcome (a status, or the kind of failure).',
    labelNames: ['endpoint', 'outcome'],
    buckets: SECONDS,
    registers,
  });
  const drifts = new Counter({
    name: 'service_drift_total',
    help: 'Responses of the service that did not match its documentation, by endpoint.',
    labelNames: ['endpoint'],
    registers,
  });
  const readings = new Counter({
    name: 'watch_readings_total',
    help: 'Polls of watched lists, by list and result: changed, unchanged or failed.',
    labelNames: ['list', 'outcome'],
    registers,
  });
  const responses = new Counter({
    name: 'http_responses_total',
    help: 'HTTP responses by status.',
    labelNames: ['status'],
    registers,
  });
  const shed = new Counter({
    name: 'requests_shed_total',
    help: 'Requests rejected because the server was overloaded.',
    registers,
  });
  return {
    operation: ({ kind, outcome, durationMs }) => operations.observe({ kind, outcome }, durationMs / 1_000),
    call: ({ endpoint, status, failure, durationMs }) =>
      calls.observe({ endpoint, outcome: failure ?? String(status) }, durationMs / 1_000),
    drift: ({ endpoint }) => drifts.inc({ endpoint }),
    reading: (list, outcome) => readings.inc({ list, outcome }),
    response: (status) => responses.inc({ status }),
    shed: () => shed.inc(),
    gauge(name, help, read) {
      const gauge: Gauge = new Gauge({ name, help, registers: [], collect: () => gauge.set(read()) });
      registry.registerMetric(gauge);
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
