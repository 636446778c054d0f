import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { stagesOf } from '../../deploy/build-rootfs.js';
import manifest from '../../package.json' with { type: 'json' };
import { readConfig, settingsHelp } from '../../src/config.ts';
import { ROOT, temporaryFolder, textOf } from '../support/files.ts';
import { startGraph } from '../support/graph.ts';
import { postJson, scrape, startStream } from '../support/http.ts';
import { programPath } from '../support/programs.ts';
import { changingEach } from '../support/sandbox.ts';

// Units, compose files, images and sizes.

const DEPLOY = resolve(ROOT, 'deploy');
const run = promisify(execFile);
const NAMES = new Set(settingsHelp().map(({ name }) => name));

/** How long the server takes to end at most, in seconds, as docs/operations.md says. */
const END_S = 5 + 75;

const START_FLAGS = manifest.scripts.start.match(/--\S+/g) ?? [];

const UNIT = 'deploy/social-publishing-graphql.service';
/** The lines of a unit's section, as names and values. */
function unitLines(section: string): readonly (readonly [name: string, value: string])[] {
  const [, lines = ''] = textOf(UNIT).split(`[${section}]\n`);
  const [own = ''] = lines.split(/^\[/m);
  return [...own.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]);
}

describe('the systemd unit', () => {
  const service = new Map(unitLines('Service'));

  test('has no privileges, writes to its own folder alone, starts as npm start does and has time to end', () => {
    expect(Object.fromEntries(service)).toMatchObject({
      DynamicUser: 'yes',
      NoNewPrivileges: 'yes',
      ProtectSystem: 'strict',
      ProtectHome: 'yes',
      CapabilityBoundingSet: '',
      StateDirectory: 'social-publishing-graphql',
      ExecStart: `/usr/bin/env node ${START_FLAGS.join(' ')} dist/main.js start`,
      KillSignal: 'SIGTERM',
    });
    const dataDirectory = `DATA_DIR=%S/${service.get('StateDirectory')}`;
    expect(unitLines('Service')).toContainEqual(['Environment', dataDirectory]);
    expect(Number(service.get('TimeoutStopSec'))).toBeGreaterThanOrEqual(END_S);
  });

  test('is installed without a change to settings that are there', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'social-publishing-graphql.env');
    await writeFile(file, 'API_KEY=kept\n');
    const commands = textOf('docs/deploying.md')
      .split('\n')
      .filter((line) => line.startsWith('sudo ') && line.includes('/etc/social-publishing-graphql.env'));
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands)
      await run('sh', ['-c', command.replaceAll('sudo ', '').replaceAll('/etc', folder)]);
    expect(await readFile(file, 'utf8')).toBe('API_KEY=kept\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test.runIf(programPath('systemdAnalyze') !== null)('is valid for systemd', async () => {
    const { stdout, stderr } = await run('systemd-analyze', ['verify', resolve(ROOT, UNIT)]);
    expect(stdout + stderr).toBe('');
  });
});

interface ComposeService {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: string;
  readonly volumes?: readonly string[];
  readonly stop_grace_period?: string;
}
const COMPOSE_FILES = ['compose.sandbox.yml', 'compose.yml'];
const servicesOf = (file: string): Readonly<Record<string, ComposeService>> =>
  (parse(textOf(`deploy/${file}`), { merge: true }) as { readonly services: Record<string, ComposeService> })
    .services;
const GIVEN: Readonly<Record<string, string>> = {
  REDIS_SECRET: 'f'.repeat(64),
  CURRENT_API_URL: 'https://current.example',
  LEGACY_API_URL: 'https://legacy.example',
};
const filledIn = (text: string): string =>
  text.replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_all, name: string) => GIVEN[name] ?? '');

