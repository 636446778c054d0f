import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Socket } from 'node:net';
import { createApp } from './app.ts';
import { createControl } from './control/control.ts';
import { messageOf } from './control/events.ts';
import { createService } from './create-service.ts';
import type { OwnerCredentials } from './data/model.ts';
import type { OAuthApp } from './domain/authorization.ts';
import type { Faults } from './faults/fault.ts';
import { createFaultPlan } from './faults/fault-plan.ts';
import { createGate, handshakeLogger } from './gate.ts';
import { createGenerationHandle, createPushHandle } from './handles/push.ts';
import type { GenerationHandle, PushHandle } from './handles/push.ts';
import { createStateHandle } from './handles/state.ts';
import type { StateHandle } from './handles/state.ts';
import type { SandboxOptions } from './options.ts';
import { attachPush } from './push/push-server.ts';
import { WEB_SOCKET_PATH } from './push/web-socket.ts';
import type { Quirks } from './quirks.ts';
import { createRequestRecorder } from './request-log.ts';
import type { RequestLog } from './request-log.ts';
import type { Secrets } from './secret-book.ts';

export type { SandboxOptions } from './options.ts';

/** A running sandbox. */
export interface Sandbox {
  /** Origin of both surfaces, without a trailing slash. */
  readonly url: string;
  /** Where slow AI results are pushed: `socketIo` is an origin (path /socket.io), `webSocket` a full URL. */
  readonly pushUrls: { readonly socketIo: string; readonly webSocket: string };
  readonly owners: readonly [OwnerCredentials, OwnerCredentials, ...OwnerCredentials[]];
  readonly oauthApp: OAuthApp;
  /** Choices where the interface is silent; assignments take effect at once. */
  readonly quirks: Quirks;
  readonly faults: Faults;
  readonly requests: RequestLog;
  readonly secrets: Secrets;
  readonly state: StateHandle;
  readonly push: PushHandle;
  readonly generations: GenerationHandle;
  /**
   * Makes an event happen, in the form that `POST /sandbox/events` takes.
   *
   * @returns A sentence that says what has happened, or why it cannot.
   */
  makeHappen(event: object): string;
  /** Open TCP connections, including idle ones and push sockets. */
  readonly openConnections: number;
  /** Ends everything immediately: open responses, sockets and timers. */
  close(): Promise<void>;
}

/** Starts the imitation of the service: both surfaces and the push sockets over real HTTP, on one port. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const service = createService(options);
  const plan = createFaultPlan();
  const recorder = createRequestRecorder();
  let url = '';
  const control = createControl({ service, plan, requests: recorder.log, origin: () => url });
  const server = createServer();
  const gate = createGate({ app: createApp(service), service, plan, recorder, control });
  // Longer than any client keeps an idle connection: the race between the two would look like a fault.
  server.keepAliveTimeout = 60_000;
  const sockets = trackSockets(server);
  const parts = { ...service, logHandshake: handshakeLogger(service, recorder) };
  const pushServer = attachPush(server, gate, parts);
  url = await listen(server, options);
  const [first, second, ...others] = service.world.owners;
  let closing: Promise<void> | undefined;
  const end = async () => {
    service.clock.stop();
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await Promise.all([closed, pushServer.close()]);
  };
  return {
    url,
    pushUrls: { socketIo: url, webSocket: `${url.replace('http', 'ws')}${WEB_SOCKET_PATH}` },
    owners: [first.credentials, second.credentials, ...others.map((owner) => owner.credentials)],
    oauthApp: service.authorization.app,
    quirks: service.quirks,
    faults: plan.faults,
    requests: recorder.log,
    secrets: service.book.secrets,
    state: createStateHandle(service),
    push: createPushHandle(service),
    generations: createGenerationHandle(service),
    makeHappen: (event) => messageOf(event, { service, plan }),
    get openConnections() {
      return sockets.size;
    },
    close() {
      closing ??= end();
      return closing;
    },
  };
}

function trackSockets(server: Server): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

async function listen(server: Server, { port = 0, host = '127.0.0.1' }: SandboxOptions): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the sandbox listens on no port');
  return `http://${isIPv6(host) ? `[${host}]` : host}:${address.port}`;
}
