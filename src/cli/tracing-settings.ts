import { ConfigError, type Environment } from '../config.ts';

/** The exporters of spans. */
export interface TracingSettings {
  readonly exporters: readonly Exporter[];
  readonly protocol: Protocol;
}

const EXPORTERS = ['otlp', 'console'] as const;
type Exporter = (typeof EXPORTERS)[number];

const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
type Protocol = (typeof PROTOCOLS)[number];

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
];

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
const PROTOCOL_NAMES = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'];

/** Returns the variable that enables traces, whatever its value; null if there is none. */
export function whatAsksForTraces(environment: Environment): string | null {
  const chosen = chosenExporters(environment);
  if (/^true$/i.test(environment['OTEL_SDK_DISABLED']?.trim() ?? '') || chosen.includes('none')) return null;
  if (chosen.length > 0) return 'OTEL_TRACES_EXPORTER';
  return ENDPOINTS.find((name) => environment[name]?.trim()) ?? null;
}

function chosenExporters({ OTEL_TRACES_EXPORTER: names = '' }: Environment): string[] {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

/**
 * Reads the standard OpenTelemetry variables for traces; null if they do not enable any. Values that an SDK would
 * silently replace are problems.
 *
 * @throws ConfigError with every problem
 */
export function tracingSettings(environment: Environment): TracingSettings | null {
  if (whatAsksForTraces(environment) === null) return null;
  const valueOf = (name: string): string => environment[name]?.trim() ?? '';
  const chosen = chosenExporters(environment);
  const names = chosen.length > 0 ? chosen : ['otlp'];
  const protocolName = PROTOCOL_NAMES.find((name) => valueOf(name) !== '');
  const protocol = protocolName === undefined ? PROTOCOLS[0] : valueOf(protocolName);
  const problems = [
    ...names.flatMap((name) => problemOf('OTEL_TRACES_EXPORTER', name, [...EXPORTERS, 'none'])),
    ...problemOf(protocolName ?? '', protocol, PROTOCOLS),
    ...problemOf('OTEL_TRACES_SAMPLER', valueOf('OTEL_TRACES_SAMPLER') || 'always_on', SAMPLERS),
    ...problemOfRatio(valueOf('OTEL_TRACES_SAMPLER'), valueOf('OTEL_TRACES_SAMPLER_ARG')),
    ...ENDPOINTS.flatMap((name) => problemOfEndpoint(name, valueOf(name))),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return { exporters: names as Exporter[], protocol: protocol as Protocol };
}

function problemOf(name: string, value: string, choices: readonly string[]): string[] {
  return choices.includes(value) ? [] : [`${name}: is "${value}"; use ${choices.join(', ')}`];
}

function problemOfRatio(sampler: string, ratio: string): string[] {
  if (!sampler.endsWith('traceidratio') || (ratio !== '' && Number(ratio) >= 0 && Number(ratio) <= 1))
    return [];
  return ['OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1, the share of traces to record'];
}

// The value is not repeated: a URL may contain a password.
function problemOfEndpoint(name: string, value: string): string[] {
  const isAddress = value === '' || (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol));
  return isAddress ? [] : [`${name}: must be an http or https URL, such as http://localhost:4318`];
}