describe.each(COMPOSE_FILES)('%s', (file) => {
  const services = Object.values(servicesOf(file));
  const graphs = services.filter(({ image }) => image === manifest.name);

  test('names files that are there, and images that everybody knows', () => {
    const images = new Set(services.map(({ image }) => image));
    expect([manifest.name, 'haproxy:lts', 'redis:7']).toEqual(expect.arrayContaining([...images]));
    for (const { build, env_file: settings, volumes = [] } of services) {
      if (build) expect(existsSync(resolve(DEPLOY, build.context, build.dockerfile))).toBe(true);
      const mounted = volumes
        .map((volume) => volume.split(':')[0] ?? '')
        .filter((path) => path.startsWith('.'));
      for (const path of [...mounted, ...(settings ? [settings] : [])])
        expect(existsSync(resolve(DEPLOY, path)), path).toBe(true);
    }
  });

  test('gives each server valid settings, and time to end', () => {
    expect(graphs.length).toBeGreaterThan(0);
    for (const { environment = {}, env_file: more, stop_grace_period: period = '' } of graphs) {
      expect(Object.keys(environment).filter((name) => !NAMES.has(name))).toEqual([]);
      const own = Object.entries(environment).map(([name, value]) => [name, filledIn(value)]);
      const settings = more ? parseEnv(textOf(`deploy/${more}`)) : {};
      const image = { HOST: '0.0.0.0', NODE_ENV: 'production' };
      const config = readConfig({ ...image, ...settings, ...Object.fromEntries(own) });
      expect(config.allowsSandbox).toBe(config.usesSandbox);
      expect(Number(/^(\d+)s$/.exec(period)?.[1])).toBeGreaterThanOrEqual(END_S);
    }
  });
});

test('both proxies deny the same paths to the public, and the balancer is given all addresses that it reads', () => {
  const proxy = textOf('docs/several-processes/haproxy.cfg');
  const denied = /deny .* \{ path_beg (.*) \}/.exec(proxy)?.[1]?.split(' ');
  const nginx = [...textOf('docs/deploying.md').matchAll(/location (\S+) \{ return 404; \}/g)];
  expect(denied).toEqual(['/metrics', '/ready']);
  expect(nginx.map(([, path]) => path)).toEqual(denied);

  const { balancer, ...others } = servicesOf('compose.yml');
  const given = Object.entries(balancer?.environment ?? {});
  const read = [...proxy.matchAll(/"\$\{(\w+)\}"/g)].map(([, name]) => name);
  expect(new Set(given.map(([name]) => name))).toEqual(new Set(read));
  const instances = given.flatMap(([name, value]) =>
    name.startsWith('GRAPH_') ? [value.split(':')[0]] : [],
  );
  expect(Object.keys(others)).toEqual(expect.arrayContaining(instances));
});

