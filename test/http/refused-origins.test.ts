import { expect, test } from 'vitest';
import { RefusedOrigins } from '../../src/http/origins.ts';
import { jsonOf, send } from '../support/raw-http.ts';
import { upgradeAnswer } from '../support/raw-web-socket.ts';
import { startServer } from '../support/server.ts';

// A browser tells its page nothing of a refusal: who looks into the answer or into the log is told what to set.

const APP = 'https://app.example';
const REMEDY = `To allow it, add ${APP} to ALLOWED_ORIGINS.`;

async function preflight(endpoint: string, origin: string): Promise<string> {
  const headers = { origin, 'access-control-request-method': 'POST' };
  const reply = await send(endpoint, { method: 'OPTIONS', headers });
  expect(reply.status).toBe(403);
  return jsonOf(reply).errors[0].message;
}

const warningsIn = (log: readonly string[]): unknown[] =>
  log.map((line): unknown => JSON.parse(line)).filter((line) => (line as { level: string }).level === 'warn');

test('a refused preflight names the origin and the setting, and so does the log, once', async () => {
  const { endpoint, log } = await startServer();
  expect(await preflight(endpoint, APP)).toBe(
    `A page from ${APP} is not allowed to send requests here. ${REMEDY}`,
  );
  await preflight(endpoint, APP);
  expect(warningsIn(log)).toMatchObject([
    { origin: APP, setting: 'ALLOWED_ORIGINS', msg: expect.stringContaining(REMEDY) },
  ]);
  await preflight(endpoint, 'https://other.example');
  expect(warningsIn(log)).toHaveLength(2);
});

test('a refused WebSocket does likewise', async () => {
  const { url, log } = await startServer({ ALLOWED_ORIGINS: 'https://other.example' });
  const answer = await upgradeAnswer(url, { origin: APP });
  expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  expect(answer.split('\r\n\r\n')[1]).toBe(
    `A page from ${APP} is not allowed to open a WebSocket here. ${REMEDY}`,
  );
  await upgradeAnswer(url, { origin: APP });
  expect(warningsIn(log)).toHaveLength(1);
});

test('neither is said once the setting is as the message says', async () => {
  const { endpoint, url, log } = await startServer({ ALLOWED_ORIGINS: APP });
  const headers = { origin: APP, 'access-control-request-method': 'POST' };
  expect((await send(endpoint, { method: 'OPTIONS', headers })).status).toBe(204);
  expect(await upgradeAnswer(url, { origin: APP })).toMatch(/^HTTP\/1\.1 101 /);
  expect(warningsIn(log)).toEqual([]);
});

test('what is no origin of a page on the web is not repeated', async () => {
  const { endpoint, log } = await startServer();
  for (const origin of [
    'null',
    'file://',
    'https://user:secret@app.example',
    `https://${'a'.repeat(300)}.example`,
  ]) {
    const message = await preflight(endpoint, origin);
    expect(message).toContain('A page without an origin');
    expect(message).toContain('ALLOWED_ORIGINS');
    expect(message).not.toContain(origin);
  }
  expect(JSON.stringify(warningsIn(log))).not.toContain('secret');
});

test('made-up origins do not fill the log', () => {
  const lines: unknown[] = [];
  const origins = new RefusedOrigins({ warn: (...line: unknown[]) => void lines.push(line) });
  for (let index = 0; index < 1_000; index += 1)
    origins.refuse(`https://${index}.example`, 'open a WebSocket');
  expect(lines).toHaveLength(101);
});
