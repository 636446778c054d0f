import { inspect } from 'node:util';
import { expect } from 'vitest';
import { errorsOf, type RunningGraph } from '../support/graph.ts';
import { isOmission, type ReadCall, type Shows } from './interface-table.ts';
import { selectionOf } from '../support/selection.ts';
import { onlyFaults, rewriting, valueAt, withValue } from '../support/sandbox.ts';

/** A value in one field of one record, and where it shows. */
export interface Probe {
  readonly wire: string;
  readonly value: unknown;
  readonly shows: Shows;
}

type Records = readonly (Pick<Probe, 'wire' | 'value'> | undefined)[];

/**
 * Puts each probe into a copy of one record, as many as fit into one operation at a time, and checks that each shows what
 * its readings say, with an error where they say so, and that nothing else of its record changed.
 */
export async function expectProbes(
  graph: RunningGraph,
  call: ReadCall,
  paths: readonly string[],
  probes: (record: unknown) => readonly Probe[],
): Promise<void> {
  const allIds = call.copies?.ids(graph) ?? [null];
  const template = await recordOf(graph, call, allIds);
  const all = probes(template);
  const ids = allIds.slice(0, all.length);
  const query = call.query(selectionOf(call.type, paths), graph, ids.length);
  const ask = async (records: Records) => {
    onlyFaults(graph.sandbox, copying(call, { template, ids, records }));
    return await graph.query(query);
  };
  const whole = await ask([]);
  expect(errorsOf(whole)).toEqual([]);
  for (let start = 0; start < all.length; start += ids.length) {
    const batch = all.slice(start, start + ids.length);
    const answer = await ask(batch);
    const errors = new Set(errorsOf(answer));
    batch.forEach((probe, index) => {
      const where = call.where.replace('#', String(index));
      const wanted = expectedOf(valueAt(whole.data, where), probe);
      const own = [...errors].filter(
        (error) => error.startsWith(`${where}.`) || error.startsWith(`${where} `),
      );
      for (const error of own) errors.delete(error);
      const label = `${call.endpoint}: ${probe.wire} = ${inspect(probe.value).slice(0, 60)}`;
      expect(
        own.map((error) => error.slice(where.length + 1)),
        label,
      ).toEqual(wanted.errors.toSorted());
      expect(byKey(valueAt(answer.data, where)), label).toEqual(wanted.shown);
    });
    expect([...errors], `errors beside the records of ${call.endpoint}`).toEqual([]);
  }
}

/** What a record shows, of which `whole` is shown otherwise, with the value of a probe, and which errors it has. */
export function expectedOf(whole: unknown, { value, shows }: Probe) {
  const errors: string[] = [];
  let shown = byKey(whole);
  for (const [path, reading] of Object.entries(shows)) {
    const outcome = reading.of(value, valueAt(shown, path));
    if (outcome === 'malformed') errors.push(`${path.replace('*', '0')} UPSTREAM_MALFORMED`);
    shown = withValue(shown, path, outcome === 'malformed' ? null : outcome.value);
  }
  return { shown, errors };
}

/** The record of which copies are made: the service's first one, filled. */
export async function recordOf(
  graph: RunningGraph,
  call: ReadCall,
  ids: readonly unknown[],
): Promise<unknown> {
  let first: unknown;
  const taking = rewriting(call.endpoint, (answer) => {
    const record = valueAt(answer, call.record.replace('#', '0'));
    if (call.record.endsWith('#') || indexIn(ids, call, record) === 0) first ??= record;
    return answer;
  });
  onlyFaults(graph.sandbox, taking);
  await graph.query(call.query('__typename', graph, Math.min(ids.length, 2)));
  expect(first, `${call.endpoint} answers no record`).toBeDefined();
  return filled(first, call);
}

/** A record with the sample in it, and with another value in each field that is empty. */
export function filled(record: unknown, { fields, sample = {} }: Pick<ReadCall, 'fields' | 'sample'>) {
  let whole = record;
  for (const [wire, value] of Object.entries(sample)) whole = withValue(whole, wire, value);
  for (const [wire, entry] of Object.entries(fields)) {
    const [reading] = isOmission(entry) ? [] : Object.values(entry);
    const value = valueAt(whole, wire) ?? null;
    const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
    if (reading && isEmpty) whole = withValue(whole, wire, reading.other(value));
  }
  return whole;
}

interface Copies {
  readonly template: unknown;
  readonly ids: readonly unknown[];
  readonly records: Records;
}

/** A fault that answers with copies of a record, each under an id and with a value of its own. */
export function copying(call: ReadCall, { template, ids, records }: Copies) {
  const copy = (index: number): unknown => {
    const named = call.copies ? withValue(template, call.copies.wire, ids[index]) : template;
    const probe = records[index];
    return probe ? withValue(named, probe.wire, probe.value) : named;
  };
  return rewriting(call.endpoint, (answer) => {
    if (Array.isArray(answer)) return ids.map((_, index) => copy(index));
    const { response } = answer as { readonly response: object };
    if (!call.record.endsWith('#')) return withValue(answer, 'response', copy(indexIn(ids, call, response)));
    const totals = { currentPage: 1, pageLimit: ids.length, totalRecords: ids.length, totalPages: 1 };
    const also = 'totalCount' in response ? { totalCount: ids.length } : {};
    const list = ids.map((_, index) => copy(index));
    return withValue(answer, 'response', { ...response, ...totals, ...also, list });
  });
}

function indexIn(ids: readonly unknown[], { copies }: ReadCall, record: unknown): number {
  if (!copies) return 0;
  const id = valueAt(record, copies.wire);
  return ids.findIndex((one) => String(one) === String(id));
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
