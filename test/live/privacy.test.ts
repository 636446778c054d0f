import { describe, expect, test } from 'vitest';
import { resultRecord, SOCKETS, startLive } from '../support/live.ts';

const SECRET = 'sk-live-0123456789abcdef';

describe.each(SOCKETS)('by %s', (way) => {
  test('the API key is in no event and in no line of the log, whatever happens to the socket', async () => {
    const AI_SOCKET_AUTH = way === 'socket.io' ? 'header,auth,query,message' : 'header,query,message';
    const graph = await startLive(way, { environment: { AI_SOCKET_AUTH, LOG_LEVEL: 'debug' } });
    const { sandbox } = graph;
    const { contentId } = await graph.ask();
    const readings = [graph.watch(contentId), graph.follow(), graph.sse.watch(contentId)];
    await Promise.all([readings[0]?.received(1), readings[2]?.received(1), sandbox.push.waitForOpen(1)]);
    sandbox.push.refuse(true);
    sandbox.push.kill();
    await sandbox.push.waitForOpen(0);
    sandbox.push.refuse(false);
    await sandbox.push.waitForOpen(1);
    sandbox.faults.add({ kind: 'status', status: 401, endpoint: 'GET /openai/historyList', times: Infinity });
    for (const reading of readings) await reading.ended();
    const { ownerId } = sandbox.state.owner('harbour');
    sandbox.push.send('harbour', resultRecord(contentId, { ownerId }));
    await graph.close();
    const said = JSON.stringify([graph.log, readings.map(({ events }) => events)]);
    expect(said).toContain('CREDENTIAL_REJECTED');
    expect(said).not.toContain(graph.keyOf());
    // The same look finds what is there.
    expect(said).toContain(contentId);
  });

  test('secrets in a message are in no event, and in no line of the log', async () => {
    const graph = await startLive(way);
    const { contentId } = await graph.ask();
    const reading = graph.watch(contentId);
    await Promise.all([reading.received(1), graph.sandbox.push.waitForOpen(1)]);
    const { ownerId } = graph.sandbox.state.owner('harbour');
    const changes = {
      ownerId,
      accessToken: SECRET,
      aiResponse: 'Say it aloud.',
      tone: { apiKey: SECRET },
    };
    graph.sandbox.push.send('harbour', resultRecord(contentId, changes));
    await reading.ended();
    expect(reading.events[1]?.generation).toMatchObject({ text: 'Say it aloud.', tone: null });
    expect(reading.events[1]?.errors[0]?.extensions).toEqual({
      code: 'UPSTREAM_MALFORMED',
      surface: 'CURRENT',
      retryable: false,
      requestId: expect.any(String),
    });
    expect(JSON.stringify([reading.events, graph.log])).not.toContain(SECRET);
  });
});

test('an error of a subscription bears the id that its line in the log bears', async () => {
  const graph = await startLive('history');
  const readings = [graph.watch('abc'), graph.sse.watch('abc')];
  graph.sandbox.faults.add({
    kind: 'status',
    status: 401,
    endpoint: 'GET /openai/historyList',
    times: Infinity,
  });
  for (const reading of readings) {
    await reading.ended();
    const requestId = String(reading.events.at(-1)?.errors[0]?.extensions['requestId']);
    const lines = graph.log.map((line) => JSON.parse(line) as { requestId?: string; code?: string });
    const codes = lines.filter((line) => line.requestId === requestId).flatMap(({ code }) => code ?? []);
    expect(codes).toEqual(['CREDENTIAL_REJECTED']);
  }
  const ids = readings.map(({ events }) => events.at(-1)?.errors[0]?.extensions['requestId']);
  expect(new Set(ids).size).toBe(2);
});
