import { expect, test } from 'vitest';
import { planCalls } from '../conformance/interface-plan-fields.ts';
import { errorsOf } from '../support/answers.ts';
import { isAbsent, record, type Reading } from '../support/readings.ts';
import { shareGraph } from '../support/shared-graph.ts';
import { changingRecord, MISSING } from '../support/wire-changes.ts';
import { expectWrongValuesToSpoil, shownFields } from '../support/wrong-fields.ts';

const graph = shareGraph();
const history = planCalls['GET /openai/historyList'];
const fields = shownFields(history).filter(([wire]) => wire !== 'contentId');

test.each(fields)(
  'a record of the AI history whose %s is wrong loses that field alone',
  async (wire, shows) => {
    await expectWrongValuesToSpoil(graph, history, wire, shows);
  },
);

test('a record of the AI history whose aiToken is no object, or an empty one, loses its usage alone', async () => {
  await expectWrongValuesToSpoil(graph, history, 'aiToken', { tokenUsage: record });
});

// What the text's own field does not tell is no reason to take it for unfinished.
const status: Reading = {
  of: (value) => ({ value: isAbsent(value) ? 'PENDING' : 'COMPLETE' }),
  other: (value) => value,
};

test('only a text that is not there makes a record of the history pending', async () => {
  const statusAlone = { ...history, fields: { aiResponse: { status } } };
  await expectWrongValuesToSpoil(graph, statusAlone, 'aiResponse', { status });
});

test.each([MISSING, null, '', [], {}, 1e21, true])(
  'a record whose contentId is %o is null, and the others stand',
  async (value) => {
    graph.sandbox.faults.add(changingRecord('GET /openai/historyList', 'contentId', value, 1));
    const answer = await graph.query('{ aiGenerations(first: 3) { totalCount nodes { prompt } } }');
    const newestFirst = graph.sandbox.state.owner('harbour').history.toReversed();
    expect(errorsOf(answer)).toEqual(['aiGenerations.nodes.1 UPSTREAM_MALFORMED']);
    expect(answer.data.aiGenerations).toEqual({
      totalCount: 12,
      nodes: newestFirst
        .slice(0, 3)
        .map(({ userInput }, index) => (index === 1 ? null : { prompt: userInput })),
    });
  },
);
