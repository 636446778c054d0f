import * as fc from 'fast-check';
import { parse, type DocumentNode } from 'graphql';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { ERROR_CODES } from '../../src/schema/errors.ts';
import { schema } from '../../src/schema/index.ts';
import { parseWithin } from '../../src/engine/limits/text.ts';
import { validateWithin } from '../../src/engine/limits/validation.ts';
import { startGraph } from '../support/graph.ts';
import { hostileDocument } from '../support/hostile-documents.ts';
import { openTransport, TRANSPORTS, type Outcome } from '../support/transports.ts';

const DOCUMENTS = fc.sample(hostileDocument, 10_000);
/** Which documents go which way: all over HTTP, every tenth over the others as well. */
const SHARES = { HTTP: 1, WebSocket: 10, 'server-sent events': 10 } as const;
const AT_ONCE = 8;

const unlimited = { WS_MESSAGES_PER_SECOND: '1000000', WS_MESSAGE_BURST: '1000000' };

/** What is wrong with an outcome, or null: it has to be an answer or a refusal with a code of ours. */
function wrongWith({ status, data, errors }: Outcome): string | null {
  if (status !== null && ![200, 400].includes(status)) return `status ${status}`;
  if (data === undefined && errors.length === 0) return 'neither data nor errors';
  const codes = errors.map(({ extensions }) => extensions['code']);
  const foreign = codes.find((code) => !(ERROR_CODES as readonly unknown[]).includes(code));
  if (foreign !== undefined) return `the code ${JSON.stringify(foreign)}`;
  return codes.includes('INTERNAL_SERVER_ERROR') ? 'an error of ours' : null;
}

test(
  '10,000 hostile documents are answered or refused, on every transport',
  { timeout: 60_000 },
  async () => {
    const before = Object.getOwnPropertyNames(Object.prototype).toSorted();
    const graph = await startGraph({ environment: { ...unlimited, LOG_LEVEL: 'error' } });
    const seen = { answered: 0, refused: 0 };
    for (const transport of TRANSPORTS) {
      const run = openTransport(transport, graph.url, graph.caller.both);
      const queue = DOCUMENTS.filter((_document, index) => index % SHARES[transport] === 0);
      const work = async (): Promise<void> => {
        for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
          const outcome = await run({ query: next.query });
          expect(wrongWith(outcome), `${transport} ${JSON.stringify(next)}`).toBeNull();
          seen[outcome.data === undefined ? 'refused' : 'answered'] += 1;
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    }
    expect(seen.answered).toBeGreaterThan(50);
    expect(seen.refused).toBeGreaterThan(5_000);
    expect(graph.log).toEqual([]);
    expect(Object.getOwnPropertyNames(Object.prototype).toSorted()).toEqual(before);
    expect((await openTransport('HTTP', graph.url)({ query: '{ __typename }' })).status).toBe(200);
  },
);

test('judging a document takes under 20 ms in 99 cases of 100, and never 100', () => {
  const { limits } = readConfig({});
  const times = DOCUMENTS.map(({ query }) => {
    const startedAt = process.cpuUsage();
    judge(query, (text) => {
      const document = parseWithin(text, limits);
      validateWithin(schema, document, { limits, introspection: false });
      return document;
    });
    const { user, system } = process.cpuUsage(startedAt);
    return (user + system) / 1_000;
  }).toSorted((one, other) => one - other);
  expect(times[Math.floor(times.length * 0.99)]).toBeLessThan(20);
  expect(times.at(-1)).toBeLessThan(100);
});

function judge(query: string, read: (text: string) => DocumentNode): DocumentNode | null {
  try {
    return read(query);
  } catch (error) {
    expect(error).not.toBeInstanceOf(RangeError);
    return null;
  }
}

test('the documents are as hostile as they should be: of each kind some parse and some do not', () => {
  const kinds = new Map<string, { parsed: number; broken: number }>();
  for (const { made, query } of DOCUMENTS) {
    const count = kinds.get(made) ?? { parsed: 0, broken: 0 };
    kinds.set(made, count);
    if (judge(query, parse)) count.parsed += 1;
    else count.broken += 1;
  }
  expect(kinds.size).toBe(4);
  for (const [made, { parsed, broken }] of kinds) {
    // Words at random are hardly ever a document.
    if (made !== 'by words') expect(parsed, made).toBeGreaterThan(0);
    expect(broken, made).toBeGreaterThan(100);
  }
});
