import { context, propagation, trace } from '@opentelemetry/api';
import { expect, onTestFinished, test, vi } from 'vitest';
import { IMPORTS, PACKAGES, startTracing, type Imports } from '../../src/cli/tracing.ts';
import { isTracing, startOperationSpan } from '../../src/observability/tracing.ts';
import { openLog } from '../../src/observability/log.ts';
import { ownVersion } from '../../src/own-files.ts';
import { recordSpans, startCollector } from '../support/spans.ts';

// How the command line sets traces up; test/cli/tracing.test.ts shows it of the server as a process.

type Environment = Readonly<Record<string, string>>;

/** Starts the recording as the command line does, and gives back what it has taken of the process. */
async function begin(environment: Environment, imports?: Imports) {
  // The packages read their settings themselves.
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const lines: string[] = [];
  const log = openLog('info', (line) => void lines.push(line));
  onTestFinished(() => {
    for (const api of [trace, context, propagation]) api.disable();
  });
  const tracing = await startTracing(environment, log, imports);
  const told = (text: string): readonly string[] => lines.filter((line) => line.includes(text));
  return { tracing, told };
}

function recordOne(): void {
  startOperationSpan({}, {})?.end();
}

const JSON_TO = (url: string): Environment => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
});

test('a collector that refuses spans is told of once, by its status alone, and once again when it takes them, under the name that the operator chose and the own version', async () => {
  const collector = await startCollector();
  const settings = { OTEL_SERVICE_NAME: 'my-facade', OTEL_BSP_SCHEDULE_DELAY: '5' };
  const { tracing, told } = await begin({ ...JSON_TO(collector.url), ...settings });
  const send = async (answer: number): Promise<void> => {
    const { length } = collector.requests;
    collector.answersWith(answer);
    recordOne();
    await expect.poll(() => collector.requests.length, { interval: 5 }).toBeGreaterThan(length);
  };
  await send(400);
  await expect.poll(() => told('failed to send spans'), { interval: 5 }).toHaveLength(1);
  await send(400);
  await send(200);
  await expect.poll(() => told('sending spans to the collector again'), { interval: 5 }).toHaveLength(1);
  await send(200);
  await tracing?.close();
  expect(told('failed to send spans')).toHaveLength(1);
  expect(told('"code":"400"')).toHaveLength(1);
  expect(told('sending spans to the collector again')).toHaveLength(1);
  expect(collector.resources[0]).toMatchObject({
    'service.name': 'my-facade',
    'service.version': ownVersion(),
  });
});

test('spans for the console are written at once, and no exporter of a collector is loaded', async () => {
  const written = vi.spyOn(console, 'dir').mockImplementation(() => undefined);
  const loaded: string[] = [];
  const watched = Object.entries(IMPORTS).map(([name, load]) => [
    name,
    () => {
      loaded.push(name);
      return load();
    },
  ]);
  const environment = { OTEL_TRACES_EXPORTER: 'console' };
  const { tracing, told } = await begin(environment, Object.fromEntries(watched) as Imports);
  recordOne();
  expect(written).toHaveBeenCalledWith(expect.objectContaining({ kind: 1 }), expect.anything());
  expect(told('recording traces')).toHaveLength(1);
  expect(loaded).toEqual(['sdk', 'resources']);
  await tracing?.close();
});

test('without its variables nothing is recorded, and beside an SDK that is there already no other one', async () => {
  expect((await begin({})).tracing).toBeNull();
  expect(isTracing()).toBe(false);
  recordSpans();
  // Its values are for that SDK, which may know more of them.
  const { tracing, told } = await begin({ OTEL_TRACES_EXPORTER: 'console', OTEL_TRACES_SAMPLER: 'xray' });
  expect(tracing).toBeNull();
  expect(told('recording traces')).toEqual([]);
});

const missing = Object.assign(new Error('Cannot find it'), { code: 'ERR_MODULE_NOT_FOUND' });

function without(hidden: keyof Imports, error: Error): Imports {
  return { ...IMPORTS, [hidden]: () => Promise.reject(error) };
}

test.each([
  ['sdk', 'http/protobuf'],
  ['http/json', 'http/json'],
  // Clusters set it for every program; nobody reads it without the packages.
  ['resources', 'grpc'],
] as const)(
  'without %s, the server starts and logs the command that installs what is missing',
  async (hidden, protocol) => {
    const environment = { ...JSON_TO('http://127.0.0.1:9'), OTEL_EXPORTER_OTLP_PROTOCOL: protocol };
    const { tracing, told } = await begin(environment, without(hidden, missing));
    expect(tracing).toBeNull();
    expect(isTracing()).toBe(false);
    const lines = told('traces are not recorded').map((line) => JSON.parse(line) as unknown);
    expect(lines).toMatchObject([
      {
        level: 'warn',
        variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
        install: `npm install ${Object.values(PACKAGES).join(' ')}`,
      },
    ]);
  },
);

test('a package that is there and breaks is not told as one to be installed', async () => {
  const broken = new Error('broken inside');
  const environment = JSON_TO('http://127.0.0.1:9');
  await expect(begin(environment, without('resources', broken))).rejects.toBe(broken);
});
