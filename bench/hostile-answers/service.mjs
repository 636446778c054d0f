// A service on loopback that passes calls on to the sandbox, but for one endpoint, whose answers it makes up.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';

const ENDPOINTS = [
  'GET /accounts/list',
  'GET /accounts/view/{loginId}',
  'GET /group/list',
  'GET /posts/queued',
  'GET /library/list',
  'GET /library/view/{contentid}',
  'GET /openai/historyList',
  'GET /membership/plan/list',
  'GET /payment/billing/portalcreate',
  'GET /oauth/accounts',
  'GET /oauth/account/status/:id',
  'GET /oauth/account/delete/:id',
  'GET /oauth/groups',
  'GET /oauth/group/delete/:id',
  'POST /oauth/accesstoken',
  'POST /oauth/post/update',
  'POST /oauth/post/updatewithimage',
  'POST /posts/create',
  'POST /draft/create',
  'POST /library/create',
  'POST /openai/response',
].map((name) => ({ name, pattern: new RegExp(`^${name.replaceAll(/:\w+|\{\w+\}/g, '[^/]+')}/?$`) }));

/** Starts the service; `lie` sets what it makes up from now on, and `real` has the sandbox's last answers. */
export async function startLyingService(sandboxUrl) {
  const real = new Map();
  const state = { lie: null, told: 0, called: new Set() };
  const server = createServer((incoming, outgoing) => {
    const name = endpointOf(incoming);
    state.called.add(name);
    const isLie = state.lie?.endpoint === name;
    const answering = isLie ? tell(outgoing, state) : pass(incoming, outgoing, { sandboxUrl, name, real });
    // The server may hang up on an answer that is too large or too slow.
    answering.catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    real,
    lie: (lie) => Object.assign(state, { lie, told: 0, called: new Set() }),
    told: () => state.told,
    wasCalled: (name) => state.called.has(name),
  };
}

function endpointOf({ method, url }) {
  const line = `${method} ${url.split('?')[0]}`;
  return ENDPOINTS.find(({ pattern }) => pattern.test(line))?.name ?? line;
}

async function tell(outgoing, state) {
  const { status, body, chunks } = state.lie;
  state.told += 1;
  outgoing.writeHead(status, { 'content-type': 'application/json' });
  if (chunks === null) return outgoing.end(body);
  const size = Math.ceil(body.length / chunks.count);
  for (let at = 0; at < body.length && !outgoing.destroyed; at += size) {
    outgoing.write(body.subarray(at, at + size));
    await after(chunks.pauseMs);
  }
  return outgoing.end();
}

async function pass(incoming, outgoing, { sandboxUrl, name, real }) {
  const { method, url, headers } = incoming;
  const sent = request(`${sandboxUrl}${url}`, { method, headers });
  incoming.pipe(sent);
  const [answer] = await once(sent, 'response');
  const body = Buffer.concat(await answer.toArray());
  if (answer.statusCode < 300) real.set(name, body.toString());
  outgoing.writeHead(answer.statusCode, answer.headers);
  outgoing.end(body);
}
