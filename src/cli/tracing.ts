import { setTimeout as after } from 'node:timers/promises';
import type * as Resources from '@opentelemetry/resources';
import type * as Sdk from '@opentelemetry/sdk-trace-node';
import { ConfigError, type Environment } from '../config.ts';
import type { Log } from '../observability/log.ts';
import { isTracing } from '../observability/tracing.ts';
import { ownVersion } from '../own-files.ts';

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

/** Loads each of them. */
export const IMPORTS = {
  sdk: () => import('@opentelemetry/sdk-trace-node'),
  resources: () => import('@opentelemetry/resources'),
  'http/protobuf': () => import('@opentelemetry/exporter-trace-otlp-proto'),
  'http/json': () => import('@opentelemetry/exporter-trace-otlp-http'),
} as const;

export type Imports = typeof IMPORTS;

/** The recording of traces. */
interface Tracing {
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
export async function startTracing(
  environment: Environment,
  log: Log,
  imports: Imports = IMPORTS,
): Promise<Tracing | null> {
  const because = whatAsksForTraces(environment);
  if (because === null || isTracing()) return null;
  try {
    return await record(environment, log, imports);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    const install = `npm install ${Object.values(PACKAGES).join(' ')}`;
    log.warn(
      { variable: because, install },
      'traces are not recorded because their packages are not installed',
    );
    return null;
  }
}

async function record(environment: Environment, log: Log, imports: Imports): Promise<Tracing> {
  const [sdk, resources] = await Promise.all([imports.sdk(), imports.resources()]);
  const { exporters, protocol } = tracingSettings(environment);
  const processors = [];
  if (exporters.includes('otlp')) {
    const { OTLPTraceExporter } = await imports[protocol]();
    processors.push(new sdk.BatchSpanProcessor(reporting(new OTLPTraceExporter(), log)));
  }
  if (exporters.includes('console'))
    processors.push(new sdk.SimpleSpanProcessor(new sdk.ConsoleSpanExporter()));
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
function reporting(exporter: Sdk.SpanExporter, log: Log): Sdk.SpanExporter {
  let isFailing = false;
  const note = (error: Error | undefined): void => {
    // The message may contain the response of the collector.
    const code = error && 'code' in error ? String(error.code) : 'unknown';
    if (error && !isFailing) log.warn({ code }, 'failed to send spans to the collector');
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

const EXPORTERS = ['otlp', 'console'] as const;
const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
const PROTOCOL_NAMES = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'];
const SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`]);

/** What the SDK does not choose by itself. */
interface TracingSettings {
  readonly exporters: readonly (typeof EXPORTERS)[number][];
  readonly protocol: (typeof PROTOCOLS)[number];
}

const valueIn = (environment: Environment, name: string): string => environment[name]?.trim() ?? '';

function exportersIn(environment: Environment): string[] {
  const names = valueIn(environment, 'OTEL_TRACES_EXPORTER').split(',');
  return names.map((name) => name.trim()).filter(Boolean);
}

/** Returns the variable that enables traces, whatever its value; null if there is none. */
function whatAsksForTraces(environment: Environment): string | null {
  const exporters = exportersIn(environment);
  if (/^true$/i.test(valueIn(environment, 'OTEL_SDK_DISABLED')) || exporters.includes('none')) return null;
  if (exporters.length > 0) return 'OTEL_TRACES_EXPORTER';
  return ENDPOINTS.find((name) => valueIn(environment, name) !== '') ?? null;
}

/**
 * Reads the standard OpenTelemetry variables for traces that they enable. Values that an SDK would silently replace are
 * problems.
 *
 * @throws ConfigError with every problem
 */
export function tracingSettings(environment: Environment): TracingSettings {
  const valueOf = (name: string): string => valueIn(environment, name);
  const problems: string[] = [];
  const checked = <T extends string>(name: string, value: string, choices: readonly T[]): T[] => {
    const choice = choices.find((one) => one === value);
    if (choice === undefined) problems.push(`${name}: is "${value}"; use ${choices.join(', ')}`);
    return choice === undefined ? [] : [choice];
  };
  const chosen = exportersIn(environment);
  const exporters = (chosen.length > 0 ? chosen : ['otlp']).flatMap((exporter) =>
    checked('OTEL_TRACES_EXPORTER', exporter, [...EXPORTERS, 'none']).filter((name) => name !== 'none'),
  );
  const protocolName = PROTOCOL_NAMES.find((name) => valueOf(name) !== '') ?? '';
  const [protocol = PROTOCOLS[0]] = checked(protocolName, valueOf(protocolName) || PROTOCOLS[0], PROTOCOLS);
  const sampler = valueOf('OTEL_TRACES_SAMPLER') || 'always_on';
  checked('OTEL_TRACES_SAMPLER', sampler, SAMPLERS);
  const share = valueOf('OTEL_TRACES_SAMPLER_ARG');
  if (sampler.endsWith('traceidratio') && !(share !== '' && Number(share) >= 0 && Number(share) <= 1))
    problems.push('OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1, the share of traces to record');
  // The value is not repeated: a URL may contain a password.
  for (const name of ENDPOINTS.filter(
    (one) => valueOf(one) !== '' && !/^https?:/.test(schemeOf(valueOf(one))),
  ))
    problems.push(`${name}: must be an http or https URL, such as http://localhost:4318`);
  if (problems.length > 0) throw new ConfigError(problems);
  return { exporters, protocol };
}

function schemeOf(address: string): string {
  return URL.canParse(address) ? new URL(address).protocol : '';
}
