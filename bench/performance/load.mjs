// The load: so many users at once, each of whom asks again as soon as the answer is there, for a short while.
import { setTimeout as after } from 'node:timers/promises';
import { percentile, residentMiB } from '../running.mjs';
import { openConnection } from './connection.mjs';
import { cpuMs } from './processes.mjs';

const OK = 'HTTP/1.1 200';
const DATA = Buffer.from('{"data":{"');
const ERRORS = Buffer.from('"errors":[');
const DONE = Buffer.from('"outcome":"COMPLETED"');
const TURNED_AWAY = 'HTTP/1.1 503';
/** How often a slice is measured anew, and how long after: as long as ours stays watchful. */
const MOST_ATTEMPTS = 4;
const CALM_DOWN_MS = 7_000;
/**
 * How long users ask before a slice begins, unless its setting says otherwise: while the others had their turns, a
 * contestant has closed connections and thrown away code.
 */
const LEAD_IN_MS = 500;
/** The variables of all who ask alike. */
const TURN_OF_ALL = 3;

/** What ours said each time that a slice had to be measured anew. */
export const refusals = [];

let turns = 0;
let slicesMade = 0;

/** Thrown where a contestant says that it can't keep up. */
class TurnedAway extends Error {}

/**
 * One slice of a measurement: what it cost the contestant, and what the users saw. Ours turns requests away when its
 * timers come late again and again; on a machine that does something else as well, that may be the machine's doing, and
 * the slice is measured anew. It is told in `refusals`.
 */
export async function measureSlice(contestant, options) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await measureOnce(contestant, options);
    } catch (error) {
      if (!(error instanceof TurnedAway) || attempt === MOST_ATTEMPTS) throw error;
      refusals.push(error.message.split('\n', 1)[0].trim());
      await after(CALM_DOWN_MS);
    }
  }
}

// Connections are opened, and used for a moment, before the slice begins.
async function measureOnce(contestant, { workload, setting, material, service, ms }) {
  const next = requestMaker(contestant, { workload, setting, material });
  const users = await Promise.all(
    Array.from({ length: setting.connections }, async (_, index) => {
      const { ask, close } = await openConnection(contestant.port);
      return { close, ask: async () => proveGood(await ask(next(index)), contestant, workload) };
    }),
  );
  try {
    const startsAt = performance.now() + (setting.leadInMs ?? LEAD_IN_MS);
    await Promise.all(users.map((user) => askUntil(startsAt, user, [])));
    return await measureUsers(users, { contestant, service, ms });
  } finally {
    for (const user of users) user.close();
  }
}

async function measureUsers(users, { contestant, service, ms }) {
  const before = { calls: service.calls, cpu: cpuMs(contestant), at: performance.now() };
  const times = [];
  const endsAt = before.at + ms;
  await Promise.all(users.map((user) => askUntil(endsAt, user, times)));
  const seconds = (performance.now() - before.at) / 1_000;
  const cpu = cpuMs(contestant) - before.cpu;
  const calls = service.calls - before.calls;
  return {
    cpuUs: (cpu * 1_000) / times.length,
    perSecond: times.length / seconds,
    p50Ms: percentile(times, 0.5),
    calls: calls / times.length,
    residentMiB: residentMiB(contestant),
  };
}

async function askUntil(endsAt, user, times) {
  for (let sentAt = performance.now(); sentAt < endsAt;) {
    await user.ask();
    const answeredAt = performance.now();
    times.push(answeredAt - sentAt);
    sentAt = answeredAt;
  }
}

// Users who ask alike have one key and one question; the others each have a key of their own, and go on to other
// variables with every request. A write is never the same twice, and who writes does so in one slice only: a caller's
// writes of a day are remembered up to a number.
function requestMaker({ requestOf }, { workload, setting, material }) {
  slicesMade += 1;
  const user = workload.isWrite ? `bench-writer-${slicesMade}` : 'bench-user';
  return (index) => {
    turns += 1;
    const turn = setting.isAlike ? TURN_OF_ALL : turns;
    const variables = workload.variables(turn % workload.turns, material);
    return requestOf(workload, variables, setting.isAlike ? user : `${user}-${index}`);
  };
}

// A partial answer has its errors after the data.
function proveGood({ head, body }, { name }, workload) {
  const isGood = head.startsWith(OK) && body.indexOf(DATA) === 0 && !body.includes(ERRORS);
  if (isGood && (!workload.isWrite || body.includes(DONE))) return;
  const Problem = head.startsWith(TURNED_AWAY) ? TurnedAway : Error;
  throw new Problem(`${name}, ${workload.name}: ${head}\n\n${body.subarray(0, 1_000)}`);
}
