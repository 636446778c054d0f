import { setTimeout as after } from 'node:timers/promises';
import type * as Resources from '@opentelemetry/resources';
import type * as Sdk from '@opentelemetry/sdk-trace-node';
import type { Environment } from '../config.ts';
import { load } from '../load.ts';
import type { Log } from '../observability/log.ts';
import { isTracing } from '../observability/tracing.ts';
import { tracingSettings, whatAsksForTraces } from './tracing-settings.ts';
import { ownVersion } from './version.ts';

type SpanExporter = ConstructorParameters<typeof Sdk.BatchSpanProcessor>[0];

/** How long sending the last spans may take at shutdown, in milliseconds. */
export const FLUSH_MS = 5_000;

/**
 * The packages required for traces, in versions for every Node that this server supports. The operator installs them.
 * `@opentelemetry/sdk-node` would add five times as many, including gRPC and hooks into every loaded module.
 */
export const PACKAGES = {
  sdk: '@opentelemetry/sdk-trace-node@2.12.0',
  resources: '@opentelemetry/resources@2.12.0',
  'http/protobuf': '@opentelemetry/exporter-trace-otlp-proto@0.223.0',
  'http/json': '@opentelemetry/exporter-trace-otlp-http@0.223.0',
} as const;

/** The recording of traces. */
export interface Tracing {
  /** Sends the remaining spans, for up to `FLUSH_MS`, and stops recording. */
  close(): Promise<void>;
}

/**
 * Starts recording spans if the standard OpenTelemetry variables enable it; null if they do not, if an SDK was loaded
 * before this program, which then records them, or if the packages are not installed, which is logged: clusters set
 * these variables for every program.
 *
 * @throws ConfigError for values that cannot be used
 */
export function startTracing(
  environment: Environment,
  log: Log,
  loadPackage: LoadPackage = load,
): Tracing | null {
  const because = whatAsksForTraces(environment);
  if (because === null || isTracing()) return null;
  try {
    return record(environment, log, loadPackage);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) throw error;
    const install = `npm install ${Object.values(PACKAGES).join(' ')}`;
    log.warn(
      { variable: because, install },
      'traces are not recorded because their packages are not installed',
    );
    return null;
  }
}

type LoadPackage = (name: string) => unknown;

function record(environment: Environment, log: Log, loadPackage: LoadPackage): Tracing | null {
  const loaded = (name: string): unknown => loadPackage(name.slice(0, name.lastIndexOf('@')));
  const sdk = loaded(PACKAGES.sdk) as typeof Sdk;
  const resources = loaded(PACKAGES.resources) as typeof Resources;
  const settings = tracingSettings(environment);
  if (settings === null) return null;
  const { exporters, protocol } = settings;
  const otlp = exporters.includes('otlp') ? (loaded(PACKAGES[protocol]) as Otlp) : null;
  const processors = [
    ...(otlp ? [new sdk.BatchSpanProcessor(reporting(new otlp.OTLPTraceExporter(), log))] : []),
    ...(exporters.includes('console') ? [new sdk.SimpleSpanProcessor(new sdk.ConsoleSpanExporter())] : []),
  ];
  const provider = new sdk.NodeTracerProvider({
    resource: resourceOf(resources),
    spanProcessors: processors,
  });
  // The parent of each span is passed as a value: nothing is tracked across asynchronous calls.
  provider.register({ contextManager: null });
  log.info({ exporters }, 'recording traces');
  return {
    async close() {
      const late = new AbortController();
      const flushed = provider.shutdown().catch(() => undefined);
      await Promise.race([flushed, after(FLUSH_MS, undefined, { signal: late.signal })]);
      late.abort();
    },
  };
}

interface Otlp {
  readonly OTLPTraceExporter: new () => SpanExporter;
}

function resourceOf({
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
}: typeof Resources) {
  const own = { 'service.name': 'social-publishing-graphql', 'service.version': ownVersion() };
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES, set by the operator, take precedence.
  return defaultResource()
    .merge(resourceFromAttributes(own))
    .merge(detectResources({ detectors: [envDetector] }));
}

/** Wraps an exporter to log when spans can no longer be sent, and when they can be again. */
function reporting(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  const note = (error: Error | undefined): void => {
    if (error && !isFailing) log.warn({ code: codeOf(error) }, 'failed to send spans to the collector');
    if (!error && isFailing) log.info('sending spans to the collector again');
    isFailing = error !== undefined;
  };
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        note(result.error);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

// The message may contain the response of the collector.
function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : 'unknown';
}
