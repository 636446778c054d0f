import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createProxy, type IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { shareBuiltServer } from '../support/built-server.ts';
import { jsonOf, postJson } from '../support/http.ts';
import { isInstalled } from '../support/programs.ts';
import { documentOf, EXAMPLES, type Input } from '../support/writes.ts';

// The certificates are made for the test, by an authority that the server process is told to trust.

const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
const at = (name: string): string => join(folder, name);
/** Runs openssl with arguments that are separated by blanks. */
const openssl = (args: string): void =>
  void execFileSync('openssl', args.split(' '), { cwd: folder, stdio: 'ignore' });

const NEW_KEY = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';

/** Makes a certificate of the authority, for an address, valid for so many days from now on. */
function certify(name: string, address: string, days: number): void {
  openssl(`req ${NEW_KEY} -keyout ${name}.key -out ${name}.csr -subj /CN=${name}`);
  writeFileSync(at(`${name}.ext`), `subjectAltName=${address}\n`);
  const authority = `-CA ca.pem -CAkey ca.key -CAcreateserial -extfile ${name}.ext`;
  openssl(`x509 -req -in ${name}.csr -out ${name}.pem ${authority} -days ${days}`);
}

const canCertify = isInstalled('openssl');

beforeAll(async () => {
  if (!canCertify) return;
  openssl(`req -x509 ${NEW_KEY} -keyout ca.key -out ca.pem -subj /CN=authority -days 2`);
  const self = '-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1';
  openssl(`req -x509 ${NEW_KEY} -keyout self-signed.key -out self-signed.pem ${self} -days 2`);
  certify('valid', 'IP:127.0.0.1', 2);
  certify('expired', 'IP:127.0.0.1', -1);
  certify('wrong-host', 'DNS:other.example', 2);
  certify('of-a-name', 'DNS:service.example', 2);
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
});

const requests: string[] = [];

/** A service that answers any list with an empty one; its certificate is another one in each test. */
const service = createServer((request, response) => {
  requests.push(`${request.method} ${request.url}`);
  // Each request has a handshake of its own.
  response.setHeader('connection', 'close');
  response.end('{"message":"ok","response":{"currentPage":1,"pageLimit":1,"totalRecords":0,"list":[]}}');
});

type Handshake = (socket: Socket) => void;

const passOn: Handshake = (socket) => {
  const { port } = service.address() as AddressInfo;
  const onward = connect(port, '127.0.0.1').on('error', () => socket.destroy());
  socket.pipe(onward).pipe(socket);
};

/** Waits for the first message. */
const answering =
  (answer: Handshake): Handshake =>
  (socket) =>
    void socket.once('data', () => answer(socket));

let handshake = passOn;

/** In front of the service, for tests in which the handshake fails. */
const front = createTcpServer((socket) => {
  socket.on('error', () => undefined);
  handshake(socket);
});
afterAll(() => {
  service.closeAllConnections();
  service.close();
  front.close();
});

const running = shareBuiltServer(async () => {
  await once(service.listen(0, '127.0.0.1'), 'listening');
  await once(front.listen(0, '127.0.0.1'), 'listening');
  return {
    CURRENT_API_URL: `https://127.0.0.1:${(front.address() as AddressInfo).port}`,
    NODE_EXTRA_CA_CERTS: at('ca.pem'),
    READ_ATTEMPTS: '3',
    BREAKER_MIN_CALLS: '1000000',
  };
});

const HEADERS = { 'x-api-key': 'the-key' };

/** What came of a read and of a write while the service has a certificate: the code of its error, or `done`. */
async function outcomesWith(
  certificate: string,
  input: Input = {},
  { url } = running(),
): Promise<readonly [read: string, write: string]> {
  const [key, cert] = ['key', 'pem'].map((kind) => readFileSync(at(`${certificate}.${kind}`)));
  service.setSecureContext({ key, cert });
  const list = { query: '{ accounts(surface: CURRENT) { totalCount } }' };
  const read = jsonOf(await postJson(`${url}/graphql`, list, HEADERS));
  const variables = { input: { ...EXAMPLES.createDraft, ...input } };
  const draft = { query: documentOf('createDraft'), variables };
  const { data } = jsonOf(await postJson(`${url}/graphql`, draft, HEADERS));
  const { outcome, userErrors } = data.createDraft;
  return [read.errors?.[0].extensions.code ?? 'done', `${outcome} ${userErrors[0]?.code ?? ''}`.trim()];
}

const REFUSED = ['SURFACE_UNAVAILABLE', 'REJECTED SURFACE_UNAVAILABLE'];
const BOTH = ['GET /accounts/list?page=1&limit=20', 'POST /draft/create'];

