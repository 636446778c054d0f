import type { Redis } from 'ioredis';
import {
  AUTHORIZATION_MS,
  MAX_OPEN,
  type OpenAuthorizations,
  type Opening,
  type Origin,
} from '../open-authorizations.ts';
import { together } from './connection.ts';
import { keyOf } from './key.ts';
import type { RedisLink } from './link.ts';
import { RedisAway } from './state.ts';

// Limits are counted where all processes see them, and everything expires: repeated starts must not fill the memory in
// which writes with a key are recorded.
const OPEN = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lasts = tonumber(ARGV[1])
for at = 2, 3 do redis.call('ZREMRANGEBYSCORE', KEYS[at], '-inf', now) end
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[3]) then return 'network-full' end
if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[4]) then return 'full' end
redis.call('SET', KEYS[1], ARGV[2], 'PX', lasts)
for at = 2, 3 do
  redis.call('ZADD', KEYS[at], now + lasts, ARGV[5])
  redis.call('PEXPIRE', KEYS[at], lasts)
end
return 'open'`;

/** The expiry of each open authorisation, of all networks. */
const ALL = 'spg:authorizations';

/**
 * Authorisations that may end in a different process. One started while Redis was unavailable can only end in its own
 * process; one started with Redis can end once across all processes. `nameOf` names networks without revealing them.
 */
export function createRedisOpenAuthorizations(
  own: OpenAuthorizations,
  link: RedisLink,
  nameOf: (network: string) => string,
): OpenAuthorizations {
  // Releases its share of the limits early; all of it would expire anyway.
  const giveBack = (state: string, name: string): void =>
    void link.deliver(`close ${state}`, (client) => close(client, state, name));
  return {
    async open(state, origin) {
      const name = nameOf(origin.network);
      try {
        return await link.run((client) => open(client, { state, name, limit: origin.limit }));
      } catch (error) {
        // It may have been stored nevertheless, and must not end twice.
        if (error instanceof RedisAway && error.mayHaveArrived) giveBack(state, name);
        return await own.open(state, origin);
      }
    },
    async take(state) {
      if (await own.take(state)) return true;
      try {
        const name = await link.run((client) => client.getdel(keyOf('authorization', state)));
        if (name !== null) giveBack(state, name);
        return name !== null;
      } catch {
        return false;
      }
    },
  };
}

interface Beginning extends Pick<Origin, 'limit'> {
  readonly state: string;
  /** Name of the network. */
  readonly name: string;
}

async function open(client: Redis, { state, name, limit }: Beginning): Promise<Opening> {
  const keys = [keyOf('authorization', state), networkKey(name), ALL];
  const opened = await client.eval(
    OPEN,
    keys.length,
    ...keys,
    AUTHORIZATION_MS,
    name,
    limit,
    MAX_OPEN,
    memberOf(state),
  );
  return opened as Opening;
}

async function close(client: Redis, state: string, name: string): Promise<void> {
  const commands = client.multi().del(keyOf('authorization', state));
  for (const key of [networkKey(name), ALL]) commands.zrem(key, memberOf(state));
  await together(commands);
}

const networkKey = (name: string): string => keyOf('authorizations-of', name);

/** Returns the name under which a state is counted. */
const memberOf = (state: string): string => keyOf('authorization', state).slice(-MEMBER_CHARS);
const MEMBER_CHARS = 22;
