import { expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();

const encoded = (text: string): string => Buffer.from(text).toString('base64url');

/** Texts that are no id of this graph at all. */
const NO_IDS = [
  '',
  ' ',
  '.',
  '..',
  '../..',
  '1',
  '410201',
  '-1',
  '1e3',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  'Account:410201',
  '1ac:410201',
  `${encoded('1ac:410201')}=`,
  `${encoded('1ac:410201')} `,
  ` ${encoded('1ac:410201')}`,
  `${encoded('1ac:410201')}%00`,
  `${encoded('1ac:410201')}/..`,
  `${encoded('1ac:410201')}?x=1`,
  encoded(''),
  encoded('1ac:'),
  encoded('1ac'),
  encoded('2ac:410201'),
  encoded('1xc:410201'),
  encoded('1ax:410201'),
  encoded('1ca:410201'),
  encoded('1ac 410201'),
  encoded('x1ac:410201'),
  encoded('1ac:410201\n'),
  encoded('1ac:410\u0000201'),
  encoded('1ac:\u001b[31m'),
  encoded('1ac:1\r\nx-injected: 1'),
  encoded('{"type":"Account","id":1}'),
  encoded('🙂🙂🙂'),
  '🙂',
  '１ac',
  'A'.repeat(10_240),
  encoded(`1ac:${'9'.repeat(10_240)}`),
];

/** Raw ids within well-formed global ids, which would name another path wherever something in between decodes them. */
const PATH_TRICKS = [
  '.',
  '..',
  '../list',
  '../../payment/billing/portalcreate',
  '..%2f..%2fpayment%2fbilling%2fportalcreate',
  '%2e%2e',
  '%2e%2e/list',
  '%252e%252e',
  '%2f',
  '%00',
  '/',
  '//evil.example/x',
  '\\',
  '..\\..\\x',
  ';a=b',
  '410201;x=1',
  '410201?x=1',
  '410201#x',
  '410201/../410202',
  '410201 ',
  ' 410201',
  '410201&x=1',
  '🙂',
  '\ufffd',
  '\u202e',
];

test.each(['node', 'account', 'accountGroup'])(
  '%s refuses every garbage id, and nothing is sent',
  async (field) => {
    for (const id of NO_IDS) {
      const answer = await graph.query(`query ($id: ID!) { ${field}(id: $id) { id } }`, {
        variables: { id },
      });
      expect(errorsOf(answer), JSON.stringify(id.slice(0, 40))).toEqual([`${field} BAD_USER_INPUT`]);
      expect(answer.data).toEqual({ [field]: null });
      expect(answer.errors[0]?.message.length).toBeLessThan(300);
    }
    expect(graph.sandbox.requests.count()).toBe(0);
  },
);

test('nodes refuses garbage ids slot by slot', async () => {
  const answer = await graph.query('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
    variables: { ids: NO_IDS },
  });
  expect(answer.data.nodes).toEqual(NO_IDS.map(() => null));
  expect(
    answer.errors.map(({ path }) => path?.[1]).toSorted((one, other) => Number(one) - Number(other)),
  ).toEqual([...NO_IDS.keys()]);
  expect(graph.sandbox.requests.count()).toBe(0);
});

test.each(['1ac:', '1al:', '1gc:', '1gl:'])(
  'an id %s… that holds a path trick sends nothing outside its template',
  async (prefix) => {
    for (const raw of PATH_TRICKS) {
      const { data } = await graph.query('query ($id: ID!) { node(id: $id) { id } }', {
        variables: { id: encoded(prefix + raw) },
      });
      expect(data.node).toBeNull();
    }
    for (const { endpoint, path } of graph.sandbox.requests.all) {
      expect(endpoint, path).not.toBeNull();
      expect(path).toMatch(
        /^\/(?:accounts\/list|accounts\/view\/[^/]+|group\/list|oauth\/accounts|oauth\/groups)$/,
      );
      expect(decodeURIComponent(path.split('/')[3] ?? 'x')).not.toMatch(/^\.{0,2}$/);
    }
  },
);

test('an account id that holds a path trick is bad input, and nothing is sent', async () => {
  for (const raw of PATH_TRICKS) {
    const answer = await graph.query('query ($id: ID!) { node(id: $id) { id } }', {
      variables: { id: encoded(`1ac:${raw}`) },
    });
    expect(graph.sandbox.requests.all.map(({ path }) => path)).toEqual([]);
    expect(errorsOf(answer), raw).toEqual(['node BAD_USER_INPUT']);
  }
});

test('numbers for ids are taken as their digits, exactly', async () => {
  const answer = await graph.query('{ node(id: 9007199254740993) { id } }');
  expect(errorsOf(answer)).toEqual(['node BAD_USER_INPUT']);
  expect(graph.sandbox.requests.count()).toBe(0);
});

test('an id is read exactly or not at all', async () => {
  for (const raw of ['9007199254740993', '17841401234567891', '00410201', '4.10201e5', '0x10', '１']) {
    graph.sandbox.requests.clear();
    await graph.query('query ($id: ID!) { node(id: $id) { id } }', {
      variables: { id: encoded(`1ac:${raw}`) },
    });
    for (const { path } of graph.sandbox.requests.of('GET /accounts/view/{loginId}')) {
      expect(decodeURIComponent(path)).toBe(`/accounts/view/${raw}`);
    }
  }
});
