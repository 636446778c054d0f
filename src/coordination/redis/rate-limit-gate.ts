import type { Surface } from '../../sources/errors.ts';
import type { RateLimitGate } from '../../sources/upstream/rate-limit-gate.ts';
import type { News } from './news.ts';

/** Creates a gate that applies a surface's pauses in all processes, whichever of them received the request. */
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
