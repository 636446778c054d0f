// Looks for operations within the default limits that cost the server much: first the attacks that are known, then random
// operations over the schema, where the worst ones found so far are changed again and again. Nothing of it writes.
//
//   npm run build && node bench/hostile-documents.mjs [--minutes=5] [--seed=1] [--attacks]
//
// Prints one JSON object with the worst cases; exits with 1 where an operation took more than 250 ms of processor time
// beyond its calls, 100 ms of it in one piece, or was answered with more than 4 MB. `--attacks` leaves out the search.
import { graphql } from './graphql.mjs';
import { ATTACKS } from './hostile-documents/attacks.mjs';
import { Generator } from './hostile-documents/generator.mjs';
import { createProbe } from './hostile/probe.mjs';
import { least, leastOf, option, Worst } from './hostile/search.mjs';
import { isQuick, openClient, report, startSandbox, startServer } from './running.mjs';

const { buildClientSchema, getIntrospectionQuery } = graphql;

const MAX_CPU_MS = 250;
const MAX_STALL_MS = 100;
const MAX_BYTES = 4e6;
const KEPT = 6;
/** A larger body is refused unread. */
const MAX_BODY_BYTES = 512 * 1_024;

const seed = option('seed', 1);
const minutes = process.argv.includes('--attacks') ? 0 : option('minutes', isQuick ? 1 : 5);

const sandbox = await startSandbox({ SANDBOX_DATA: 'large' });
const server = await startServer({
  DATA_DIR: 'off',
  CURRENT_API_URL: sandbox.url,
  LEGACY_API_URL: sandbox.url,
  LOG_LEVEL: 'info',
  NODE_OPTIONS: '',
  OVERLOAD_DELAY: '1h',
});
const key = { 'x-api-key': 'demo-key-harbour' };
const token = { authorization: 'Bearer demo-token-harbour' };
const both = { ...key, ...token };
const client = openClient(server.url, 1, both);
const probe = createProbe(server, { nobody: {}, key, token, both });
const ids = await readIds();
const callMs = await costOfCall();

const attacks = {};
for (const [name, attack] of Object.entries(ATTACKS)) attacks[name] = figuresOf(await least(probe, attack));

const METRICS = {
  cpuMs: (found) => found.cpuMs,
  stallMs: (found) => found.stallMs,
  responseBytes: (found) => found.responseBytes,
  cpuMsPerKb: (found) => (found.cpuMs / found.requestBytes) * 1_000,
};
const worst = new Worst(METRICS, KEPT);
const counts = { tried: 0, answered: 0, refused: 0, cutOff: 0, invalid: 0, unanswered: 0 };
const unanswered = [];
const generator = new Generator(await readSchema(), { seed, ids });
for (const attack of Object.values(ATTACKS)) await tryOne(generator.known(attack));
for (const ends = performance.now() + minutes * 60_000; performance.now() < ends;) await tryOne(next());
const confirmed = await confirm();

const all = [...Object.values(attacks), ...Object.values(confirmed)];
report(
  { seed, minutes, callMs, counts, attacks, worst: confirmed, unanswered },
  {
    'every operation is answered': counts.unanswered === 0,
    'at most 250 ms of processor time beyond the calls': all.every(({ cpuMs }) => cpuMs <= MAX_CPU_MS),
    'at most 100 ms in one piece': all.every(({ stallMs }) => stallMs <= MAX_STALL_MS),
    'at most 4 MB': all.every(({ responseBytes }) => responseBytes <= MAX_BYTES),
  },
);

async function read(query) {
  const { text } = await client.post({ query });
  return JSON.parse(text).data;
}

async function readSchema() {
  return buildClientSchema(await read(getIntrospectionQuery({ inputValueDeprecation: true })));
}

async function readIds() {
  const lists = ['accounts', 'accountGroups', 'queuedPosts', 'libraryItems', 'aiGenerations'];
  const data = await read(
    `{ ${lists.map((name) => `${name}(first: 100) { nodes { id } }`).join(' ')} legacy: accounts(surface: LEGACY, first: 100) { nodes { id } } }`,
  );
  const found = Object.values(data).map(({ nodes }) => nodes.map(({ id }) => id));
  return {
    accounts: found[0],
    mixed: Array.from({ length: 100 }, (_, index) => found[index % 6][index % 20]),
  };
}

function accountsWith(field) {
  return { caller: 'both', query: `{ accounts(first: 100) { nodes { ${field} } } }` };
}

/** Processor time of a call to the service, in milliseconds: that of one more, on average. */
async function costOfCall() {
  for (let time = 0; time < 10; time += 1) await probe(accountsWith('settingId'));
  const [many, one] = [
    await least(probe, accountsWith('settingId')),
    await least(probe, accountsWith('loginId')),
  ];
  return (many.cpuMs - one.cpuMs) / (many.calls - one.calls);
}

/** Mostly a change of one of the worst. */
function next() {
  const parent = worst.pick(counts.tried);
  return parent && counts.tried % 4 > 0 ? generator.changed(parent.made) : generator.fresh();
}

async function tryOne(made) {
  const found = await probe(made.sent);
  counts.tried += 1;
  counts[outcomeOf(found)] += 1;
  if (outcomeOf(found) === 'unanswered') unanswered.push({ ...figuresOf(found), sent: shortened(made.sent) });
  if (!worst.isAmong(figuresOf(found))) return;
  // Once more: other work on the machine may have been measured.
  worst.add(made, figuresOf(leastOf([found, await probe(made.sent)])));
}

function outcomeOf({ status, requestBytes, code, errors, calls }) {
  if (status === 413 && requestBytes > MAX_BODY_BYTES) return 'refused';
  if (status !== 200 && status !== 400) return 'unanswered';
  if (code === 'LIMIT_EXCEEDED' && errors === 1) return calls === null ? 'refused' : 'cutOff';
  return code === 'GRAPHQL_VALIDATION_FAILED' || code === 'GRAPHQL_PARSE_FAILED' ? 'invalid' : 'answered';
}

/** Sends the worst of each kind again, and gives the figures that hold. */
async function confirm() {
  const results = {};
  for (const [name, found] of worst.entries()) {
    const again = [];
    for (const { made } of found.slice(0, 3))
      again.push({ ...figuresOf(await least(probe, made.sent)), sent: shortened(made.sent) });
    const [first] = again.toSorted((one, other) => METRICS[name](other) - METRICS[name](one));
    if (first) results[name] = first;
  }
  return results;
}

function figuresOf({
  status,
  requestBytes,
  responseBytes,
  cpuMs,
  stallCpuMs,
  stallMs,
  logLines,
  errors,
  code,
  calls,
  message,
}) {
  const beyond = Math.max(0, cpuMs - (calls ?? 0) * callMs);
  return {
    status,
    requestBytes,
    responseBytes,
    cpuMs: Math.round(beyond),
    // What the server itself did while `/health` waited; the waiting time is also that of a busy machine.
    stallMs: Math.round(stallCpuMs),
    waitedMs: Math.round(stallMs),
    logLines,
    errors,
    calls,
    code,
    message,
  };
}

function shortened({ caller, query, variables }) {
  const texts = Object.entries(variables).map(([name, value]) => [name, JSON.stringify(value).slice(0, 200)]);
  return { caller, query, variables: Object.fromEntries(texts) };
}