describe('the container file', () => {
  const stages = stagesOf(textOf('deploy/Dockerfile'));
  const last = stages.at(-1)?.steps ?? [];
  const textsOf = (instruction: string): string[] =>
    last.filter((step) => step.instruction === instruction).map(({ text }) => text);

  test('runs no install script, and uses public images alone', () => {
    const steps = stages.flatMap((stage) => stage.steps);
    const installs = steps.filter(({ text }) => text.startsWith('npm ci'));
    expect(installs).toHaveLength(2);
    for (const { text } of installs) expect(text).toContain('--ignore-scripts');
    const images = steps
      .filter(({ instruction }) => instruction === 'FROM')
      .map(({ text }) => text.split(' ')[0]);
    expect(new Set(images)).toEqual(new Set(['node:24-slim']));
  });

  test('starts the server itself, without a shell between it and the signal, and not as root', () => {
    expect(textsOf('ENTRYPOINT').map((text) => JSON.parse(text) as unknown)).toEqual([
      ['node', ...START_FLAGS, 'dist/main.js'],
    ]);
    expect(textsOf('CMD')).toEqual(['["start"]']);
    expect(textsOf('STOPSIGNAL')).toEqual(['SIGTERM']);
    expect(textsOf('USER')).toEqual(['1000:1000']);
  });

  test('sends the engine all that it copies', () => {
    const sent = textOf('deploy/Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = stages
      .flatMap((stage) => stage.steps)
      .filter(({ instruction, flags }) => instruction === 'COPY' && flags['from'] === undefined)
      .flatMap(({ text }) => text.split(/\s+/).slice(0, -1));
    expect(new Set(copied)).toEqual(new Set(sent));
  });
});

/** A number as people write it: 1,373. */
const numberOf = (text = ''): number => Number(text.replaceAll(',', ''));

test('the sizes in docs/deploying.md are the bench’s', () => {
  const measured = new Map(
    [...textOf('bench/RESULTS.md').matchAll(/^\| (\w+) +\| 32 users, service 20 ms +\| (\d+) \(/gm)].map(
      ([, workload = '', micros]) => [workload, Number(micros)],
    ),
  );
  const shown = [...textOf('docs/deploying.md').matchAll(/^\| `(\w+)` +\| +([\d,]+) \| +([\d,]+) \|$/gm)];
  expect(shown.map(([, workload = '', micros]) => [workload, numberOf(micros)])).toEqual([...measured]);
  for (const [, , micros, rate] of shown) expect(numberOf(rate)).toBe(Math.floor(500_000 / numberOf(micros)));
  const [, memory = ''] = /### Resident memory([^#]*)/.exec(textOf('bench/RESULTS.md')) ?? [];
  const sizes = [...memory.matchAll(/ms +\| (\d+) +\|/g)].map(([, size]) => Number(size));
  const largest = Math.max(...sizes);
  expect(textOf('docs/deploying.md')).toContain(`at most ${largest} MiB resident`);
});

// Alerts and the dashboard.

type Node = ReturnType<typeof parser.parse>['topNode'];

/** All nodes of a kind below a node. */
function below(node: Node, name: string): readonly Node[] {
  const found: Node[] = [];
  node.cursor().iterate(({ node: inner }) => {
    if (inner.name === name && inner.from >= node.from && inner.to <= node.to) found.push(inner);
  });
  return found;
}

const around = ({ parent }: Node): readonly Node[] => (parent ? [parent, ...around(parent)] : []);

/** The metrics that an expression reads, with the conditions and the names of labels that belong to each. */
function selectorsOf(expression: string) {
  const { topNode } = parser.parse(expression);
  const wordsOf = (node: Node, name: string): string[] =>
    below(node, name).map(({ from, to }) => expression.slice(from, to));
  const wrong = below(topNode, '⚠').map(({ from }) => from);
  if (wrong.length > 0) throw new Error(`Not PromQL at character ${wrong.join()}: ${expression}`);
  return below(topNode, 'VectorSelector').map((selector) => ({
    metric: wordsOf(selector, 'Identifier').join(''),
    matchers: below(selector, 'UnquotedLabelMatcher').map((matcher) => ({
      label: wordsOf(matcher, 'LabelName').join(''),
      operator: wordsOf(matcher, 'MatchOp').join(''),
      value: JSON.parse(wordsOf(matcher, 'StringLiteral').join('')) as string,
    })),
    // Those that an aggregation or a match around it names.
    grouping: around(selector)
      .flatMap((node) =>
        ['AggregateModifier', 'MatchingModifierClause'].flatMap((name) => node.getChildren(name)),
      )
      .flatMap((modifier) => wordsOf(modifier, 'LabelName')),
  }));
}

type Selector = ReturnType<typeof selectorsOf>[number];

/** Whether a label's value fulfils a condition; a regular expression is anchored at both ends, as in Prometheus. */
function fulfils({ operator, value }: Selector['matchers'][number], given: string): boolean {
  const isEqual = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(given) : value === given;
  return operator.startsWith('!') ? !isEqual : isEqual;
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}
const { groups } = parse(textOf('deploy/alerts.yml')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
};
const RULES = groups.flatMap(({ rules }) => rules);

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}
interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] };
}
const DASHBOARD = JSON.parse(textOf('deploy/grafana-dashboard.json')) as Dashboard;
/** Grafana fills in its variables before it asks Prometheus. */
const withVariables = (query: string): string =>
  query.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '1h').replaceAll('$instance', '.*');

const QUERIES = [
  ...RULES.map(({ alert, expr }) => [`the alert ${alert}`, expr] as const),
  ...DASHBOARD.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => [`the panel “${title}”`, withVariables(expr)] as const),
  ),
];

/** Labels that Prometheus adds to every metric of a server, and the metric that it makes itself. */
const PROMETHEUS = { labels: ['job', 'instance'], metric: 'up' };

/** The labels of each series of each metric. */
type Metrics = ReadonlyMap<string, readonly Readonly<Record<string, string>>[]>;

const servedMetrics = async (): Promise<Metrics> =>
  seriesIn([...(await servedOnDisk()), ...(await servedWithRedis())]);

