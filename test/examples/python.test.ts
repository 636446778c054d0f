import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { startGraph } from '../support/graph.ts';
import { isInstalled } from '../support/programs.ts';
import { ENDLESSLY_SLOW, finishTextsOnceFollowed } from '../support/slow-texts.ts';
import { openLossyWay, runExample } from './programs.ts';
import { clientBlocks, runSnippet } from './snippets.ts';

const FILE = 'python/publish.py';
const CALL = 'POST /posts/create';

describe.runIf(isInstalled('python'))('Python with httpx and websockets', () => {
  test('publishes once for a key, although an answer is lost, and follows a text to its end', async () => {
    const graph = await startGraph({ explorer: true, sandbox: ENDLESSLY_SLOW });
    let losses = 0;
    const way = await openLossyWay(graph.url, ({ answer }) => {
      if (losses > 0 || !answer.includes('"createPost"')) return 'passes';
      losses += 1;
      return 'lost before';
    });
    const args = ['Doors at seven.', 'order-7', 'Fog, slowly'];
    const running = runExample(FILE, way.url, { args });
    await finishTextsOnceFollowed(graph.sandbox);
    const { status, stdout, stderr } = await running;
    expect(stderr).toBe('Attempt 1 failed; the same call is sent again, with the same key.\n');
    expect([status, losses, graph.sandbox.requests.count(CALL)]).toEqual([0, 1, 1]);
    expect(stdout).toMatch(
      /^12 accounts; the first is Kelpgate Roasters\.\n.*"COMPLETED".*"replayed": true.*"PENDING".*"COMPLETE", "text": ".*Fog, slowly"/s,
    );
  });

  test.each([
    ['is looked for in the queue', 'done', 'It waits in the queue as'],
    ['is not there', 'none', 'does not show it'],
  ] as const)(
    'looks for a post that was not confirmed, which %s, and sends nothing again',
    async (_, effect, said) => {
      const graph = await startGraph();
      graph.sandbox.faults.add({ kind: 'reset-before-headers', endpoint: CALL, effect });
      const { status, stdout } = await runExample(FILE, graph.url, { args: ['Doors at seven.'] });
      expect(status).toBe(1);
      expect(stdout).toMatch(/"UNKNOWN".*OUTCOME_UNKNOWN/s);
      expect(stdout).toContain(said);
      expect(graph.sandbox.requests.count(CALL)).toBe(1);
    },
  );

  test('fails with the message and the code of an error', async () => {
    const graph = await startGraph();
    const environment = { SERVICE_API_KEY: 'wrong-key' };
    const { status, stderr } = await runExample(FILE, graph.url, { environment });
    expect(status).toBe(1);
    expect(stderr).toContain('(CREDENTIAL_REJECTED)');
  });

  test('queries with httpx as the page shows it, which waits for five seconds unless told otherwise', async () => {
    const graph = await startGraph();
    const [query] = clientBlocks('Python', 'python');
    const more = `${query}\nprint(httpx.Client().timeout)\n`;
    const { status, stdout, stderr } = await runSnippet(graph, more, 'program.py');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^MWFjOjQxMDIwMQ Kelpgate Roasters\n.+\nTimeout\(timeout=5\.0\)\n$/);
  });

  test('httpx waits in vain for the end of a subscription', async () => {
    const graph = await startGraph();
    const [query] = clientBlocks('Python', 'python');
    const follow = query
      .replace(/QUERY = .*/, 'QUERY = "subscription { aiGenerationFinished { status } }"')
      .replace('timeout=40', 'timeout=1');
    const { status, stderr } = await runSnippet(graph, follow, 'program.py');
    expect(status).toBe(1);
    expect(stderr).toContain('ReadTimeout');
  });

  test('answers a ping of the server with a pong, as the page shows it', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => server.close());
    const received: string[] = [];
    const replies: Record<string, object> = {
      connection_init: { type: 'connection_ack' },
      subscribe: { type: 'ping' },
      pong: { id: '1', type: 'next', payload: { data: { aiGenerationFinished: { status: 'COMPLETE' } } } },
    };
    server.on('connection', (socket) =>
      socket.on('message', (data: Buffer) => {
        const { type } = JSON.parse(data.toString()) as { readonly type: string };
        received.push(type);
        socket.send(JSON.stringify(replies[type]));
      }),
    );
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const [, follow = ''] = clientBlocks('Python', 'python');
    const { status, stdout } = await runSnippet({ url }, follow, 'program.py');
    expect({ status, stdout }).toEqual({ status: 0, stdout: "{'status': 'COMPLETE'}\n" });
    expect(received).toEqual(['connection_init', 'subscribe', 'pong']);
  });

  test('subscribes with websockets as the page shows it', async () => {
    const graph = await startGraph({ explorer: true, sandbox: ENDLESSLY_SLOW });
    const [, follow = ''] = clientBlocks('Python', 'python');
    const running = runSnippet(graph, follow, 'program.py');
    const opened = async () => await (await fetch(`${graph.url}/metrics`)).text();
    await expect.poll(opened).toMatch(/^graphql_subscriptions_open 1$/m);
    await graph.query(
      'mutation { generateAiText(input: { prompt: "Fog", tone: "warm" }) { aiGeneration { status } } }',
      { headers: graph.caller.key },
    );
    const { status, stdout } = await running;
    expect(status).toBe(0);
    expect(stdout).toMatch(/'status': 'COMPLETE', 'text': '.*Fog'/);
  });
});
