import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { PACKAGES, startTracing, tracingSettings } from '../../src/cli/tracing.ts';
import { ConfigError } from '../../src/config.ts';
import { openLog } from '../../src/observability/log.ts';
import { spawnBuiltServer } from '../support/built-server.ts';
import { postJson } from '../support/http.ts';
import { startCollector } from '../support/spans.ts';
import { temporaryFolder } from '../support/files.ts';

const DOCS = resolve(import.meta.dirname, '../../docs');
const ENDPOINT = 'http://localhost:4318';
const GRPC = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
const JSON_OTLP = { protocol: 'http/json' };
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
  [{ OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, JSON_OTLP],
  [{ ...GRPC, OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' }, JSON_OTLP],
])('%j enables %j', async (environment, settings) => {
  if (settings === null) expect(await startTracing(environment, openLog('silent'))).toBeNull();
  else expect(tracingSettings(environment)).toMatchObject(settings);
});

test.each<readonly [name: string, value: string, problem: string]>([
  ['OTEL_TRACES_EXPORTER', 'zipkin', 'is "zipkin"; use otlp, console, none'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'is "grpc"; use http/protobuf, http/json'],
  ['OTEL_TRACES_SAMPLER', 'sometimes', 'is "sometimes"; use always_on,'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'user:secret@nowhere', 'must be an http or https URL'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'unix:///socket', 'must be an http or https URL'],
  ...['', 'a tenth', '1.5', '-1'].map(
    (share) => ['OTEL_TRACES_SAMPLER_ARG', share, 'must be a number from 0 to 1'] as const,
  ),
])('%s=%s is rejected with a reason that has no secret', (name, value, problem) => {
  const environment = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ENDPOINT,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.1',
  };
  expect(tracingSettings(environment)).toEqual(OTLP);
  const settings = () => tracingSettings({ ...environment, [name]: value });
  expect(settings).toThrow(ConfigError);
  expect(settings).toThrow(`${name}: ${problem}`);
  expect(settings).not.toThrow('secret');
});

test('the packages for traces are those of the documentation and of the tests, and optional', () => {
  const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = manifest;
  const files = readdirSync(DOCS, { recursive: true, encoding: 'utf8' });
  const pages = files.filter((name) => name.endsWith('.md'));
  const documented = pages.map((name) => readFileSync(join(DOCS, name), 'utf8')).join('\n');
  for (const wanted of Object.values(PACKAGES)) {
    const [name, version] = [wanted.slice(0, wanted.lastIndexOf('@')), wanted.split('@').at(-1)];
    expect(Object.entries(devDependencies)).toContainEqual([name, version]);
    expect(documented).toContain(wanted);
    expect(Object.keys(peerDependencies)).toContain(name);
    expect(Object.entries(peerDependenciesMeta)).toContainEqual([name, { optional: true }]);
    expect(Object.keys(dependencies)).not.toContain(name);
  }
});

// What is recorded and sent is the subject of operation/tracing*.test.ts.
test('variables of the environment, and of .env where it has none, send spans, the last of them at the end', async () => {
  const collector = await startCollector();
  const cwd = await temporaryFolder();
  const lines = [`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${collector.url}/mine`, 'OTEL_BSP_SCHEDULE_DELAY=1'];
  await writeFile(join(cwd, '.env'), lines.join('\n'));
  const environment = {
    SANDBOX_PORT: '0',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=harbour',
    // Nothing is sent before the end.
    OTEL_BSP_SCHEDULE_DELAY: '3600000',
    // Close to settings, but no misspelt ones.
    OTEL_HOST: 'x',
    OTEL_PORT: 'x',
  };
  const running = spawnBuiltServer(environment, { cwd });
  await expect.poll(() => running.output).toMatch(/GraphQL +http/);
  expect(running.output).toContain('recording traces');
  expect(running.output).not.toContain('not a setting');
  const url = /GraphQL +(http:\S+)/.exec(running.output)?.[1] ?? '';
  const query = '{ accounts(surface: CURRENT) { totalCount } }';
  await postJson(url, { query }, { 'x-api-key': 'demo-key-harbour' });
  expect(collector.requests).toEqual([]);
  // A collector that never responds delays the end by some seconds, not for ever.
  collector.answersWith('nothing');
  expect(await running.end('SIGTERM')).toBe(0);
  const headers = { 'x-tenant': 'harbour', 'content-type': 'application/x-protobuf' };
  expect(collector.requests).toMatchObject([{ path: '/mine', headers }]);
  expect(collector.requests[0]?.body.includes('GET /accounts/list')).toBe(true);
});