describe.skipIf(!canCertify)('a service whose certificate is', () => {
  test('expired, self-signed or for another host gets no request, and one whose certificate is valid gets both', async () => {
    for (const name of ['expired', 'self-signed', 'wrong-host'])
      expect([name, ...(await outcomesWith(name))]).toEqual([name, ...REFUSED]);
    expect(requests).toEqual([]);
    expect((await outcomesWith('valid'))[0]).toBe('done');
    expect(requests.splice(0)).toEqual(BOTH);
  });

  const HANDSHAKES: Readonly<Record<string, Handshake>> = {
    'is reset at once': (socket) => void socket.resetAndDestroy(),
    'is reset after its first message': answering((socket) => void socket.resetAndDestroy()),
    'is closed after its first message': answering((socket) => void socket.end()),
    'is refused with an alert': answering((socket) => void socket.end(Buffer.from('15030300020228', 'hex'))),
    'is answered in plain HTTP': answering((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    'is reset amid the answer of the service': (socket) => {
      const { port } = service.address() as AddressInfo;
      const onward = connect(port, '127.0.0.1').on('error', () => undefined);
      socket.pipe(onward);
      onward.once('data', (answer: Buffer) => {
        socket.write(answer.subarray(0, 40), () => socket.resetAndDestroy());
        onward.destroy();
      });
    },
  };
  test.each(Object.entries(HANDSHAKES))(
    'valid, but whose handshake %s, gets no write, and its key is not used',
    async (name, failing) => {
      const input = { idempotencyKey: name.replaceAll(' ', '-') };
      handshake = failing;
      const [, outcome] = await outcomesWith('valid', input);
      handshake = passOn;
      expect(outcome).toBe('REJECTED SURFACE_UNAVAILABLE');
      expect(requests.splice(0)).not.toContain('POST /draft/create');
      await outcomesWith('valid', input);
      expect(requests.splice(0)).toContain('POST /draft/create');
    },
  );
});

type Tunnel = (client: Duplex) => void;

/** Connects to the service, whatever name the proxy is asked for. */
const tunnelOpen: Tunnel = (client) => {
  const { port } = service.address() as AddressInfo;
  const far = connect(port, '127.0.0.1', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    client.pipe(far).pipe(client);
  });
  far.on('error', () => client.destroy());
};

let tunnel = tunnelOpen;
const asked: (readonly [target: string | undefined, credentials: string | undefined])[] = [];
const proxy = createProxy().on('connect', ({ url, headers }: IncomingMessage, client: Duplex) => {
  asked.push([url, headers['proxy-authorization']]);
  client.on('error', () => undefined);
  tunnel(client);
});
afterAll(() => {
  proxy.closeAllConnections();
  proxy.close();
});

describe.skipIf(!canCertify)('a service behind a proxy', () => {
  const behind = shareBuiltServer(async () => {
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    return {
      CURRENT_API_URL: 'https://service.example',
      HTTPS_PROXY: `http://me:p%40ss@127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      NODE_EXTRA_CA_CERTS: at('ca.pem'),
      READ_ATTEMPTS: '3',
      BREAKER_MIN_CALLS: '1000000',
    };
  });
  beforeEach(() => {
    for (const list of [asked, requests]) list.length = 0;
  });

  test.each<[string, Tunnel]>([
    ['refuses', (client) => void client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')],
    ['sends an error page', (client) => void client.end('HTTP/1.1 502 Bad Gateway\r\n\r\nno\r\n')],
    ['closes the connection', (client) => void client.end()],
    ['resets the connection', (client) => void client.destroy(new Error('planted'))],
    ['answers what is no HTTP', (client) => void client.end('SSH-2.0\r\n\r\n')],
  ])(
    'gets nothing when the proxy %s, which is asked no more often than for each attempt',
    async (_what, how) => {
      tunnel = how;
      expect(await outcomesWith('of-a-name', {}, behind())).toEqual(REFUSED);
      expect(requests).toEqual([]);
      // Three attempts of the read and two of the write, unless too many were made within the second.
      expect(asked.length).toBeLessThanOrEqual(5);
    },
  );

  // The last of them: a tunnel is left over from it.
  test('is called through a tunnel, in which its certificate is checked', async () => {
    tunnel = tunnelOpen;
    expect(await outcomesWith('wrong-host', {}, behind())).toEqual(REFUSED);
    expect(requests).toEqual([]);
    expect((await outcomesWith('of-a-name', {}, behind()))[0]).toBe('done');
    expect(requests).toEqual(BOTH);
    const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    for (const one of asked) expect(one).toEqual(['service.example:443', basic]);
  });
});
