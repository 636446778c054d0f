// What a request costs our server, beside the least that it could cost and beside two other GraphQL servers: processor
// time, calls to the service, throughput, memory, the start, and a thousand subscribers.
//
//   npm run bench
//
// Prints tables, and writes them to RESULTS.md with the chart results.svg unless something was left out; on a newer Node
// than the oldest that is supported, to RESULTS-node-24.md and so on:
//
//   --quick               the decisive setting only, and fewer rounds: about two minutes
//   --only=queue,…        these workloads only
//   --contestants=ours,…  these contestants only
//   --profile             ours alone, with a profile of its processor's time; prints where it is
//
// Exits with 1 when an answer is wrong; an aim that is missed stands in the table.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { OLDEST_NODE } from './built-server.mjs';
import { judge } from './performance/aims.mjs';
import { compare, prepare } from './performance/asking.mjs';
import { chartOf } from './performance/chart.mjs';
import { CONTESTANT_NAMES, startContestant } from './performance/contestants.mjs';
import { measureSlice, refusals } from './performance/load.mjs';
import { holdOnLoadCore } from './performance/processes.mjs';
import { tablesOf } from './performance/report.mjs';
import { startService } from './performance/service.mjs';
import { measureStartUp } from './performance/start-up.mjs';
import { measureSubscribers } from './performance/subscribers.mjs';
import { workloads as allWorkloads } from './performance/workloads.mjs';
import { percentile } from './running.mjs';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    contestants: { type: 'string' },
    profile: { type: 'boolean', default: false },
  },
});
const isQuick = options.quick || options.profile;
const names = options.profile ? ['ours'] : chosen(options.contestants, CONTESTANT_NAMES);
const workloads = chosen(
  options.only,
  allWorkloads.map(({ name }) => name),
).map((name) => allWorkloads.find((workload) => workload.name === name));
const isWhole = !isQuick && options.only === undefined && options.contestants === undefined;

// Two processes of one program differ by up to a tenth, in what V8 optimizes and where it puts it, and subscribers' memory
// by more than half, in the pages that V8 has at hand.
const PROCESSES = isQuick ? 1 : 3;
const ROUNDS = 3;
const SLICE_MS = isQuick ? 1_000 : 1_500;
/** In each process. */
const ROUNDS_OF_JUDGED = isQuick ? 3 : 2;
const SLICE_OF_JUDGED_MS = isQuick ? 1_000 : 2_500;
/** On a fast machine, longer slices would be more writes with a key than the journal holds. */
const LONGEST_KEYED_MS = 1_000;
// Until then, some functions are still being optimized: more of them in ours than in the others.
const WARM_UP_MS = isQuick ? 3_000 : 12_000;
const WARM_UP_OF_WRITES_MS = WARM_UP_MS / 2;
/** The beginning of the warm-up, which is measured as well. */
const COLD_MS = 10_000;
const STARTS = isQuick ? 3 : 5;

// A process that had nothing to do for a moment has V8 collect all its garbage, up to several times: a contestant would
// pay in its turn for having waited while the others had theirs.
const NO_COLLECTION_OF_IDLE = '--no-memory-reducer';

// The first is the decisive one: the contestant's core is never idle, and nothing can be shared.
const SETTINGS = [
  { isAlike: false, connections: 32, delayMs: 0, isJudged: true },
  { isAlike: false, connections: 32, delayMs: 20, isJudged: true },
  { isAlike: false, connections: 1, delayMs: 0, isJudged: false },
  { isAlike: false, connections: 1, delayMs: 20, isJudged: false },
  { isAlike: true, connections: 32, delayMs: 0, isJudged: false },
  { isAlike: true, connections: 32, delayMs: 20, isJudged: false },
].map((setting) => ({ ...setting, name: nameOf(setting) }));

// Users pay for the warm-up too, after each start.
const COLD = {
  ...SETTINGS[0],
  isJudged: false,
  leadInMs: 0,
  name: `${SETTINGS[0].name}, first ${COLD_MS / 1_000} s`,
};

const [loadBefore] = loadavg();
holdOnLoadCore();
const service = await startService();
const startUps = {};
if (!options.profile) for (const name of names) startUps[name] = await measureStartUp(name, service, STARTS);

