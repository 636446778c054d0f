import type { EndpointName } from '../../src/sandbox/endpoints.ts';
import type { Fault } from '../../src/sandbox/faults/fault.ts';
import type { FieldTable, ReadCall } from '../conformance/interface-table.ts';
import type { RunningGraph } from './graph.ts';
import { expectReadings, type Shows } from './reading-fields.ts';
import { isAbsent, type Reading } from './readings.ts';
import { WRONG_VALUES, withValue } from './wrong-values.ts';

/** Every field of a call's records that the graph shows, with the places that it shows in. */
export function shownFields({ fields }: ReadCall): [wire: string, shows: Shows][] {
  return Object.entries(fields).flatMap(([wire, entry]) =>
    'omitted' in entry ? [] : ([[wire, entry]] satisfies [string, Shows][]),
  );
}

/** Every place of the graph that a call's records feed. */
export function shownPaths(call: ReadCall): string[] {
  return shownFields(call).flatMap(([, shows]) => Object.keys(shows));
}

/** Puts each wrong value into a field of a record of its own, and checks that it spoils that field alone. */
export async function expectWrongValuesToSpoil(
  graph: RunningGraph,
  call: ReadCall,
  wire: string,
  shows: Shows,
): Promise<void> {
  if (call.record.includes('#')) {
    await expectReadings(graph, call, shownPaths(call), { wire, shows, values: WRONG_VALUES });
    return;
  }
  for (const value of WRONG_VALUES) {
    await expectReadings(graph, call, shownPaths(call), { wire, shows, values: [value] });
  }
}

const holder: Reading = {
  of: (value) => (isAbsent(value) || isEmpty(value) || isRecord(value) ? { value: null } : 'malformed'),
  other: (value) => value,
};

// What the service sends for an object without content.
function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && !Array.isArray(value);
}

/**
 * What a record shows whose fields the graph reads one by one, as fields of what the record lies in: null for each
 * where there is no such record, an error for each where something else stands in its place.
 */
export function showsThrough(fields: FieldTable, wire: string): Shows {
  const inner = Object.entries(fields).filter(
    ([name, entry]) => name.startsWith(`${wire}.`) && !('omitted' in entry),
  );
  return Object.fromEntries(inner.flatMap(([, entry]) => Object.keys(entry).map((path) => [path, holder])));
}

/** A fault that puts a value anywhere into an answer, at a dotted path from its root. */
export function changing(endpoint: EndpointName, path: string, value: unknown): Fault {
  const change = (answer: unknown): unknown => withValue(answer, path, value);
  return { kind: 'rewrite', endpoint, times: Number.POSITIVE_INFINITY, change };
}
