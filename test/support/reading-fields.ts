import { expect } from 'vitest';
import type { EndpointName } from '../../src/sandbox/endpoints.ts';
import { errorsOf } from './answers.ts';
import type { Answer, RunningGraph } from './graph.ts';
import type { Reading } from './readings.ts';
import { selectionOf } from './selection.ts';
import { withValue } from './wrong-values.ts';

/** Where a field of the service shows in the graph, below the record, and how it is read there. */
export type Shows = Readonly<Record<string, Reading>>;

/** An answer of the service and the operation that shows its records. */
export interface ReadPlace {
  readonly endpoint: EndpointName;
  /** Type of the graph that a record becomes. */
  readonly type: string;
  /** Where a record stands in the service's answer, dotted; `#` stands for its index. */
  readonly record: string;
  /** Where it stands in the operation's data. */
  readonly where: string;
  readonly query: (selection: string, graph: RunningGraph) => string;
  /** What is put into every record first, so that nothing in it is empty. */
  readonly sample: Readonly<Record<string, unknown>>;
}

/** Values of one field of the service, one for each record from the first on. */
export interface ReadField {
  readonly wire: string;
  readonly shows: Shows;
  readonly values: readonly unknown[];
}

/**
 * Puts values into one field of the service's records, and checks that the graph shows what each reading makes of them,
 * with an error where that is none, and that nothing else of the selected paths changed.
 */
export async function expectReadings(
  graph: RunningGraph,
  place: ReadPlace,
  paths: readonly string[],
  field: ReadField,
): Promise<void> {
  const indexes = field.values.map((_, index) => index);
  const query = place.query(selectionOf(place.type, paths), graph);
  const before = await undamaged(graph, place, query, indexes.length);
  const whole = indexes.map((index) => shownAt(before, at(place.where, index)));
  const answer = await answerWith(graph, place, query, field, indexes.length);
  const wanted = indexes.map((index) => expectedOf(whole[index], field, { place, index }));
  expect(errorsOf(answer)).toEqual(wanted.flatMap(({ errors }) => errors).toSorted());
  expect(indexes.map((index) => shownAt(answer, at(place.where, index)))).toEqual(
    wanted.map(({ shown }) => shown),
  );
}

const undamagedAnswers = new WeakMap<RunningGraph, Map<string, Answer>>();

// What a graph answers without damage is the same for every field of a place.
async function undamaged(
  graph: RunningGraph,
  place: ReadPlace,
  query: string,
  count: number,
): Promise<Answer> {
  const answers = undamagedAnswers.get(graph) ?? new Map<string, Answer>();
  undamagedAnswers.set(graph, answers);
  const known = answers.get(`${count} ${query}`);
  if (known) return known;
  const answer = await answerWith(graph, place, query, null, count);
  expect(errorsOf(answer)).toEqual([]);
  answers.set(`${count} ${query}`, answer);
  return answer;
}

/** A value that `wire` may hold as well as what the record holds now, by the first of its readings. */
export function otherValue(shows: Shows, value: unknown): unknown {
  const [reading] = Object.values(shows);
  return reading?.other(value);
}

function expectedOf(
  whole: unknown,
  { wire, shows, values }: ReadField,
  { place, index }: { readonly place: ReadPlace; readonly index: number },
) {
  const errors: string[] = [];
  let shown = whole;
  for (const [path, reading] of Object.entries(shows)) {
    const outcome = reading.of(values[index], valueAt(whole, path));
    if (outcome === 'malformed')
      errors.push(`${at(place.where, index)}.${path.replace('*', '0')} UPSTREAM_MALFORMED`);
    shown = withValue(shown, path, outcome === 'malformed' ? null : outcome.value);
  }
  if (wire === '') throw new Error('a field has a name');
  return { shown, errors };
}

async function answerWith(
  graph: RunningGraph,
  place: ReadPlace,
  document: string,
  field: ReadField | null,
  count: number,
): Promise<Answer> {
  graph.sandbox.faults.clear();
  graph.sandbox.faults.add({
    kind: 'rewrite',
    endpoint: place.endpoint,
    times: Number.POSITIVE_INFINITY,
    change: (answer) => {
      let changed = answer;
      for (let index = 0; index < count; index += 1) {
        const record = at(place.record, index);
        for (const [wire, value] of Object.entries(place.sample))
          changed = withValue(changed, joined(record, wire), value);
        if (field) changed = withValue(changed, joined(record, field.wire), field.values[index]);
      }
      return changed;
    },
  });
  return await graph.query(document);
}

function at(template: string, index: number): string {
  return template.replace('#', String(index));
}

function joined(record: string, wire: string): string {
  return record === '' ? wire : `${record}.${wire}`;
}

function shownAt({ data }: Answer, where: string): unknown {
  return byKey(valueAt(data, where));
}

/** What stands at a dotted path. */
export function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, step) => (inner as Readonly<Record<string, unknown>> | null)?.[step], value);
}

// Lists of entries with a key are compared by their keys, so that a path can name one.
function byKey(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, byKey(child)]));
  const entries = value.map(byKey) as Record<string, unknown>[];
  const isKeyed = entries.length > 0 && entries.every((entry) => typeof entry?.['key'] === 'string');
  return isKeyed ? Object.fromEntries(entries.map((entry) => [entry['key'], entry])) : entries;
}