const profileDirectory = options.profile ? mkdtempSync(join(tmpdir(), 'bench-profile-')) : null;
const profiling = profileDirectory === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`];
const nodeOptions = [...profiling, NO_COLLECTION_OF_IDLE];
const started = await startAll(names);
const ours = started.find(({ name }) => name === 'ours') ?? (await startContestant('ours', service.url));
const materialFor = await prepare(ours);
await compare(started, workloads, materialFor);
await endAll(new Set([...started, ours]));

const dataDirectory = join(mkdtempSync(join(tmpdir(), 'bench-data-')), 'data');
const rows = [];
for (const workload of workloads) {
  // Writes with a key are remembered for a day, within limits: each setting has its own.
  const groups = workload.isWrite ? settingsOf(workload).map((one) => [one]) : [settingsOf(workload)];
  for (const settings of groups) rows.push(...(await measureInProcesses(workload, settings)));
}
service.delayMs = 0;
const subscribers = names.includes('ours') && !options.profile ? await subscribersInProcesses() : null;
await service.end();

const aims = judge({ rows, startUps, subscribers });
const tables = tablesOf({ rows, startUps, subscribers, aims, names });
process.stdout.write(`${tables}\n${remarks()}\n`);
if (profileDirectory !== null) process.stdout.write(`Profiles, one for each start: ${profileDirectory}\n`);
if (isWhole) {
  const decisive = rows.filter(({ setting }) => setting === SETTINGS[0]);
  const [major] = process.versions.node.split('.', 1);
  const suffix = major === OLDEST_NODE ? '' : `-node-${major}`;
  const chart = `results${suffix}.svg`;
  writeFileSync(new URL(chart, import.meta.url), chartOf(decisive, names));
  writeFileSync(new URL(`RESULTS${suffix}.md`, import.meta.url), results(chart));
}

async function startAll(wanted, settings = {}) {
  const contestants = [];
  for (const name of wanted)
    contestants.push(await startContestant(name, service.url, { nodeOptions, settings }));
  return contestants;
}

async function endAll(contestants) {
  for (const { end } of contestants) await end();
}

function chosen(given, all) {
  const chosenNames = given?.split(',') ?? all;
  const strange = chosenNames.find((name) => !all.includes(name));
  if (strange !== undefined) throw new Error(`${strange} is none of ${all.join(', ')}`);
  return chosenNames;
}

function nameOf({ isAlike, connections, delayMs }) {
  const users = connections === 1 ? '1 user' : `${connections} users`;
  return `${users}${isAlike ? ' alike' : ''}, service ${delayMs} ms`;
}

/** Where no call is made, the service's pace tells nothing, and nothing can be shared; nor can writes be. */
function settingsOf({ callsService, isWrite }) {
  if (isQuick) return SETTINGS.slice(0, 1);
  return SETTINGS.filter(
    ({ isAlike, delayMs }) => (callsService || delayMs === 0) && !(isAlike && (isWrite || !callsService)),
  );
}

/** Measures settings in processes of their own: those that are judged in several, the others in the first. */
async function measureInProcesses(workload, settings) {
  const slices = new Map(settings.map((setting) => [setting, []]));
  const isMeasuredCold = !isQuick && !workload.isWrite;
  if (isMeasuredCold) slices.set(COLD, []);
  for (let count = 0; count < PROCESSES; count += 1) {
    const wanted = settings.filter(({ isJudged }) => isJudged || count === 0);
    if (wanted.length === 0) break;
    const contestants = await startAll(names, workload.isKeyed ? { DATA_DIR: dataDirectory } : {});
    service.delayMs = 0;
    let warmUpMs = workload.isWrite ? WARM_UP_OF_WRITES_MS : WARM_UP_MS;
    if (isMeasuredCold) {
      slices.get(COLD).push(await eachOnce(contestants, workload, COLD, COLD_MS));
      warmUpMs -= COLD_MS;
    }
    await eachOnce(contestants, workload, SETTINGS[0], warmUpMs);
    for (const setting of wanted)
      slices.get(setting).push(...(await measure(contestants, workload, setting)));
    await endAll(contestants);
    rmSync(dataDirectory, { recursive: true, force: true });
  }
  return Array.from(slices, ([setting, measured]) => {
    const figures = names.map((name) => [name, medians(measured.map((slice) => slice[name]))]);
    return { workload, setting, figures: Object.fromEntries(figures) };
  });
}

async function subscribersInProcesses() {
  const measured = [];
  for (let count = 0; count < PROCESSES; count += 1) measured.push(await measureSubscribers(service));
  return medians(measured);
}

async function measure(contestants, workload, setting) {
  service.delayMs = setting.delayMs;
  const slices = [];
  const [rounds, longestMs] = setting.isJudged ? [ROUNDS_OF_JUDGED, SLICE_OF_JUDGED_MS] : [ROUNDS, SLICE_MS];
  const ms = workload.isKeyed ? Math.min(longestMs, LONGEST_KEYED_MS) : longestMs;
  for (let round = 0; round < rounds; round += 1) {
    // Whoever comes first in one round comes last in the next: what else the machine does hits all alike.
    const order = round % 2 === 0 ? contestants : contestants.toReversed();
    slices.push(await eachOnce(order, workload, setting, ms));
  }
  process.stderr.write(`${workload.name}, ${setting.name}\n`);
  return slices;
}

async function eachOnce(order, workload, setting, ms) {
  const slices = {};
  for (const contestant of order) {
    const material = materialFor(contestant);
    slices[contestant.name] = await measureSlice(contestant, { workload, setting, material, service, ms });
  }
  return slices;
}

function medians(slices) {
  const median = (figure) =>
    percentile(
      slices.map((slice) => slice[figure]),
      0.5,
    );
  return Object.fromEntries(Object.keys(slices[0]).map((figure) => [figure, median(figure)]));
}

function remarks() {
  const [{ model }] = cpus();
  const anew = refusals.map((refusal) => `- measured anew, because it was turned away: ${refusal}\n`);
  return `- ${new Date().toISOString().slice(0, 10)}, ${model}, ${cpus().length} cores, Node ${process.version}
- the machine’s load in the minute before: ${loadBefore.toFixed(1)}; it should be below 0.5
${anew.join('')}`;
}

function results(chart) {
  return `# Results of the performance bench

Written by \`npm run bench\`. What it measures is in [README.md](README.md#performance).

${remarks()}
![CPU per request as a multiple of the floor](${chart})

${tables}`;
}
