// What is known of the data before the load begins, and the proof that all contestants answer the same.
import assert from 'node:assert/strict';
import { openConnection } from './connection.mjs';
import { rawIdOf } from './shaping.mjs';
import { WALKED } from './workloads.mjs';

const KEY = 'bench-preparation';
const PAGE = 100;
const COMPARED_TURNS = [0, 1, 2, 5, 19];

/** Reads from ours the cursors and the ids that the workloads' variables are made of. */
export async function prepare(ours) {
  const connection = await openConnection(ours.port);
  const edges = {};
  for (const [list, length] of Object.entries(WALKED))
    edges[list] = await edgesOf(ours, connection, list, length);
  const { accounts } = await ask(ours, connection, { document: '{ accounts(first: 20) { nodes { id } } }' });
  connection.close();
  const accountIds = accounts.nodes.map(({ id }) => id);
  const places = {
    ours: (list, offset) => (offset === 0 ? null : edges[list][offset - 1].cursor),
    // The hand-written ones count, and name the last record.
    others: (list, offset) => (offset === 0 ? null : `${offset}:${rawIdOf(edges[list][offset - 1].node.id)}`),
  };
  return (contestant) => ({ accountIds, place: places[contestant.name] ?? places.others });
}

async function edgesOf(ours, connection, list, length) {
  const fields = 'edges { cursor node { id } }';
  const document = `query ($after: String) { ${list}(first: ${PAGE}, after: $after) { ${fields} } }`;
  const edges = [];
  while (edges.length < length) {
    const data = await ask(ours, connection, { document }, { after: edges.at(-1)?.cursor ?? null });
    edges.push(...data[list].edges);
  }
  return edges;
}

/** Throws, with what differs, unless all contestants answer every workload with the same data. */
export async function compare(contestants, workloads, materialFor) {
  const [first, ...others] = contestants;
  const open = await Promise.all(contestants.map(({ port }) => openConnection(port)));
  for (const workload of workloads) {
    for (const turn of COMPARED_TURNS.filter((one) => one < workload.turns)) {
      const answers = await Promise.all(
        contestants.map((contestant, index) => {
          const variables = workload.variables(turn, materialFor(contestant));
          return ask(contestant, open[index], workload, variables);
        }),
      );
      others.forEach(({ name }, index) => {
        const message = `${workload.name}, turn ${turn}: ${name} and ${first.name} answer differently`;
        equal(answers[index + 1], answers[0], message);
      });
    }
  }
  for (const connection of open) connection.close();
}

function equal(actual, expected, message) {
  try {
    assert.deepEqual(actual, expected);
  } catch (error) {
    throw new Error(`${message}\n${error.message}`, { cause: error });
  }
}

async function ask({ requestOf, name }, connection, workload, variables = {}) {
  const { head, body } = await connection.ask(requestOf(workload, variables, KEY));
  const { data, errors } = JSON.parse(body);
  if (!head.startsWith('HTTP/1.1 200') || errors !== undefined)
    throw new Error(`${name} answers ${head.slice(0, 12)}: ${body.subarray(0, 1_000)}`);
  return data;
}
