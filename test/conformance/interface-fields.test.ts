import { getNamedType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { endpoints, type EndpointName } from '../../src/sandbox/endpoints.ts';
import { schema } from '../../src/schema/index.ts';
import { documentedShapes } from '../sandbox/documented-shapes.ts';
import { documentedLeaves } from '../support/documented-leaves.ts';
import { startGraph } from '../support/graph.ts';
import { expectReadings, otherValue, valueAt, type Shows } from '../support/reading-fields.ts';
import { fieldAt, selectionOf } from '../support/selection.ts';
import { shareGraph, stillClock } from '../support/shared-graph.ts';
import { WRITE_CALLS } from '../support/write-calls.ts';
import { write } from '../support/writes.ts';
import { withValue } from '../support/wrong-values.ts';
import { computedFields, interfaceFields } from './interface-fields.ts';
import type { Omission, ReadCall, WriteAnswer } from './interface-table.ts';

const graph = shareGraph();

type Call = ReadCall | WriteAnswer;
const rows = Object.entries(interfaceFields) as [EndpointName, Call][];
const isWrite = (call: Call): call is WriteAnswer => 'mutation' in call;
const isOmission = (entry: object): entry is Omission => 'omitted' in entry;
const reads = rows.flatMap(([, call]) => (isWrite(call) ? [] : [call]));
const writes = rows.flatMap(([endpoint, call]) => (isWrite(call) ? [[endpoint, call] as const] : []));

/** The full names of the fields that the table has for a call. */
function tableLeaves(call: Call): string[] {
  if (isWrite(call)) return Object.keys(call.fields);
  const record = call.record.replace('#', '0');
  return [...Object.keys(call.around), ...Object.keys(call.fields).map((wire) => `${record}.${wire}`)];
}

/** Every place of the graph that the table names for a call, below its record. */
function pathsOf({ fields }: Call): string[] {
  return Object.values(fields).flatMap((entry) => (isOmission(entry) ? [] : Object.keys(entry)));
}

/** True for a field whose value is a record itself: its own fields are what counts. */
function leadsOn(field: string): boolean {
  const [type = '', name = ''] = field.split('.');
  const definition = schema.getType(type);
  const inner = isObjectType(definition) ? definition.getFields()[name]?.type : undefined;
  return isObjectType(inner && getNamedType(inner));
}

describe('the table of the interface', () => {
  test('has every call that answers records', () => {
    const calls = endpoints.flatMap(({ name }) =>
      name === 'GET /oauth/' || name === 'POST /oauth/accesstoken' ? [] : [name],
    );
    expect(rows.map(([name]) => name).toSorted()).toEqual(calls.toSorted());
  });

  test.each(rows)('has every documented field of %s, and no other', (name, call) => {
    const shape = documentedShapes[name as keyof typeof documentedShapes];
    expect(tableLeaves(call).toSorted()).toEqual(documentedLeaves(shape).toSorted());
  });

  test('gives a reason for each field that the graph leaves out', () => {
    const entries = rows.flatMap(([, call]) => [
      ...Object.values(call.fields),
      ...(isWrite(call) ? [] : Object.values(call.around)),
    ]);
    const reasons = entries.filter(isOmission).map(({ omitted }) => omitted);
    expect(reasons.length).toBeGreaterThan(20);
    expect(reasons.filter((reason) => reason.length < 15)).toEqual([]);
  });

  test.each(rows)('names only fields that the graph has, for %s', (_name, call) => {
    for (const path of pathsOf(call)) expect(() => fieldAt(call.type, path)).not.toThrow();
  });

  test('feeds every field of the graph’s records, but for those that are computed', () => {
    const fed = new Set(rows.flatMap(([, call]) => pathsOf(call).map((path) => fieldAt(call.type, path))));
    const types = new Set([...fed, ...Object.keys(computedFields)].map((field) => field.split('.')[0] ?? ''));
    const records = [...types].filter((type) => !type.endsWith('Payload'));
    const all = records.flatMap((type) => {
      const definition = schema.getType(type);
      return isObjectType(definition)
        ? Object.keys(definition.getFields()).map((name) => `${type}.${name}`)
        : [];
    });
    expect(all.length).toBeGreaterThan(150);
    expect(all.filter((field) => !fed.has(field) && !leadsOn(field) && !(field in computedFields))).toEqual(
      [],
    );
  });
});

/** What the service sends for a call, with what the sample puts into it. */
async function wireOf(call: ReadCall): Promise<unknown> {
  let wire: unknown;
  graph.sandbox.faults.add({ kind: 'rewrite', endpoint: call.endpoint, change: (answer) => (wire = answer) });
  await graph.query(call.query('__typename', graph));
  const record = call.record.replace('#', '0');
  return Object.entries(call.sample).reduce(
    (answer, [name, value]) => withValue(answer, `${record}.${name}`, value),
    wire,
  );
}

const namesOf = (type: string, shows: Shows): string =>
  [...new Set(Object.keys(shows).map((path) => fieldAt(type, path)))].join(', ');

const fed = reads.flatMap((call) =>
  Object.entries(call.fields).flatMap(([wire, entry]) =>
    isOmission(entry) ? [] : [[call.endpoint, wire, namesOf(call.type, entry), call, entry] as const],
  ),
);

test.each(fed)('%s: %s feeds %s and nothing else', async (_endpoint, wire, _fields, call, shows) => {
  const now = valueAt(await wireOf(call), `${call.record.replace('#', '0')}.${wire}`);
  const value = otherValue(shows, now);
  expect(value).not.toEqual(now);
  await expectReadings(graph, call, pathsOf(call), { wire, shows, values: [value] });
});

const omitted = reads.flatMap((call) =>
  Object.entries(call.fields).flatMap(([wire, entry]) =>
    isOmission(entry) ? [[call.endpoint, wire, entry.omitted, call] as const] : [],
  ),
);

test.each(omitted)('%s: %s feeds nothing: %s', async (_endpoint, wire, _reason, call) => {
  await expectReadings(graph, call, pathsOf(call), { wire, shows: {}, values: ['something else'] });
});

const totals = reads.flatMap((call) =>
  Object.entries(call.around).flatMap(([wire, shown]) =>
    isOmission(shown) ? [] : [[call.endpoint, wire, shown[0] ?? '', call] as const],
  ),
);

test.each(totals)('%s: %s feeds %s', async (endpoint, wire, path, call) => {
  const change = (answer: unknown): unknown => withValue(answer, wire, 41);
  graph.sandbox.faults.add({ kind: 'rewrite', endpoint, change });
  const { data } = await graph.query(call.query('__typename', graph));
  expect(valueAt(data, path)).toBe(41);
});

/** Makes a write on a sandbox of its own, with values put into the service's answer. */
async function payloadOf(
  endpoint: EndpointName,
  call: WriteAnswer,
  values: Readonly<Record<string, unknown>>,
) {
  const fresh = await startGraph({ sandbox: { now: stillClock } });
  const maker = WRITE_CALLS.find((candidate) => candidate.endpoint === endpoint);
  if (!maker) throw new Error(`no mutation makes ${endpoint}`);
  let wire: unknown;
  fresh.sandbox.faults.add({
    kind: 'rewrite',
    endpoint,
    change: (answer) =>
      (wire = Object.entries(values).reduce(
        (changed, [path, value]) => withValue(changed, path, value),
        answer,
      )),
  });
  const selection = selectionOf(call.type, pathsOf(call));
  const {
    outcome,
    userErrors: _userErrors,
    ...shown
  } = await write(fresh, call.mutation, await maker.input(fresh.sandbox), { selection });
  return { outcome, shown, wire };
}

const undamaged = new Map<EndpointName, ReturnType<typeof payloadOf>>();

// The same on every fresh sandbox, so that one write tells for all fields of an answer.
function undamagedPayload(endpoint: EndpointName, call: WriteAnswer): ReturnType<typeof payloadOf> {
  const payload = undamaged.get(endpoint) ?? payloadOf(endpoint, call, call.sample);
  undamaged.set(endpoint, payload);
  return payload;
}

const written = writes.flatMap(([endpoint, call]) =>
  Object.entries(call.fields).flatMap(([wire, entry]) =>
    isOmission(entry) ? [] : [[endpoint, wire, namesOf(call.type, entry), call, entry] as const],
  ),
);

test.each(written)('%s: %s feeds %s and nothing else', async (endpoint, wire, _fields, call, shows) => {
  const before = await undamagedPayload(endpoint, call);
  expect(before.outcome).toBe('COMPLETED');
  const value = otherValue(shows, valueAt(before.wire, wire));
  const after = await payloadOf(endpoint, call, { ...call.sample, [wire]: value });
  const expected = Object.entries(shows).reduce<unknown>((shown, [path, reading]) => {
    const outcome = reading.of(value, valueAt(before.shown, path));
    return withValue(shown, path, outcome === 'malformed' ? null : outcome.value);
  }, before.shown);
  expect(after.shown).toEqual(expected);
  expect(after.shown).not.toEqual(before.shown);
});
