import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import type { FaultKind } from '../../packages/sandbox/src/faults/fault.ts';
import { anyText } from '../support/any-text.ts';
import { cases } from '../support/depth.ts';
import { wholeSelection } from '../support/selection.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { openTransport, TRANSPORTS } from '../support/transports.ts';
import { changingRecord, MISSING, withValue } from '../support/wire-changes.ts';

const graph = shareGraph({ watchesAnswers: false });

const READS: Readonly<Record<string, string>> = {
  'GET /posts/queued': `queuedPosts(first: 4) { totalCount edges { cursor } nodes { ${wholeSelection('QueuedPost')} } }`,
  'GET /library/list': `libraryItems(first: 4) { totalCount edges { cursor } nodes { ${wholeSelection('LibraryItem')} } }`,
  'GET /openai/historyList': `aiGenerations(first: 4) { totalCount edges { cursor } nodes { ${wholeSelection('AiGeneration')} } }`,
  'GET /membership/plan/list': `membership { ${wholeSelection('Membership')} }`,
  'GET /accounts/list': `accounts(first: 4) { totalCount edges { cursor } nodes { ${wholeSelection('Account')} } }`,
  'GET /accounts/view/{loginId}': `accounts(first: 4) { totalCount nodes { ${wholeSelection('Account')} } }`,
  'GET /group/list': `accountGroups(first: 4) { totalCount nodes { ${wholeSelection('AccountGroup')} } }`,
  'GET /oauth/accounts': `accounts(first: 4, surface: LEGACY) { totalCount nodes { ${wholeSelection('Account')} } }`,
  'GET /oauth/groups': `accountGroups(first: 4, surface: LEGACY) { totalCount nodes { ${wholeSelection('AccountGroup')} } }`,
};

const anyOddValue = fc.oneof(
  fc.constantFrom<unknown>(
    MISSING,
    null,
    '',
    'null',
    'Y',
    '0',
    '-1',
    '1e3',
    [],
    {},
    [null],
    [[]],
    [{}],
    { a: null },
    true,
    false,
  ),
  fc.constantFrom<unknown>(
    0,
    -1,
    1,
    2 ** 31,
    2 ** 53,
    1e21,
    0.1,
    10n ** 20n,
    '\u0000',
    '\ud800',
    '__proto__',
    '../x',
    'x'.repeat(10_000),
  ),
  fc.jsonValue({ maxDepth: 3 }),
  anyText(20),
);

/** Every path of a JSON value. */
function pathsIn(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([name, child]) =>
    pathsIn(child, path === '' ? name : `${path}.${name}`),
  );
  return path === '' ? inner : [path, ...inner];
}

// What a caller did wrong, or the server itself: none of it can follow from an answer of the service.
const NOT_THE_SERVICE = [
  'BAD_USER_INPUT',
  'INTERNAL_SERVER_ERROR',
  'INVALID_CURSOR',
  'GRAPHQL_VALIDATION_FAILED',
];

test.each(Object.entries(READS))(
  'no damage anywhere in an answer of %s spoils more than its own list, or is taken for somebody else’s fault',
  async (endpoint, field) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(), anyOddValue), { minLength: 1, maxLength: 3 }),
        async (damages) => {
          graph.sandbox.faults.clear();
          const logged = graph.log.length;
          const change = (answer: unknown): unknown =>
            damages.reduce((changed, [choice, value]) => {
              const paths = pathsIn(changed);
              return paths.length === 0
                ? changed
                : withValue(changed, paths[choice % paths.length] ?? '', value);
            }, answer);
          graph.sandbox.faults.add({
            kind: 'rewrite',
            endpoint: endpoint as EndpointName,
            times: 99,
            change,
          });
          const { data, errors } = await graph.query(`{ ${field} surfaces { surface } }`);
          expect(data.surfaces).toHaveLength(2);
          expect(
            errors
              .map(({ extensions }) => extensions['code'])
              .filter((code) => NOT_THE_SERVICE.includes(String(code))),
          ).toEqual([]);
          expect(graph.log.slice(logged).filter((line) => line.includes('"level":"error"'))).toEqual([]);
        },
      ),
      // Each run reads every field of four records.
      { numRuns: cases(7, 300) },
    );
  },
);

const HALF = 'half \ud83d';
const WHOLE = 'half \ufffd';

test('half a character of the service comes as U+FFFD, in texts, JSON, words and the log, over every transport', async () => {
  const extraData = { [HALF]: [HALF, '\ude00'] };
  const status = (code: number): FaultKind => ({ kind: 'status', status: code, body: { message: HALF } });
  graph.sandbox.faults.add(changingRecord('GET /accounts/list', 'accountUsername', HALF));
  graph.sandbox.faults.add(changingRecord('GET /accounts/view/{loginId}', 'extraData', extraData));
  graph.sandbox.faults.add({ ...status(400), endpoint: 'GET /group/list', times: 9 });
  graph.sandbox.faults.add({ ...status(500), endpoint: 'GET /oauth/groups', times: 9 });
  for (const transport of TRANSPORTS) {
    const run = openTransport(transport, graph.url, graph.caller.both);
    const { data, errors } = await run({
      query: `{ accounts(first: 1) { nodes { displayName extraData } }
        accountGroups { totalCount } legacy: accountGroups(surface: LEGACY) { totalCount } }`,
    });
    const node = { displayName: WHOLE, extraData: { [WHOLE]: [WHOLE, '\ufffd'] } };
    expect(data.accounts.nodes).toEqual([node]);
    expect(errors.map(({ message }) => message)).toContain(
      `The current surface rejected the request. The service says: ${WHOLE}`,
    );
  }
  expect(graph.log.join('')).toContain(WHOLE);
  expect(graph.log.join('')).not.toMatch(/\\ud83d/i);
});
