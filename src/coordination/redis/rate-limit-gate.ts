import type { Surface } from '../../sources/errors.ts';
import type { RateLimitGate } from '../../sources/upstream/rate-limit-gate.ts';
import type { News } from './news.ts';

/** Pauses that every process keeps, whichever of them the surface has asked. */
export function createRedisRateLimitGate(surface: Surface, own: RateLimitGate, news: News): RateLimitGate {
  news.listen({
    onNews(heard) {
      for (const { item, ageMs } of heard)
        if (item.kind === 'pause' && item.surface === surface) own.note(item.caller, item.pauseMs - ageMs);
      return Promise.resolve();
    },
    onGap: () => undefined,
  });
  return {
    check: (caller) => own.check(caller),
    note(caller, pauseMs) {
      own.note(caller, pauseMs);
      void news.tell({ kind: 'pause', surface, caller, pauseMs });
    },
  };
}
