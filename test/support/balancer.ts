import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';
import { isInstalled } from './programs.ts';
import { send } from './raw-http.ts';

/** False where tests behind a balancer are left out. */
export const isBalancerHere = isInstalled('haproxy');

/** Starts haproxy before some servers, whose readiness it asks for, and gives its address; it ends with the test. */
export async function startBalancer(urls: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'balancer-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, configuration(port, urls));
  const balancer = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  onTestFinished(() => void balancer.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  const isThere = async () =>
    await send(`${url}/health`).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(isThere).toBe(200);
  return url;
}

// Nothing is sent again: a request that fails is to be seen.
function configuration(port: number, urls: readonly string[]): string {
  const servers = urls.map(
    (url, index) => `server s${index} ${new URL(url).host} check inter 100ms fall 2 rise 1`,
  );
  return `
defaults
  mode http
  timeout connect 30s
  timeout client 60s
  timeout server 60s
  timeout check 10s
  retries 0
frontend in
  bind 127.0.0.1:${port}
  default_backend graph
backend graph
  balance roundrobin
  option httpchk GET /ready
  ${servers.join('\n  ')}
`;
}
