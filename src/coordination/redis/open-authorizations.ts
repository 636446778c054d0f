import { AUTHORIZATION_MS, type OpenAuthorizations } from '../open-authorizations.ts';
import { keyOf } from './key.ts';
import type { RedisLink } from './link.ts';
import { RedisAway } from './state.ts';

/**
 * Authorisations that may end at another process than they began at. What was begun while Redis was away ends where it
 * began; what was begun with it, only once over all.
 */
export function createRedisOpenAuthorizations(own: OpenAuthorizations, link: RedisLink): OpenAuthorizations {
  return {
    async open(state) {
      try {
        await link.run((client) => client.set(keyOf('authorization', state), '1', 'PX', AUTHORIZATION_MS));
      } catch (error) {
        // It may lie there all the same, and must not end twice.
        if (error instanceof RedisAway && error.mayHaveArrived)
          void link.deliver(`close ${state}`, (client) => client.del(keyOf('authorization', state)));
        await own.open(state);
      }
    },
    async take(state) {
      if (await own.take(state)) return true;
      try {
        return (await link.run((client) => client.del(keyOf('authorization', state)))) === 1;
      } catch {
        return false;
      }
    },
  };
}
