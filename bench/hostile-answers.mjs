// Looks for answers of a misbehaving service, within the size that the server reads, that cost the server much: random
// changes of the sandbox's real answers, where the worst ones found so far are changed again and again.
//
//   npm run build && node bench/hostile-answers.mjs [--minutes=5] [--seed=1] [--only=accounts,queue] [--replay=CASE]
//
// Prints one JSON object with the worst cases; exits with 1 where an answer took more than 250 ms of processor time
// beyond parsing it as JSON, or kept the server from everything else for more than 100 ms beyond that. `--replay`
// measures one case as it was printed. Everything is on loopback.
import { Cases } from './hostile-answers/cases.mjs';
import { bodyOf } from './hostile-answers/body.mjs';
import { operationsOf } from './hostile-answers/operations.mjs';
import { startLyingService } from './hostile-answers/service.mjs';
import { createProbe, cpuMs as cpuOf } from './hostile/probe.mjs';
import { least, leastOf, option, textOption, Worst } from './hostile/search.mjs';
import { isQuick, openClient, report, startSandbox, startServer } from './running.mjs';

const MAX_CPU_MS = 250;
const MAX_STALL_MS = 100;
/** Worst cases of each operation and metric that a search goes on from. */
const KEPT = 3;
/** Worst cases of each metric that are measured again at the end. */
const TOLD = 5;
/** How many cases without an answer are told. */
const MAX_UNANSWERED = 10;
/** What is smaller is judged as if it had this size: everything costs a millisecond. */
const MIN_BYTES = 16 * 1_024;
const MAX_ERROR_BYTES = 64 * 1_024;

const seed = option('seed', 1);
const minutes = option('minutes', isQuick ? 1 : 5);

const sandbox = await startSandbox({ SANDBOX_DATA: 'large' });
const service = await startLyingService(sandbox.url);
const credentials = { 'x-api-key': 'demo-key-harbour', authorization: 'Bearer demo-token-harbour' };
let { server, probe } = await start();
const operations = operationsOf(await readIds());
const real = await readReal();

const METRICS = {
  cpuMs: ({ cpuMs }) => cpuMs,
  stallMs: ({ stallMs }) => stallMs,
  cpuMsPerKb: ({ cpuMs, answerBytes }) => (cpuMs / Math.max(MIN_BYTES, answerBytes)) * 1_024,
};
const counts = { tried: 0, answered: 0, withErrors: 0, notAsked: 0, unanswered: 0 };
const unanswered = [];
const worstOf = Object.fromEntries(Object.keys(operations).map((name) => [name, new Worst(METRICS, KEPT)]));

const replayed = textOption('replay');
if (replayed) {
  const figures = figuresOf(await least(tell, JSON.parse(replayed)));
  finish({ figures }, [figures]);
}
const only = textOption('only')?.split(',') ?? Object.keys(operations);
const cases = new Cases(operations, seed);
for (const ends = performance.now() + minutes * 60_000; performance.now() < ends;) await tryOne(next());
const worst = await confirm();
finish({ seed, minutes, counts, worst, unanswered }, Object.values(worst).flat());

function finish(figures, judged) {
  report(figures, {
    'every operation is answered': counts.unanswered === 0,
    'at most 250 ms of processor time beyond parsing': judged.every(({ cpuMs }) => cpuMs <= MAX_CPU_MS),
    'at most 100 ms in one piece beyond parsing': judged.every(({ stallMs }) => stallMs <= MAX_STALL_MS),
  });
}

async function start() {
  const started = await startServer({
    DATA_DIR: 'off',
    CURRENT_API_URL: service.url,
    LEGACY_API_URL: service.url,
    OAUTH_CLIENT_ID: 'demo-app',
    OAUTH_CLIENT_SECRET: 'demo-app-secret',
    OAUTH_REDIRECT_URIS: 'http://127.0.0.1/',
    LOG_LEVEL: 'info',
    NODE_OPTIONS: '',
    OVERLOAD_DELAY: '1h',
    // What a case costs is not to depend on the one before.
    READ_ATTEMPTS: '1',
    // Making up a large answer may take this process seconds.
    KEEP_ALIVE: '10m',
    BREAKER_MIN_CALLS: '1000000',
  });
  return { server: started, probe: createProbe(started, { both: credentials }) };
}

