import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { PACKAGES, tracingSettings } from '../../src/cli/tracing.ts';
import { ConfigError, readConfig } from '../../src/config.ts';

const DOCS = resolve(import.meta.dirname, '../../docs');

const ENDPOINT = 'http://localhost:4318';
const OTLP = { exporters: ['otlp'], protocol: 'http/protobuf' };

test.each([
  [{}, null],
  [{ OTEL_SERVICE_NAME: 'x', OTEL_RESOURCE_ATTRIBUTES: 'a=b' }, null],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, null],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: ENDPOINT }, null],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT }, OTLP],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ENDPOINT }, OTLP],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, OTLP],
  [{ OTEL_TRACES_EXPORTER: 'otlp, console' }, { exporters: ['otlp', 'console'] }],
  [{ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT }, null],
  [{ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT }, null],
  [{ OTEL_SDK_DISABLED: 'TRUE', OTEL_TRACES_EXPORTER: 'nonsense' }, null],
  [{ OTEL_SDK_DISABLED: 'false', OTEL_TRACES_EXPORTER: 'otlp' }, OTLP],
  [{ OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, { protocol: 'http/json' }],
  [
    {
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    },
    { protocol: 'http/json' },
  ],
])('%j asks for %j', (environment, settings) => {
  if (settings === null) expect(tracingSettings(environment)).toBeNull();
  else expect(tracingSettings(environment)).toMatchObject(settings);
});

test.each([
  ['OTEL_TRACES_EXPORTER', 'zipkin', 'is "zipkin"; use otlp, console, none'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'is "grpc"; use http/protobuf, http/json'],
  ['OTEL_TRACES_SAMPLER', 'sometimes', 'is "sometimes"; use always_on,'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'user:secret@nowhere', 'must be an http or https URL'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'unix:///socket', 'must be an http or https URL'],
])('%s=%s is a problem of its own, not replaced without a word', (name, value, problem) => {
  const environment = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ENDPOINT, [name]: value };
  expect(() => tracingSettings(environment)).toThrow(ConfigError);
  expect(() => tracingSettings(environment)).toThrow(`${name}: ${problem}`);
  expect(() => tracingSettings(environment)).not.toThrow('secret');
});

test.each(['', 'a tenth', '1.5', '-1'])('a share of "%s" is none', (share) => {
  const environment = { OTEL_TRACES_EXPORTER: 'otlp', OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' };
  expect(() => tracingSettings({ ...environment, OTEL_TRACES_SAMPLER_ARG: share })).toThrow(
    'OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1',
  );
  expect(tracingSettings({ ...environment, OTEL_TRACES_SAMPLER_ARG: '0.1' })).not.toBeNull();
});

test('no name of OpenTelemetry counts as a misspelt setting', () => {
  const names = ['OTEL_PROPAGATORS', 'OTEL_LOG_LEVEL', 'OTEL_SERVICE_NAME', 'OTEL_HOST', 'OTEL_PORT'];
  for (const name of names) expect(() => readConfig({ [name]: 'x' })).not.toThrow();
  expect(() => readConfig({ PROPAGATE_TRACES: 'on' })).toThrow(
    'PROPAGATE_TRACES: is not a setting; did you mean PROPAGATE_TRACE?',
  );
});

test('the packages that the start asks for are those of the documentation and of the tests, and no dependency', () => {
  const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = manifest;
  const tested: Readonly<Record<string, string>> = devDependencies;
  const pages = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  const documented = pages.map((name) => readFileSync(resolve(DOCS, name), 'utf8')).join('\n');
  for (const wanted of Object.values(PACKAGES)) {
    const [name, version] = [wanted.slice(0, wanted.lastIndexOf('@')), wanted.split('@').at(-1)];
    expect(tested[name]).toBe(version);
    expect(documented).toContain(wanted);
    expect(Object.keys(peerDependencies)).toContain(name);
    expect(Object.entries(peerDependenciesMeta)).toContainEqual([name, { optional: true }]);
    expect(Object.keys(dependencies)).not.toContain(name);
  }
});
