import { getNamedType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { endpoints, type EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { schema } from '../../src/schema/index.ts';
import { documentedShapes } from '../../packages/sandbox/test/documented-shapes.ts';
import { isDeep } from '../support/depth.ts';
import { documentedLeaves } from '../support/documented-leaves.ts';
import { expectProbes, otherProbe, wrongProbes, type Shows } from '../support/probes.ts';
import { fieldAt, selectionOf } from '../support/selection.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changing, valueAt, withValue } from '../support/wire-changes.ts';
import { WRITE_CALLS } from '../support/write-calls.ts';
import { write } from '../support/writes.ts';
import { WRONG_VALUES } from '../support/wrong-values.ts';
import { computedFields, interfaceFields } from './interface-fields.ts';
import type { Omission, ReadCall, WriteAnswer } from './interface-table.ts';

// Sixty records with every field are more than an operation may usually ask for.
const graph = shareGraph({ environment: { MAX_COST: '10000', MAX_SELECTIONS: '1000' } });

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

  test('has every documented field of each call, and no other', () => {
    for (const [name, call] of rows) {
      const shape = documentedShapes[name as keyof typeof documentedShapes];
      expect(tableLeaves(call).toSorted(), name).toEqual(documentedLeaves(shape).toSorted());
    }
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

  test('names only fields that the graph has', () => {
    for (const [name, call] of rows)
      for (const path of pathsOf(call)) expect(() => fieldAt(call.type, path), name).not.toThrow();
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

const named = reads.map((call) => [call.endpoint, call] as const);

/** The fields of a call's record that show in the graph. */
function shownIn({ fields }: ReadCall): [wire: string, shows: Shows][] {
  return Object.entries(fields).flatMap(([wire, entry]) =>
    isOmission(entry) ? [] : ([[wire, entry]] satisfies [string, Shows][]),
  );
}

function omittedIn({ fields }: ReadCall): string[] {
  return Object.entries(fields).flatMap(([wire, entry]) => (isOmission(entry) ? [wire] : []));
}

test.each(named)(
  'each field of a record of %s shows where the table says, and nowhere else',
  async (...row) => {
    const [, call] = row;
    await expectProbes(graph, call, pathsOf(call), (record) => [
      ...shownIn(call).map(([wire, shows]) => otherProbe(wire, shows, record)),
      ...omittedIn(call).map((wire) => ({ wire, value: 'something else', shows: {} })),
    ]);
  },
);

test.each(named)(
  'a field of a record of %s that is not as documented spoils itself alone',
  async (...row) => {
    const [, call] = row;
    const { apart, wholes } = call;
    const fields = [
      ...shownIn(call).filter(([wire]) => !apart.includes(wire) && !(wire in wholes)),
      ...omittedIn(call)
        .filter((wire) => !wire.includes('.'))
        .map((wire): [string, Shows] => [wire, {}]),
    ];
    const paths = [...pathsOf(call), ...Object.values(wholes).flatMap((shows) => Object.keys(shows))];
    await expectProbes(graph, call, paths, () => [
      ...fields.flatMap(([wire, shows], turn) =>
        wrongProbes(wire, shows, { turn, values: WRONG_VALUES, all: isDeep }),
      ),
      // What holds other fields, or none at all, has rules of its own for each kind of value.
      ...Object.entries(wholes).flatMap(([wire, shows]) =>
        wrongProbes(wire, shows, { turn: 0, values: WRONG_VALUES, all: true }),
      ),
    ]);
  },
);

test('the number of records that a list says it has is its totalCount', async () => {
  for (const call of reads) {
    for (const [wire, shown] of Object.entries(call.around)) {
      if (isOmission(shown)) continue;
      graph.sandbox.faults.clear();
      graph.sandbox.faults.add(changing(call.endpoint, wire, 41));
      const { data } = await graph.query(call.query('__typename', graph, 1));
      expect(valueAt(data, shown[0] ?? ''), `${call.endpoint}: ${wire}`).toBe(41);
    }
  }
});

/** Makes a write whose answer is `answer`, or else what the service answers with values put into it. */
async function payloadOf(endpoint: EndpointName, call: WriteAnswer, change: (answer: unknown) => unknown) {
  const maker = WRITE_CALLS.find((candidate) => candidate.endpoint === endpoint);
  if (!maker) throw new Error(`no mutation makes ${endpoint}`);
  graph.sandbox.faults.clear();
  graph.sandbox.faults.add({ kind: 'rewrite', endpoint, change });
  const selection = selectionOf(call.type, pathsOf(call));
  const {
    outcome,
    userErrors: _userErrors,
    ...shown
  } = await write(graph, call.mutation, await maker.input(graph.sandbox), { selection });
  return { outcome, shown };
}

const fedWrites = writes.filter(([, call]) => pathsOf(call).length > 0);

test.each(fedWrites)(
  'each field of the answer of %s shows where the table says, and nowhere else',
  async (...row) => {
    const [endpoint, call] = row;
    let wire: unknown;
    const before = await payloadOf(
      endpoint,
      call,
      (answer) =>
        (wire = Object.entries(call.sample).reduce(
          (whole, [path, value]) => withValue(whole, path, value),
          answer,
        )),
    );
    expect(before.outcome).toBe('COMPLETED');
    for (const [name, shows] of Object.entries(call.fields)) {
      if (isOmission(shows)) continue;
      const { value } = otherProbe(name, shows, wire);
      const after = await payloadOf(endpoint, call, () => withValue(wire, name, value));
      const expected = Object.entries(shows).reduce<unknown>((shown, [path, reading]) => {
        const outcome = reading.of(value, valueAt(before.shown, path));
        return withValue(shown, path, outcome === 'malformed' ? null : outcome.value);
      }, before.shown);
      expect(after.shown, name).toEqual(expected);
      expect(after.shown, name).not.toEqual(before.shown);
    }
  },
);