/** Metrics of a server that has answered, rejected and shed requests, and whose service failed and changed. */
async function servedOnDisk(): Promise<readonly string[]> {
  const environment = { DATA_DIR: await temporaryFolder(), MAX_ANONYMOUS_SOCKETS_PER_ADDRESS: '1' };
  const graph = await startGraph({ environment });
  const list = '{ accounts(first: 1, surface: CURRENT) { totalCount } }';
  const endpoint = 'GET /accounts/list';
  await graph.query(list);
  for (const status of [429, 500]) {
    graph.sandbox.faults.add({ kind: 'status', status, endpoint });
    await graph.query(list);
  }
  graph.sandbox.faults.add(changingEach('GET /posts/queued', () => ({ moodRing: 1 })));
  await graph.query('{ queuedPosts(first: 1) { nodes { text } } }');
  await graph.query('mutation { createDraft(input: { accountIds: [], variants: [] }) { outcome } }');
  await postJson(`${graph.url}/graphql`, { query: '{ nothing }' });
  const follow = 'subscription { aiGenerationFinished { id } }';
  const streams = ['one', 'another'].map((key) => startStream(graph.url, follow, { 'x-api-key': key }));
  const answers = await Promise.all(streams.map(({ answer }) => answer));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
  return (await scrape(graph.url)).series;
}

/** Metrics of a server with Redis; nothing listens at its address, which makes no difference to their names. */
async function servedWithRedis(): Promise<readonly string[]> {
  const environment = { REDIS_URL: 'redis://127.0.0.1:9', REDIS_SECRET: 'x'.repeat(32) };
  const { url } = await startGraph({ environment });
  await postJson(`${url}/graphql`, { query: '{ __typename }' });
  return (await scrape(url)).series;
}

function seriesIn(lines: readonly string[]): Metrics {
  const found = new Map<string, Record<string, string>[]>([[PROMETHEUS.metric, [{}]]]);
  for (const line of lines) {
    const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(line) ?? [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map((pair) => pair.slice(1));
    found.set(name, [...(found.get(name) ?? []), Object.fromEntries(pairs) as Record<string, string>]);
  }
  return found;
}

/** What in a selector no server has. */
function unknownIn(metrics: Metrics, { metric, matchers, grouping }: Selector): string[] {
  const series = metrics.get(metric);
  if (series === undefined) return [`the metric ${metric}`];
  const labels = new Set([...PROMETHEUS.labels, ...series.flatMap((one) => Object.keys(one))]);
  const named = [...matchers.map(({ label }) => label), ...grouping].filter((label) => !labels.has(label));
  const own = matchers.filter(({ label }) => !PROMETHEUS.labels.includes(label));
  const isMatched = series.some((one) => own.every((matcher) => fulfils(matcher, one[matcher.label] ?? '')));
  return [
    ...named.map((label) => `the label ${label} of ${metric}`),
    ...(isMatched ? [] : [`a series of ${metric} that fulfils ${JSON.stringify(own)}`]),
  ];
}

test('a server has all metrics that the alerts and the dashboard read, and the dashboard shows all of its own', async () => {
  const metrics = await servedMetrics();
  const missing = (query: string) => selectorsOf(query).flatMap((selector) => unknownIn(metrics, selector));
  expect(QUERIES.filter(([, query]) => selectorsOf(query).length === 0)).toEqual([]);
  expect(QUERIES.flatMap(([name, query]) => missing(query).map((what) => `${name}: ${what}`))).toEqual([]);
  expect(missing('sum by (colour) (http_responses_total{status="2000"})')).toHaveLength(2);

  const asked = QUERIES.slice(RULES.length).flatMap(([, query]) => selectorsOf(query));
  const shown = new Set(asked.map(({ metric }) => metric.replace(/_bucket$/, '_count')));
  const own = [...metrics.keys()].filter((name) => !/^(?:process|nodejs|up$)|_(?:sum|bucket)$/.test(name));
  expect(own).toContain('requests_shed_total');
  expect(own.filter((name) => !shown.has(name))).toEqual([]);
});

test('each panel has a place of its own', () => {
  const places = (DASHBOARD.panels as readonly { readonly gridPos?: unknown }[]).map(({ gridPos }) =>
    JSON.stringify(gridPos),
  );
  expect(new Set(places).size).toBe(places.length);
});

test('each alert is explained, and says how urgent it is', () => {
  const [, page = ''] = textOf('docs/deploying.md').split('## Metrics and alerts');
  const explained = [...page.matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name);
  expect(explained).toEqual(RULES.map(({ alert }) => alert));
  for (const { labels, annotations, for: patience } of RULES) {
    expect(['page', 'ticket']).toContain(labels.severity);
    expect(annotations).toMatchObject({ summary: expect.stringMatching(/\.$/) });
    expect(patience).toMatch(/^\d+m$/);
  }
});
