// What executing with packages/executor costs, as a part of what graphql-js costs.
//
//   npm run build && node bench/engine.mjs
//
// Prints the ratio of CPU per execution for each workload, graphql-js being 1: medians of rounds in which both take turns.
//
//   --rounds=21         rounds per workload; 0 measures nothing
//   --only=promises     only workloads whose names contain this
//
// That results are graphql-js's is what packages/executor/test compares.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from '../bundle.js';
import { graphql } from './graphql.mjs';
import { workloads } from './engine/workloads.mjs';

const { execute, parse } = graphql;
// Of the executor alone, which is no part of what the package exports.
const BUILT = new URL('../dist/bench/', import.meta.url);
const SOURCE = new URL('../packages/executor/src/compile.ts', import.meta.url);
await bundle({ compile: fileURLToPath(SOURCE) }, fileURLToPath(BUILT));
const { compile } = await import(new URL('compile.js', BUILT));

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '21' },
    only: { type: 'string' },
  },
});

const ROUND_MS = 60;

/** CPU microseconds per call of an asynchronous function, over about `ms` milliseconds. */
async function cpuPerCall(call, count) {
  const before = process.cpuUsage();
  for (let i = 0; i < count; i += 1) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

async function callsPer(ms, call) {
  const end = performance.now() + ms;
  let calls = 0;
  for (; performance.now() < end; calls += 1) await call();
  return calls;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Medians of CPU per call, in microseconds, of several functions that take turns. */
async function measure(calls, rounds) {
  const names = Object.keys(calls);
  const figures = Object.fromEntries(names.map((name) => [name, []]));
  const counts = {};
  for (const name of names) await callsPer(300, calls[name]);
  for (const name of names) counts[name] = Math.ceil(await callsPer(ROUND_MS, calls[name]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) figures[name].push(await cpuPerCall(calls[name], counts[name]));
  }
  return Object.fromEntries(names.map((name) => [name, median(figures[name])]));
}

/** Rows of equal keys as text in columns. */
function tableOf(rows) {
  const lines = [Object.keys(rows[0] ?? {}), ...rows.map(Object.values)];
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column])).join('  ')).join('\n');
}

const print = (text) => void process.stdout.write(`${text}\n`);

/** Measures a workload, after both executors have given the same result. */
async function rowOf({ name, schema, source, rootValue, variableValues }, rounds) {
  const document = parse(source);
  const compiled = compile(schema, document);
  const contextValue = {};
  const byGraphqlJs = () => execute({ schema, document, rootValue, contextValue, variableValues });
  const byEngine = () => compiled.execute({ rootValue, contextValue, variableValues });
  if (JSON.stringify(await byEngine()) !== JSON.stringify(await byGraphqlJs())) {
    throw new Error(`${name}: the results differ`);
  }
  const figures = await measure(
    {
      js: byGraphqlJs,
      engine: byEngine,
      jsText: async () => JSON.stringify(await byGraphqlJs()),
      engineText: async () => JSON.stringify(await byEngine()),
      first: () => compile(schema, document).execute({ rootValue, contextValue, variableValues }),
    },
    rounds,
  );
  return {
    workload: name,
    'graphql-js µs': figures.js.toFixed(1),
    'engine µs': figures.engine.toFixed(1),
    ratio: (figures.engine / figures.js).toFixed(3),
    'with JSON.stringify': (figures.engineText / figures.jsText).toFixed(3),
    'compiling µs': (figures.first - figures.engine).toFixed(1),
  };
}

print(`Node ${process.version}`);
const rounds = Number(options.rounds);
if (rounds > 0) {
  const rows = [];
  for (const workload of workloads()) {
    if (workload.name.includes(options.only ?? '')) rows.push(await rowOf(workload, rounds));
  }
  print(tableOf(rows));
}
