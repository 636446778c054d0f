import { expect } from 'vitest';
import type { EndpointName } from '../../src/sandbox/endpoints.ts';
import { errorsOf } from './answers.ts';
import type { RunningGraph } from './graph.ts';
import { outcomeOf, withValue, WRONG_VALUES, type FieldKind } from './wrong-values.ts';

/** A wire field, what it is documented to be, the graph's fields that show it, and what else follows from it. */
export type WrongField = readonly [
  wire: string,
  kind: FieldKind,
  paths: readonly string[],
  also?: Readonly<Record<string, unknown>>,
];

/** Fields with their names in front, for the titles of a table of tests. */
export function byName(fields: readonly WrongField[]): (readonly [wire: string, field: WrongField])[] {
  return fields.map((field) => [field[0], field]);
}

/** An answer of the service in which values are put, and the operation that shows its records. */
export interface WrongPlace {
  readonly endpoint: EndpointName;
  /** Where the records stand in the operation's data, dotted. */
  readonly where: string;
  /** An operation that reads as many records as there are wrong values. */
  readonly query: string;
  /** Makes the records of the answer as they are without damage; those of the answer itself unless told. */
  readonly records?: (answer: unknown) => readonly unknown[];
  /** Which of the values belongs into an answer that is one record alone. */
  readonly indexOf?: (record: Readonly<Record<string, unknown>>) => number;
}

/**
 * Puts each wrong value into a record of its own, and checks that the fields that show it hold what they may, with an
 * error where there has to be one, and that nothing else changed.
 */
export async function expectToSpoilOnly(
  graph: RunningGraph,
  place: WrongPlace,
  [wire, kind, paths, also = {}]: WrongField,
): Promise<void> {
  spoil(graph, place, null);
  const whole = recordsAt((await graph.query(place.query)).data, place.where);
  expect(whole).toHaveLength(WRONG_VALUES.length);
  graph.sandbox.faults.clear();
  spoil(graph, place, wire);
  const answer = await graph.query(place.query);
  const outcomes = WRONG_VALUES.map((value) => outcomeOf(kind, value));
  const errors = outcomes.flatMap((outcome, index) =>
    outcome === 'malformed' ? paths.map((path) => `${place.where}.${index}.${path} UPSTREAM_MALFORMED`) : [],
  );
  expect(errorsOf(answer)).toEqual(errors.toSorted());
  const expected = whole.map((record, index) => {
    const outcome = outcomes[index];
    const value = typeof outcome === 'object' ? outcome.value : null;
    return put(record, [...paths.map((path) => [path, value] as const), ...Object.entries(also)]);
  });
  expect(recordsAt(answer.data, place.where)).toEqual(expected);
}

function put(record: unknown, values: readonly (readonly [path: string, value: unknown])[]): unknown {
  return values.reduce((filled, [path, value]) => withValue(filled, path, value), record);
}

function recordsAt(data: unknown, where: string): readonly unknown[] {
  return where
    .split('.')
    .reduce((value, step) => (value as Record<string, unknown>)[step], data) as unknown[];
}

function spoil({ sandbox }: RunningGraph, place: WrongPlace, wire: string | null): void {
  sandbox.faults.add({
    kind: 'rewrite',
    endpoint: place.endpoint,
    times: Number.POSITIVE_INFINITY,
    change: (answer) => changed(answer, place, wire),
  });
}

function changed(answer: unknown, { records, indexOf }: WrongPlace, wire: string | null): unknown {
  const damaged = (record: unknown, index: number): unknown =>
    wire === null ? record : withValue(record, wire, WRONG_VALUES[index]);
  if (Array.isArray(answer)) return (records?.(answer) ?? answer).map(damaged);
  const envelope = answer as {
    readonly response: Readonly<Record<string, unknown>> & { readonly list?: unknown[] };
  };
  const { response } = envelope;
  if (!response.list) return { ...envelope, response: damaged(response, indexOf?.(response) ?? 0) };
  const list = (records?.(answer) ?? response.list).map(damaged);
  const totals = records ? { pageLimit: list.length, totalRecords: list.length } : {};
  return { ...envelope, response: { ...response, ...totals, list } };
}
