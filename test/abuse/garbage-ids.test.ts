import { expect, test } from 'vitest';
import { errorsOf, shareGraph } from '../support/graph.ts';

const graph = shareGraph({
  environment: {
    MAX_ALIASES: '1000',
    MAX_SELECTIONS: '1000',
    MAX_TOKENS: '100000',
    MAX_DOCUMENT_BYTES: '100000',
  },
});

const encoded = (text: string): string => Buffer.from(text).toString('base64url');

/** Texts that are no id of this graph at all. */
const NO_IDS = [
  '',
  ' ',
  '１ac',
  'A'.repeat(10_240),
  ` ${encoded('1ac:410201')}`,
  ...'. ../.. 1 410201 -1 1e3 null __proto__ constructor 🙂 Account:410201 1ac:410201'.split(' '),
  ...['=', ' ', '%00', '/..', '?x=1'].map((end) => encoded('1ac:410201') + end),
  ...['', '1ac:', '1ac', '2ac:410201', '1xc:410201', '1ax:410201', '1ca:410201', '1ac 410201'].map(encoded),
  ...['x1ac:410201', '1ac:410201\n', '1ac:410\u0000201', '1ac:\u001b[31m', '1ac:1\r\nx-injected: 1'].map(
    encoded,
  ),
  ...['{"type":"Account","id":1}', '🙂🙂🙂', `1ac:${'9'.repeat(10_240)}`].map(encoded),
];

/** Raw ids within well-formed global ids, which would name another path wherever something in between decodes them. */
const PATH_TRICKS = [
  '410201 ',
  ' 410201',
  '\ufffd',
  '\u202e',
  ...'. .. / \\ 🙂 ../list ../../payment/billing/portalcreate ..%2f..%2fpayment%2fbilling%2fportalcreate'.split(
    ' ',
  ),
  ...'%2e%2e %2e%2e/list %252e%252e %2f %00 //evil.example/x ..\\..\\x ;a=b'.split(' '),
  ...'410201;x=1 410201?x=1 410201#x 410201/../410202 410201&x=1'.split(' '),
];

const look = (field: string, ids: readonly string[]) =>
  graph.query(
    `{ ${ids.map((id, index) => `n${index}: ${field}(id: ${JSON.stringify(id)}) { id }`).join(' ')} }`,
  );

test.each(['node', 'account', 'accountGroup'])(
  '%s refuses every garbage id, and nothing is sent',
  async (field) => {
    const answer = await look(field, NO_IDS);
    expect(errorsOf(answer)).toEqual(NO_IDS.map((_, index) => `n${index} BAD_USER_INPUT`).toSorted());
    for (const { message } of answer.errors) expect(message.length).toBeLessThan(300);
    expect(graph.sandbox.requests.count()).toBe(0);
  },
);

test.each(['1ac:', '1al:', '1gc:', '1gl:'])(
  'an id %s… that holds a path trick sends nothing outside its template',
  async (prefix) => {
    const ids = PATH_TRICKS.map((raw) => encoded(prefix + raw));
    const { data } = await look('node', ids);
    expect(Object.values(data)).toEqual(PATH_TRICKS.map(() => null));
    for (const { endpoint, path } of graph.sandbox.requests.all) {
      expect(endpoint, path).not.toBeNull();
      expect(path).toMatch(/^\/(?:accounts\/list|group\/list|oauth\/accounts|oauth\/groups)$/);
    }
  },
);

test('an account id that holds a path trick, or is a number without its letters, is bad input, and another is read exactly', async () => {
  const ids = [...PATH_TRICKS.map((raw) => encoded(`1ac:${raw}`)), '9007199254740993'];
  expect(errorsOf(await look('node', ids))).toEqual(
    ids.map((_, index) => `n${index} BAD_USER_INPUT`).toSorted(),
  );
  expect(graph.sandbox.requests.count()).toBe(0);
  for (const raw of ['9007199254740993', '17841401234567891', '00410201', '4.10201e5', '0x10', '１']) {
    graph.sandbox.requests.clear();
    await look('node', [encoded(`1ac:${raw}`)]);
    for (const { path } of graph.sandbox.requests.of('GET /accounts/view/{loginId}'))
      expect(decodeURIComponent(path)).toBe(`/accounts/view/${raw}`);
  }
});
