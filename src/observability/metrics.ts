import { collectDefaultMetrics, Counter, Gauge, Registry, type CounterConfiguration } from 'prom-client';
import type { FinishedCall } from '../sources/upstream/call.ts';
import type { Drift } from '../sources/drift.ts';

/** An operation that has ended, or a subscription that has started. */
export interface FinishedOperation {
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
  // Each measurement wakes the process, and its default is 100 a second. What the lag is measured for is 0.2 s and more.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 });
  const registers = [registry];
  const operations = new Durations('graphql_operation_duration_seconds', {
    help: 'Duration of operations by kind and outcome; for subscriptions, until they start.',
    labels: ['kind', 'outcome'],
  });
  const calls = new Durations('service_call_duration_seconds', {
    help: 'Duration of calls to the service by endpoint and outcome (a status, or the kind of failure).',
    labels: ['endpoint', 'outcome'],
  });
  const drifts = countingBy('endpoint', {
    name: 'service_drift_total',
    help: 'Responses of the service that did not match its documentation, by endpoint.',
    registers,
  });
  const readings = new Counter({
    name: 'watch_readings_total',
    help: 'Polls of watched lists, by list and result: changed, unchanged or failed.',
    labelNames: ['list', 'outcome'],
    registers,
  });
  const responses = countingBy('status', {
    name: 'http_responses_total',
    help: 'HTTP responses by status.',
    registers,
  });
  const shed = new Counter({
    name: 'requests_shed_total',
    help: 'Requests rejected because the server was overloaded.',
    registers,
  });
  return {
    operation: ({ kind, outcome, durationMs }) => operations.observe(kind, outcome, durationMs / 1_000),
    call: ({ endpoint, status, failure, durationMs }) =>
      calls.observe(endpoint, failure ?? String(status), durationMs / 1_000),
    drift: ({ endpoint }) => drifts(endpoint),
    reading: (list, outcome) => readings.inc({ list, outcome }),
    response: responses,
    shed: () => shed.inc(),
    gauge(name, help, read) {
      const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(read()) });
    },
    contentType: registry.contentType,
    text: async () => `${await registry.metrics()}\n${operations.text()}\n${calls.text()}`,
  };
}

/**
 * Creates a counter with one label, and returns a function that counts one. `prom-client` hashes the label of each count,
 * which takes ten times as long.
 */
function countingBy(
  label: string,
  options: Pick<CounterConfiguration<string>, 'name' | 'help' | 'registers'>,
): (value: string | number) => void {
  const counts = new Map<string | number, number>();
  const counter: Counter = new Counter({
    ...options,
    labelNames: [label],
    collect: () => {
      counter.reset();
      for (const [value, count] of counts) counter.inc({ [label]: value }, count);
    },
  });
  return (value) => void counts.set(value, (counts.get(value) ?? 0) + 1);
}

/** The durations with one pair of labels. */
interface Series {
  readonly labels: string;
  /** How many were in each bucket, and in none of them. */
  readonly counts: number[];
  sum: number;
}

/**
 * A histogram of durations with two labels, whose values need no escaping. The one of `prom-client` formats and hashes
 * its labels at each observation, which takes as much time as 5% of a small request.
 */
class Durations {
  readonly #name: string;
  readonly #help: string;
  readonly #labels: readonly [string, string];
  readonly #series = new Map<string, Map<string, Series>>();

  constructor(name: string, { help, labels }: { help: string; labels: readonly [string, string] }) {
    this.#name = name;
    this.#help = help;
    this.#labels = labels;
  }

  /** Counts one duration, in seconds. */
  observe(first: string, second: string, seconds: number): void {
    const series = this.#series.get(first)?.get(second) ?? this.#add(first, second);
    let bucket = 0;
    while (seconds > (SECONDS[bucket] ?? Infinity)) bucket += 1;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += seconds;
  }

  #add(first: string, second: string): Series {
    const seconds = this.#series.get(first) ?? new Map<string, Series>();
    const labels = `${this.#labels[0]}="${first}",${this.#labels[1]}="${second}"`;
    const series = { labels, counts: Array<number>(SECONDS.length + 1).fill(0), sum: 0 };
    this.#series.set(first, seconds.set(second, series));
    return series;
  }

  /** Returns the metric in the text format of Prometheus, in which each bucket includes the ones before it. */
  text(): string {
    const lines = [`# HELP ${this.#name} ${this.#help}`, `# TYPE ${this.#name} histogram`];
    for (const { labels, counts, sum } of [...this.#series.values()].flatMap((one) => [...one.values()])) {
      let total = 0;
      counts.forEach((count, bucket) => {
        total += count;
        lines.push(`${this.#name}_bucket{le="${SECONDS[bucket] ?? '+Inf'}",${labels}} ${total}`);
      });
      lines.push(`${this.#name}_sum{${labels}} ${sum}`, `${this.#name}_count{${labels}} ${total}`);
    }
    return `${lines.join('\n')}\n`;
  }
}
