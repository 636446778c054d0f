import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import {
  BUILT_SERVER,
  spawnBuiltServer,
  startBuiltServer,
  type SpawnOptions,
} from '../support/built-server.ts';
import { postJson } from '../support/raw-http.ts';
import { startCollector, valuesOf } from '../support/span-collector.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LIST = { query: 'query Mine { accounts(surface: CURRENT) { totalCount } }' };
const KEY = { 'x-api-key': 'demo-key-harbour', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
const JSON_PROTOCOL = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
const SANDBOX = { SANDBOX_PORT: '0' };

test('spans are sent to the collector that the standard variables name, the last of them at the end', async () => {
  const collector = await startCollector();
  const running = await startBuiltServer({
    ...SANDBOX,
    ...JSON_PROTOCOL,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=harbour',
    OTEL_SERVICE_NAME: 'my-facade',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    // Nothing is sent before the end.
    OTEL_BSP_SCHEDULE_DELAY: '3600000',
  });
  await postJson(`${running.url}/graphql`, LIST, KEY);
  expect(collector.requests).toEqual([]);
  expect(await running.end('SIGTERM')).toBe(0);
  expect(collector.requests.map(({ path }) => path)).toEqual(['/v1/traces']);
  expect(collector.requests[0]?.headers).toMatchObject({
    'x-tenant': 'harbour',
    'content-type': 'application/json',
  });
  expect(collector.resources[0]).toMatchObject({
    'service.name': 'my-facade',
    'service.version': manifest.version,
    'deployment.environment.name': 'test',
    'telemetry.sdk.name': 'opentelemetry',
  });
  const [call, operation, ...others] = collector.spans;
  expect(others).toEqual([]);
  // By OTLP, 2 is SERVER and 3 is CLIENT.
  expect(operation).toMatchObject({
    name: 'query',
    kind: 2,
    traceId: 'a'.repeat(32),
    parentSpanId: 'b'.repeat(16),
  });
  expect(valuesOf(operation?.attributes ?? [])).toMatchObject({
    'graphql.operation.name': 'Mine',
    'http.response.status_code': 200,
  });
  expect(call).toMatchObject({ name: 'GET /accounts/list', kind: 3, parentSpanId: operation?.spanId });
});

test('variables of .env count, by default spans go out as Protobuf, and a collector that refuses is told of once', async () => {
  const collector = await startCollector();
  const cwd = await temporaryFolder();
  const file = `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${collector.url}/mine\nOTEL_BSP_SCHEDULE_DELAY=10\n`;
  await writeFile(join(cwd, '.env'), file);
  const running = await watched({}, { cwd });
  await expect.poll(() => running.output).toMatch(/GraphQL +http/);
  expect(running.output).toContain('recording traces');
  expect(running.output).not.toContain('not a setting');
  const url = /GraphQL +(http:\S+)/.exec(running.output)?.[1] ?? '';
  await postJson(url, LIST, KEY);
  await expect.poll(() => collector.requests.length).toBeGreaterThan(0);
  const [{ path, headers, body } = { path: '', headers: {}, body: Buffer.of() }] = collector.requests;
  expect([path, headers['content-type']]).toEqual(['/mine', 'application/x-protobuf']);
  expect(body.includes('GET /accounts/list')).toBe(true);

  const ask = async (): Promise<void> => {
    const { length } = collector.requests;
    expect((await postJson(url, LIST, KEY)).status).toBe(200);
    await expect.poll(() => collector.requests.length).toBeGreaterThan(length);
  };
  collector.answersWith(400);
  await ask();
  await ask();
  await expect.poll(() => running.output).toContain('failed to send spans');
  collector.answersWith(200);
  await ask();
  await expect.poll(() => running.output).toContain('sending spans to the collector again');
  expect(running.output.match(/failed to send spans/g)).toHaveLength(1);
  expect(running.output).toMatch(/"code":"?400"?/);
  collector.answersWith('nothing');
  await ask();
  // The spans of which nobody hears hold up the end for some seconds at most, not for ever.
  expect(await running.end('SIGTERM')).toBe(0);
  expect(running.output).toMatch(/^loaded: .*exporter-trace-otlp-proto/m);
});

/** Loaded before the server: writes the OpenTelemetry packages that were loaded when it ends. */
const WATCH = `process.on('exit', () => {
  const names = Object.keys(require.cache).map((path) => /@opentelemetry\\/([\\w-]+)/.exec(path)?.[1]);
  process.stdout.write('loaded: ' + [...new Set(names.filter(Boolean))].sort() + '\\n');
});`;

async function watched(environment: Readonly<Record<string, string>>, options?: SpawnOptions) {
  const file = join(await temporaryFolder(), 'watch.cjs');
  await writeFile(file, WATCH);
  return spawnBuiltServer({ ...SANDBOX, NODE_OPTIONS: `--require=${file}`, ...environment }, options);
}

test('an SDK that was loaded before the server records the spans, and no other one is loaded', async () => {
  const file = join(await temporaryFolder(), 'own-sdk.cjs');
  const sdk = join(BUILT_SERVER, 'node_modules/@opentelemetry/sdk-trace-node');
  await writeFile(
    file,
    `const { NodeTracerProvider, SimpleSpanProcessor, ConsoleSpanExporter } = require(${JSON.stringify(sdk)});
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new ConsoleSpanExporter())] }).register();`,
  );
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    NODE_OPTIONS: `--require=${file}`,
  };
  const running = await startBuiltServer({ ...SANDBOX, ...environment });
  await postJson(`${running.url}/graphql`, LIST, KEY);
  await expect.poll(() => running.output).toContain("name: 'query'");
  expect(running.output).not.toContain('recording traces');
  expect(await running.end('SIGTERM')).toBe(0);
});