async function readIds() {
  const client = openClient(server.url, 1, credentials);
  const { text } = await client.post({
    query: `{ accounts(first: 1) { nodes { id } } queuedPosts(first: 1) { nodes { id } } libraryItems(first: 1) { nodes { id } }
      legacy: accounts(first: 1, surface: LEGACY) { nodes { id } }
      legacyGroups: accountGroups(first: 1, surface: LEGACY) { nodes { id } } }`,
  });
  client.close();
  const { accounts, queuedPosts, libraryItems, legacy, legacyGroups } = JSON.parse(text).data;
  const [account, post, item, legacyAccount, legacyGroup] = [
    accounts,
    queuedPosts,
    libraryItems,
    legacy,
    legacyGroups,
  ].map(({ nodes }) => nodes[0].id);
  return { account, post, item, legacyAccount, legacyGroup };
}

/** The sandbox's own answers, by operation. */
async function readReal() {
  const found = {};
  for (const [name, { endpoint, query, answer }] of Object.entries(operations)) {
    service.lie(answer && { endpoint, status: 200, body: Buffer.from(answer), chunks: null });
    const { code, message } = await probe({ caller: 'both', query });
    found[name] = answer ?? service.real.get(endpoint);
    if (code !== null || !service.wasCalled(endpoint)) throw new Error(`${name}: ${message ?? 'not called'}`);
  }
  return found;
}

/** Has the service tell one case, and measures what that costs. */
async function tell(made) {
  const { endpoint, query, maxBytes } = operations[made.operation];
  const body = bodyOf(real[made.operation], made.steps, made.status < 400 ? maxBytes : MAX_ERROR_BYTES);
  service.lie({ endpoint, status: made.status, body, chunks: made.chunks });
  const found = await probe({ caller: 'both', query });
  const told = service.told();
  const parseMs = parsingMs(body);
  return { ...found, answerBytes: body.length, told, parseMs, parsedMs: told * parseMs };
}

/** Processor time of this thread for parsing a body: the least of three, like all figures. */
function parsingMs(body) {
  const text = body.toString();
  return Math.min(...[1, 2, 3].map(() => parsedOnce(text)));
}

function parsedOnce(text) {
  const thread = [String(process.pid)];
  const before = cpuOf(process.pid, thread);
  try {
    JSON.parse(text);
  } catch {
    // As far as it could be read.
  }
  return cpuOf(process.pid, thread) - before;
}

function next() {
  const operation = only[counts.tried % only.length];
  const turn = Math.floor(counts.tried / only.length);
  const parent = worstOf[operation].pick(turn);
  return parent && turn % 4 > 0 ? cases.changed(parent.made) : cases.fresh(operation);
}

async function tryOne(made) {
  const found = await tell(made);
  counts.tried += 1;
  counts[outcomeOf(found)] += 1;
  const figures = figuresOf(found);
  if (outcomeOf(found) === 'unanswered') {
    if (unanswered.length < MAX_UNANSWERED) unanswered.push({ ...figures, replay: JSON.stringify(made) });
    if (found.status === 0) await startAgain();
    return;
  }
  const worstHere = worstOf[made.operation];
  if (!worstHere.isAmong(figures)) return;
  // Once more: other work on the machine may have been measured.
  worstHere.add(made, figuresOf(leastOf([found, await tell(made)])));
}

// A server that is gone must not end the search.
async function startAgain() {
  server.signal('SIGKILL');
  await server.exited;
  ({ server, probe } = await start());
}

function outcomeOf({ status, errors, told }) {
  if (status !== 200 && status !== 400) return 'unanswered';
  if (told === 0) return 'notAsked';
  return errors > 0 ? 'withErrors' : 'answered';
}

/** Measures the worst of each metric again, each case once, and gives the figures that hold. */
async function confirm() {
  const all = Object.values(worstOf).flatMap((one) => one.all());
  const measured = new Map();
  const results = {};
  for (const [name, of] of Object.entries(METRICS)) {
    const worstFirst = all.toSorted((one, other) => of(other.figures) - of(one.figures));
    const chosen = [...new Set(worstFirst.map(({ made }) => made))].slice(0, TOLD);
    for (const made of chosen) {
      if (!measured.has(made))
        measured.set(made, { ...figuresOf(await least(tell, made)), replay: JSON.stringify(made) });
    }
    results[name] = chosen.map((made) => measured.get(made)).toSorted((one, other) => of(other) - of(one));
  }
  return results;
}

function figuresOf(found) {
  const {
    status,
    answerBytes,
    told,
    parseMs,
    parsedMs,
    cpuMs,
    stallCpuMs,
    responseBytes,
    errors,
    code,
    message,
  } = found;
  return {
    cpuMs: Math.round(Math.max(0, cpuMs - parsedMs)),
    stallMs: Math.round(Math.max(0, stallCpuMs - parseMs)),
    parseMs: Math.round(parseMs),
    answerBytes,
    answers: told,
    status,
    responseBytes,
    errors,
    code,
    message,
  };
}
