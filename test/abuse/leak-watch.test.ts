import { expect, test } from 'vitest';
import { startGraph } from '../support/graph.ts';
import { watchForLeaks } from '../support/leaks.ts';

const FOREIGN = 'planted-elsewhere-token-1-0123456789abcdef0123456789abcdef';

test('what each test’s graph lets out is looked at: secrets in answers, credentials in the log as well', async () => {
  const graph = await startGraph();
  const watch = watchForLeaks(() => graph);
  const {
    planted: [planted = ''],
    apiKeys: [apiKey = ''],
  } = graph.sandbox.secrets;

  watch.answered({ data: { title: FOREIGN, key: apiKey } });
  await watch.look();
  watch.answered({ data: { title: `a title, ${planted}.` } });
  await expect(watch.look()).rejects.toThrow(planted);
  watch.logged(`{"path":"/graphql?x=${planted}"}`);
  await expect(watch.look()).rejects.toThrow(planted);
  watch.logged(`{"key":"${apiKey}"}`);
  await expect(watch.look()).rejects.toThrow(apiKey);
  await watch.look();
});
