import { expect, test } from 'vitest';
import { postCalls } from '../conformance/interface-post-fields.ts';
import { errorsOf } from '../support/answers.ts';
import { record, whenPresent, withoutValues } from '../support/readings.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingRecord, MISSING } from '../support/wire-changes.ts';
import { expectWrongValuesToSpoil, shownFields, showsThrough } from '../support/wrong-fields.ts';

const graph = shareGraph();
const queue = postCalls['GET /posts/queued'];

/** The fields without which there is no record at all. */
const KEYS = ['postId', 'loginId'];
const fields = shownFields(queue).filter(([wire]) => !KEYS.includes(wire));

test.each(fields)('a queued post whose %s is wrong loses what that shows alone', async (wire, shows) => {
  await expectWrongValuesToSpoil(graph, queue, wire, shows);
});

/** A map of mentions: each entry that is an object becomes a mention, whatever stands in it. */
const mentions = whenPresent(
  (value, before) => {
    if (Array.isArray(value)) return value.length === 0 ? { value: null } : 'malformed';
    if (typeof value !== 'object' || value === null) return 'malformed';
    const [mention] = Object.values(before as object);
    const keys = Object.keys(value);
    const shown = keys.map((key) => [key, { ...(withoutValues(mention) as object), key }]);
    return { value: keys.length === 0 ? [] : Object.fromEntries(shown) };
  },
  (value) => value,
);

const HOLDERS = [
  ['extraData', holderOfExtraData()],
  ['extraData.place', { place: record }],
  ['extraData.fbAudianceTargeting', { facebookAudience: record }],
  ['extraData.mention', { mentions }],
] as const;

function holderOfExtraData() {
  const inner = Object.keys(showsThrough(queue.fields, 'extraData'));
  const [through] = Object.values(showsThrough(queue.fields, 'extraData'));
  if (!through) throw new Error('extraData shows nothing');
  return Object.fromEntries(inner.map((path) => [path.split('.')[0] ?? '', through]));
}

test.each(HOLDERS)(
  'a queued post whose %s is no object, or an empty one, loses what lies in it alone',
  async (wire, shows) => {
    await expectWrongValuesToSpoil(graph, queue, wire, shows);
  },
);

test.each([MISSING, null, '', [], {}, 1e21, true])(
  'a queued post whose own id is %o is null, and the others stand',
  async (value) => {
    graph.sandbox.faults.add(changingRecord('GET /posts/queued', 'postId', value, 1));
    const answer = await graph.query(
      '{ queuedPosts(first: 3) { totalCount nodes { title } edges { cursor node { title } } } }',
    );
    const [first, , third] = graph.sandbox.state
      .owner('harbour')
      .queue.map(({ content }) => ({ title: content.title || null }));
    expect(errorsOf(answer)).toEqual([
      'queuedPosts.edges.1.node UPSTREAM_MALFORMED',
      'queuedPosts.nodes.1 UPSTREAM_MALFORMED',
    ]);
    expect(answer.data.queuedPosts.totalCount).toBe(25);
    expect(answer.data.queuedPosts.nodes).toEqual([first, null, third]);
    expect(answer.data.queuedPosts.edges.map(({ node }: { node: unknown }) => node)).toEqual([
      first,
      null,
      third,
    ]);
  },
);

test.each([MISSING, null, '', [], {}, 1e21, true])(
  'a queued post whose account’s id is %o has no account, and stands',
  async (value) => {
    graph.sandbox.faults.add(changingRecord('GET /posts/queued', 'loginId', value, 1));
    const answer = await graph.query('{ queuedPosts(first: 3) { nodes { postId account { loginId } } } }');
    expect(errorsOf(answer)).toEqual(['queuedPosts.nodes.1.account UPSTREAM_MALFORMED']);
    expect(answer.data.queuedPosts.nodes).toEqual(
      graph.sandbox.state
        .owner('harbour')
        .queue.slice(0, 3)
        .map(({ postId, account }, index) => ({
          postId,
          account: index === 1 ? null : { loginId: String(account.loginId) },
        })),
    );
  },
);

test.each([[null], [[]], [{}], ['text'], [7]])(
  'a row that is %o is null, and the others stand',
  async (row) => {
    graph.sandbox.faults.add({
      kind: 'rewrite',
      endpoint: 'GET /posts/queued',
      change: (answer) => {
        const { response } = answer as { response: { list: unknown[] } };
        response.list[0] = row;
        return answer;
      },
    });
    const answer = await graph.query('{ queuedPosts(first: 3) { nodes { title postDateLabel } } }');
    expect(errorsOf(answer)).toEqual(['queuedPosts.nodes.0 UPSTREAM_MALFORMED']);
    expect(answer.data.queuedPosts.nodes.filter((node: unknown) => node === null)).toHaveLength(1);
  },
);
