import { expect, test } from 'vitest';
import { EXAMPLE_TABS } from '../../src/http/explorer/tabs.ts';
import { keepPicture, leavesOutBrowser } from '../support/browser.ts';
import { startGraph } from '../support/graph.ts';
import { openGraphiql, pressRun, selectTab, untilReady } from '../support/graphiql.ts';

const indexOf = (name: string): number => EXAMPLE_TABS.findIndex(({ query }) => query.includes(` ${name}`));

test.skipIf(leavesOutBrowser())(
  'one window follows the queue while another one adds a post, and time lets posts leave',
  async () => {
    let hours = 0;
    const { url, sandbox } = await startGraph({
      explorer: true,
      environment: { WATCH_INTERVAL: '100ms' },
      sandbox: { now: () => Date.now() + hours * 3_600_000 },
    });
    const { page: following } = await openGraphiql(url);
    const adding = await following.context().newPage();
    const shown = async (): Promise<string> =>
      (await following.locator('.result-window').innerText()).replaceAll('\u00a0', ' ');

    await selectTab(following, indexOf('WatchQueue'));
    await pressRun(following);
    await expect.poll(shown).toContain('"SNAPSHOT"');
    await adding.goto(`${url}/graphql`);
    await untilReady(adding);
    await selectTab(adding, indexOf('Publish'));
    await pressRun(adding);
    await expect.poll(shown).toContain('"ADDED"');
    await expect.poll(shown).toContain('"text": "Hello from GraphQL"');
    await keepPicture(following, 'watching-added');

    const before = sandbox.state.owner('harbour').queue.length;
    while (sandbox.state.owner('harbour').queue.length === before) hours += 1;
    await expect.poll(shown).toContain('"LEFT"');
    await keepPicture(following, 'watching-left');
  },
);
