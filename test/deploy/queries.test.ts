import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { startGraph } from '../support/graph.ts';
import { postJson, scrape } from '../support/http.ts';
import { temporaryFolder } from '../support/files.ts';
import { parser } from '@prometheus-io/lezer-promql';

/** A condition on a label, as `status=~"5.."`. */
interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** A metric that an expression reads. */
interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
  /** Labels that an aggregation or a match around it names. */
  readonly grouping: readonly string[];
}

type Node = ReturnType<typeof parser.parse>['topNode'];

/** The metrics that an expression reads, with their labels; fails where it is not valid PromQL. */
function selectorsOf(expression: string): readonly Selector[] {
  const textOf = ({ from, to }: Node): string => expression.slice(from, to);
  const tree = parser.parse(expression);
  tree.iterate({
    enter: (node) => {
      if (node.type.isError) throw new Error(`Not PromQL at character ${node.from}: ${expression}`);
    },
  });
  return below(tree.topNode, 'VectorSelector').map((selector) => ({
    metric: below(selector, 'Identifier').map(textOf).join(''),
    matchers: below(selector, 'UnquotedLabelMatcher').map((matcher) => ({
      label: below(matcher, 'LabelName').map(textOf).join(''),
      operator: below(matcher, 'MatchOp').map(textOf).join(''),
      value: JSON.parse(below(matcher, 'StringLiteral').map(textOf).join('')) as string,
    })),
    grouping: around(selector).flatMap((node) =>
      [...node.getChildren('AggregateModifier'), ...node.getChildren('MatchingModifierClause')].flatMap(
        (modifier) => below(modifier, 'LabelName').map(textOf),
      ),
    ),
  }));
}

/** All nodes of a kind below a node. */
function below(node: Node, name: string): readonly Node[] {
  const found: Node[] = [];
  node.cursor().iterate(({ node: inner }) => {
    if (inner.name === name && inner.from >= node.from && inner.to <= node.to) found.push(inner);
  });
  return found;
}

/** All nodes that contain a node. */
function around(node: Node): readonly Node[] {
  return node.parent === null ? [] : [node.parent, ...around(node.parent)];
}

/** Whether a label's value fulfils a condition; a regular expression is anchored at both ends, as in Prometheus. */
function fulfils({ operator, value }: Matcher, given: string): boolean {
  const isEqual = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(given) : value === given;
  return operator.startsWith('!') ? !isEqual : isEqual;
}

const ROOT = resolve(import.meta.dirname, '../..');
const textOf = (file: string): string => readFileSync(resolve(ROOT, file), 'utf8');

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
const filledIn = (query: string): string =>
  query.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '1h').replaceAll('$instance', '.*');

const QUERIES = [
  ...RULES.map(({ alert, expr }) => [`the alert ${alert}`, expr] as const),
  ...DASHBOARD.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => [`the panel “${title}”`, filledIn(expr)] as const),
  ),
];

/** Labels that Prometheus adds to every metric of a server, and the metric that it makes itself. */
const PROMETHEUS = { labels: ['job', 'instance'], metric: 'up' };

/** The labels of each series of each metric. */
type Metrics = ReadonlyMap<string, readonly Readonly<Record<string, string>>[]>;

const servedMetrics = async (): Promise<Metrics> =>
  seriesIn([...(await servedOnDisk()), ...(await servedWithRedis())]);

/** Adds a field that nobody documents to every record. */
const undocumented = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer).replaceAll('{"', '{"moodRing":1,"'));

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
  graph.sandbox.faults.add({ kind: 'rewrite', endpoint: 'GET /posts/queued', change: undocumented });
  await graph.query('{ queuedPosts(first: 1) { nodes { text } } }');
  await graph.query('mutation { createDraft(input: { accountIds: [], variants: [] }) { outcome } }');
  await postJson(`${graph.url}/graphql`, { query: '{ nothing }' });
  const follow = { query: 'subscription { aiGenerationFinished { id } }' };
  const leaving = new AbortController();
  const streams = await Promise.all(
    [1, 2].map((key) =>
      fetch(`${graph.url}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream',
          'x-api-key': `nobody-${key}`,
        },
        body: JSON.stringify(follow),
        signal: leaving.signal,
      }),
    ),
  );
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200, 503]));
  const { series } = await scrape(graph.url);
  leaving.abort();
  return series;
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
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) => [
      label,
      value,
    ]);
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
  const missing = (query: string): string[] =>
    selectorsOf(query).flatMap((selector) => unknownIn(metrics, selector));
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
