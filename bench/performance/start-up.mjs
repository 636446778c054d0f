// How long a contestant takes from nothing to its first answer, and how much memory it has by then.
import { percentile, residentMiB } from '../running.mjs';
import { startContestant } from './contestants.mjs';

export async function measureStartUp(name, service, times) {
  const starts = [];
  for (let time = 0; time < times; time += 1) {
    const contestant = await startContestant(name, service.url);
    starts.push({ ms: contestant.readyMs, residentMiB: residentMiB(contestant) });
    await contestant.end();
  }
  return {
    ms: percentile(
      starts.map(({ ms }) => ms),
      0.5,
    ),
    residentMiB: percentile(
      starts.map((start) => start.residentMiB),
      0.5,
    ),
  };
}
