import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../src/schema/errors.ts';
import { cases } from '../support/depth.ts';
import { startGraph } from '../support/graph.ts';
import { hostileDocument } from '../support/documents.ts';
import { openTransport, TRANSPORTS, type Outcome } from '../support/transports.ts';

const DOCUMENTS = fc.sample(hostileDocument, cases(160, 10_000));
// Nearly all that is generated is refused, and sometimes all of it.
const WITH_A_HARMLESS_ONE = ['{ __typename }', ...DOCUMENTS];
/** Every document is sent over HTTP, and one in so many over the other transports as well. */
const SHARES = { HTTP: 1, WebSocket: 4, 'server-sent events': 4 } as const;
const AT_ONCE = 8;

const unlimited = { WS_MESSAGES_PER_SECOND: '1000000', WS_MESSAGE_BURST: '1000000' };

/** What is wrong with an outcome, or null if it is an answer or a refusal with a documented code. */
function wrongWith({ status, data, errors }: Outcome): string | null {
  if (status !== null && ![200, 400].includes(status)) return `status ${status}`;
  if (data === undefined && errors.length === 0) return 'neither data nor errors';
  const codes = errors.map(({ extensions }) => extensions['code']);
  const foreign = codes.find((code) => !(ERROR_CODES as readonly unknown[]).includes(code));
  if (foreign !== undefined) return `the code ${JSON.stringify(foreign)}`;
  return codes.includes('INTERNAL_SERVER_ERROR') ? 'an error of ours' : null;
}

test(
  'a hostile document is answered or refused with a documented code, on every transport',
  { timeout: cases(60_000, 1_200_000) },
  async () => {
    const before = Object.getOwnPropertyNames(Object.prototype).toSorted();
    const graph = await startGraph({ environment: { ...unlimited, LOG_LEVEL: 'error' } });
    const seen = { answered: 0, refused: 0 };
    for (const transport of TRANSPORTS) {
      const run = openTransport(transport, graph.url, graph.caller.both);
      const queue = WITH_A_HARMLESS_ONE.filter((_document, index) => index % SHARES[transport] === 0);
      const work = async (): Promise<void> => {
        for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
          const outcome = await run({ query: next });
          expect(wrongWith(outcome), `${transport} ${JSON.stringify(next)}`).toBeNull();
          seen[outcome.data === undefined ? 'refused' : 'answered'] += 1;
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    }
    expect(seen.answered).toBeGreaterThan(0);
    expect(seen.refused).toBeGreaterThan(DOCUMENTS.length / 2);
    expect(graph.log).toEqual([]);
    expect(Object.getOwnPropertyNames(Object.prototype).toSorted()).toEqual(before);
    expect((await openTransport('HTTP', graph.url)({ query: '{ __typename }' })).status).toBe(200);
  },
);
