// Five times as many requests as the server can answer, for a minute: how many are answered all the same, how fast, and
// how soon all is well again.
//
//   npm run build && node bench/overload.mjs [--quick] [--behind-proxy]
//
// Prints one JSON object; exits with 1 where fewer than 80 % of the capacity are answered, the slow ones among them take
// more than twice as long as the slow ones at capacity (over connections that were there before), one is not answered or told
// when to come back, or liveness fails.
import { setTimeout as after } from 'node:timers/promises';
import { isQuick, openClient, percentile, report, startServer } from './running.mjs';

const CAPACITY_MS = isQuick ? 4_000 : 15_000;
const LOAD_MS = isQuick ? 12_000 : 60_000;
/** The share that is turned away is found within so long. */
const SETTLE_MS = 5_000;
const AT_ONCE = 16;
const CONNECTIONS = 500;
// A document that nobody has sent before costs some milliseconds of the processor's time, and its answer is short: it is
// the server that is to be short of it, not this process.
const FIELDS = 'surface isConfigured '.repeat(145);
let documents = 0;
const query = () => ({ query: `{ surfaces { ${FIELDS} } } #${(documents += 1)}` });

const server = await startServer();
const client = openClient(server.url, CONNECTIONS);
await closedLoop(isQuick ? 1_000 : 5_000);
const calm = await closedLoop(CAPACITY_MS);
const capacity = (calm.length / CAPACITY_MS) * 1_000;

// Connections that are opened all at once would be a load of another kind.
for (let open = 0; open < CONNECTIONS; open += 50)
  await Promise.all(Array.from({ length: open + 50 }, () => client.get('/health')));

const startedAt = performance.now();
const answers = [];
const health = [];
const watcher = openClient(server.url, 1);
const watch = setInterval(() => void look(), 500);
let sent = 0;
let due = 0;
const underWay = new Set();
for (let now = 0; now < LOAD_MS; now = performance.now() - startedAt) {
  for (; due < (now / 1_000) * capacity * 5; due += 1) {
    // One that has no connection would wait here, and its time would be this process's.
    if (underWay.size < CONNECTIONS) send(now);
  }
  await after(2);
}
clearInterval(watch);
const loadMs = performance.now() - startedAt;
await Promise.all(underWay);
const settled = answers.filter(({ at }) => at > SETTLE_MS);
const accepted = settled.filter(({ status }) => status === 200);

const calmAt = performance.now();
let backMs = 0;
for (let good = 0; good < 10;) {
  const { status, ms } = await client.post(query());
  good = status === 200 && ms < 2 * percentile(times(calm), 0.99) ? good + 1 : 0;
  backMs = performance.now() - calmAt;
  if (backMs > 30_000) break;
}

const goodput = (accepted.length / (loadMs - SETTLE_MS)) * 1_000;
const calmP99 = percentile(times(calm), 0.99);
const acceptedP99 = percentile(times(accepted.filter(({ isKept }) => isKept)), 0.99);
const shed = answers.filter(({ status }) => status === 503);
report(
  {
    capacityPerSecond: Math.round(capacity),
    offeredPerSecond: Math.round((sent / loadMs) * 1_000),
    goodputPerSecond: Math.round(goodput),
    goodputShare: goodput / capacity,
    p99AtCapacityMs: Math.round(calmP99),
    p99AcceptedMs: Math.round(acceptedP99),
    // Node takes one new connection a turn of its event loop, however many wait.
    p99OnNewConnectionsMs: Math.round(percentile(times(settled.filter(({ isKept }) => !isKept)), 0.99)),
    newConnections: settled.filter(({ isKept }) => !isKept).length,
    shedShare: shed.length / answers.length,
    p99ShedMs: Math.round(percentile(times(shed), 0.99)),
    statuses: Object.fromEntries(
      [...new Set(answers.map(({ status }) => status))].map((one) => [
        one,
        answers.filter(({ status }) => status === one).length,
      ]),
    ),
    unanswered: answers.filter(({ status }) => status === 0).length,
    backToNormalMs: Math.round(backMs),
    livenessLooks: health.length,
  },
  {
    'goodput of at least 80 % of the capacity': goodput >= 0.8 * capacity,
    'p99 of what is accepted at most doubled': acceptedP99 <= 2 * calmP99,
    'what is turned away is told when to come back': shed.every(
      ({ retryAfter }) => retryAfter >= 1 && retryAfter <= 5,
    ),
    'nothing is left unanswered': answers.every(({ status }) => status === 200 || status === 503),
    'liveness 200 throughout': health.every((status) => status === 200),
    'normal within five seconds': backMs < 5_000,
  },
);

function send(at) {
  sent += 1;
  const answer = receive(at);
  underWay.add(answer);
  void answer.finally(() => underWay.delete(answer));
}

async function receive(at) {
  answers.push({ at, ...(await client.post(query())) });
}

async function look() {
  health.push((await watcher.get('/health')).status);
}

/** Keeps as many requests under way as it takes to keep the server busy, and no more. */
async function closedLoop(ms) {
  const ends = performance.now() + ms;
  const all = [];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (performance.now() < ends) all.push(await client.post(query()));
    }),
  );
  return all;
}

function times(all) {
  return all.map(({ ms }) => ms);
}
