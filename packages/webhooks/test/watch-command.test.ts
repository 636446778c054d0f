import { createHmac } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer, type IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { openOutboxStore, watch, type WatchOptions } from '../../../src/cli/watch.ts';
import type { Sandbox } from '../../sandbox/src/sandbox.ts';
import { clientOf, newPosts } from '../../sandbox/test/running-sandbox.ts';
import { listen } from '../../../test/support/attack-page.ts';
import { spawnBuiltServer, type RunningProcess } from '../../../test/support/built-server.ts';
import {
  currentOf,
  failed,
  runInPlace,
  startInPlace,
  type RunningCommand,
} from '../../../test/support/command.ts';
import { cases } from '../../../test/support/depth.ts';
import { eachCase } from '../../../test/support/cases.ts';
import { temporaryFolder } from '../../../test/support/files.ts';
import { sandboxForTest } from '../../../test/support/sandbox.ts';

const SECRET_BYTES = Buffer.alloc(32, 'of the tests only');
const SECRET = `whsec_${SECRET_BYTES.toString('base64')}`;

interface Received {
  readonly id: string;
  readonly type: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test asserts on any shape
  readonly data: any;
}

/** A receiver that verifies what it is sent, and may refuse it. */
async function startReceiver(answer: (count: number) => number = () => 204) {
  const received: Received[] = [];
  const refused: Received[] = [];
  let count = 0;
  const server = createServer((request, response) => {
    void answerTo(request).then((status) => response.writeHead(status).end());
  });
  const answerTo = async (request: IncomingMessage): Promise<number> => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    const headers = request.headers as Record<string, string>;
    const event = new Webhook(SECRET).verify(body, headers) as Received;
    // As a receiver in any language does, without the library that has signed it.
    const { 'webhook-id': id = '', 'webhook-timestamp': sentAt } = headers;
    const signed = createHmac('sha256', SECRET_BYTES).update(`${id}.${sentAt}.${body}`).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signed}`);
    const status = answer((count += 1));
    (status < 300 ? received : refused).push({ ...event, id });
    return status;
  };
  return { url: `${await listen(server)}/hook`, received, refused };
}

async function startWatched() {
  const sandbox = await sandboxForTest();
  const owner = sandbox.state.owner('harbour');
  owner.queueLimit = 10_000;
  const folder = await temporaryFolder();
  const environment = {
    ...currentOf(sandbox),
    // As in the image: it serves nobody, so no CLIENT_TOKENS are asked for.
    HOST: '0.0.0.0',
    WEBHOOK_SECRET: SECRET,
    DATA_DIR: folder,
    WATCH_INTERVAL: '100ms',
    LOG_LEVEL: 'warn',
  };
  return {
    sandbox,
    owner,
    folder,
    environment,
    start: (options: WatchOptions): RunningCommand => startInPlace(() => watch(options), environment),
    spawn: (...args: readonly string[]): RunningProcess =>
      spawnBuiltServer(environment, { args: ['watch', ...args] }),
    readings: () => sandbox.requests.count('GET /posts/queued'),
  };
}

const watchFails = (options: WatchOptions, environment: Record<string, string>, ...words: string[]) =>
  failed(
    runInPlace(() => watch(options), environment),
    ...words,
  );

/** Adds a post to the queue of the first owner; gives its id. */
async function addPost(sandbox: Sandbox, postDesc: string): Promise<string> {
  const posts = [{ type: 'original', postDesc, instagramPostType: 'post' }];
  const reply = await clientOf(sandbox).post('/posts/create', newPosts({ posts }));
  return String(reply.at('response.postIds.0'));
}

test('a change is delivered, signed; one that is refused is delivered later, those of the same post in their order', async () => {
  const { sandbox, owner, start, readings } = await startWatched();
  const { url, received, refused } = await startReceiver((count) => (count <= 2 ? 500 : 204));
  const running = start({ webhook: url });
  await expect.poll(readings).toBeGreaterThan(0);
  const postId = await addPost(sandbox, 'The ferry is late.');
  await expect.poll(() => refused.length).toBeGreaterThan(0);
  Object.assign(owner.queue.find((post) => post.postId === postId) ?? {}, { errorMsg: 'Oops' });
  const told = () => received.filter(({ data }) => data.queuedPost?.postId === postId);
  await expect.poll(() => told().length).toBe(2);
  expect(told()).toMatchObject([
    { type: 'queue.added', data: { queuedPost: { text: 'The ferry is late.' } } },
    { type: 'queue.changed', data: { changedFields: ['failureText'], queuedPost: { failureText: 'Oops' } } },
  ]);
  expect(new Set([...refused, ...told()].map(({ id }) => id)).size).toBe(2);
  expect(await running.end('SIGTERM')).toBe(0);
});

test('killed again and again, it tells every change at least once, and keeps nothing in the clear', async () => {
  const { sandbox, folder, spawn, readings } = await startWatched();
  const { url, received, refused } = await startReceiver((count) => (count % 3 === 0 ? 503 : 204));
  const told = (): unknown[] =>
    received.filter(({ type }) => type === 'queue.added').map(({ data }) => data.queuedPost.postId as string);
  let running = spawn('--webhook', url);
  await expect.poll(readings).toBeGreaterThan(1);
  // What waits at the first start of all is not told; once something is, that is recorded.
  await expect.poll(async () => (await addPost(sandbox, 'Secretly first'), told().length)).toBeGreaterThan(0);
  const added: string[] = [];
  for (let round = 0; round < cases(2, 100); round += 1) {
    added.push(await addPost(sandbox, `Secretly number ${round}`));
    const before = readings();
    await expect.poll(readings).toBeGreaterThanOrEqual(before + (round % 3));
    await running.end('SIGKILL');
    running = spawn('--webhook', url);
  }
  await expect.poll(told).toEqual(expect.arrayContaining(added));
  await expect.poll(() => refused.length).toBeGreaterThan(0);
  const ids = received.map(({ id }) => id);
  const kinds = received.map(({ type, data }) => `${type} ${data.queuedPost?.postId}`);
  // One that was delivered and not noted as such comes again with the same id.
  expect(new Set(ids).size).toBe(new Set(kinds).size);
  await running.end('SIGTERM');
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const { parentPath, name } of files.filter((file) => file.isFile()))
    expect(await readFile(`${parentPath}/${name}`, 'latin1')).not.toContain('Secretly');
});

/** Replaces what differs in each run. */
const masked = (line = ''): string =>
  line
    .replace(/"msg_[\w-]+"/, '"msg_…"')
    .replaceAll(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g, '"instant"')
    .replace(/"MXFj\w+","postId":"\w+"/, '"MXFj…","postId":"…"')
    .replace(/"scheduledAtLocal":"[\d-]{10}T\d\d:\d\d","scheduledLabel":"[^"]+"/, '"scheduled…":"…"');

const SIGNED = '?signature=1';
const MENTION = { id: '7', name: 'Quay', username: 'quay', display_name: 'The Quay', activeTab: 'facebook' };

// What receivers were written for: the fields, their order, and how each value is written.
test('printed, each change is one line of JSON with these fields', async () => {
  const { sandbox, owner, start, readings } = await startWatched();
  const running = start({ print: true });
  const told = (text: string) => running.standardOutput.split('\n').filter((line) => line.includes(text));
  // The first start reports nothing about existing records, which are read several times for it.
  await expect.poll(readings).toBeGreaterThan(5);
  await expect.poll(() => sandbox.requests.count('GET /group/list')).toBeGreaterThan(2);
  const post = owner.queue.find(({ account }) => account.loginId === 410_201);
  Object.assign(post ?? {}, {
    errorMsg: 'Oops',
    content: {
      ...post?.content,
      title: 'Tides',
      description: 'High water.',
      longDescription: 'High water at nine.',
      url: `https://example.com/tides${SIGNED}`,
      video: `https://example.com/v.mp4${SIGNED}`,
      document: `https://example.com/d.pdf${SIGNED}`,
      images: [`https://example.com/i.jpg${SIGNED}`],
      instagramPostType: 'reels',
      tagIds: [4, 2],
      comment: 'First!',
      enableShortUrl: true,
      place: { id: 'place-1', name: 'Quay' },
      audience: { minAge: 21, maxAge: 65, gender: [1, 2], limitAudiance: false },
      mention: { b: MENTION, a: { ...MENTION, link: `https://example.com/q${SIGNED}`, accountId: 9 } },
    },
  });
  await expect.poll(() => told('queue.changed')).toHaveLength(1);
  expect(masked(told('queue.changed')[0])).toBe(
    '{"id":"msg_…","type":"queue.changed","timestamp":"instant","data":{"observedAt":"instant","lastSeenAt":"instant",' +
      '"changedFields":["title","text","longText","linkUrl","videoUrl","documentUrl","imageUrls",' +
      '"instagramPostTypeCode","place","facebookAudience","mentions","comment","isUrlShorteningEnabled","tagIds","failureText"],' +
      '"queuedPost":{"id":"MXFj…","postId":"…","account":{"id":"MWFjOjQxMDIwMQ","loginId":"410201"},' +
      '"title":"Tides","text":"High water.","longText":"High water at nine.","linkUrl":"https://example.com/tides?signature=1",' +
      '"videoUrl":"https://example.com/v.mp4","documentUrl":"https://example.com/d.pdf","imageUrls":["https://example.com/i.jpg"],' +
      '"statusCode":"N","contentCode":"I","instagramPostTypeCode":"reels","place":{"placeId":"place-1","name":"Quay"},' +
      '"facebookAudience":{"minAge":21,"maxAge":65,"gender":[1,2],"limitAudience":false},' +
      '"mentions":[{"key":"a","mentionedId":"7","name":"Quay","userName":"quay","displayName":"The Quay",' +
      '"linkUrl":"https://example.com/q?signature=1","avatarUrl":null,"mentionAccountId":"9","activeTab":"facebook"},' +
      '{"key":"b","mentionedId":"7","name":"Quay","userName":"quay","displayName":"The Quay",' +
      '"linkUrl":null,"avatarUrl":null,"mentionAccountId":null,"activeTab":"facebook"}],' +
      '"comment":"First!","isUrlShorteningEnabled":true,"tagIds":["4","2"],"failureText":"Oops","scheduled…":"…",' +
      '"isLocked":false,"isPaused":false,"isAccountPaused":false,"needsReconnect":false,' +
      '"needsInstagramCommentReconnect":false,"isFacebookAppInstalled":false,"isDeleted":false,"isSpam":false,' +
      '"publishesDirectly":true}}}',
  );
  Object.assign(owner.accounts.find(({ loginId }) => loginId === 410_201) ?? {}, { paused: true });
  await expect.poll(() => told('"PAUSED"')).toHaveLength(1);
  expect(masked(told('"PAUSED"')[0])).toBe(
    '{"id":"msg_…","type":"account_health.changed","timestamp":"instant",' +
      '"data":{"observedAt":"instant","lastSeenAt":"instant",' +
      '"account":{"id":"MWFjOjQxMDIwMQ","loginId":"410201","displayName":"Kelpgate Roasters"},' +
      '"before":{"state":"HEALTHY","isBlocked":false,"isLocked":false,"needsReconnect":false,"isPaused":false},' +
      '"after":{"state":"PAUSED","isBlocked":false,"isLocked":false,"needsReconnect":false,"isPaused":true}}}',
  );
});

test('a key that is not accepted ends the process', async () => {
  const { sandbox, environment } = await startWatched();
  sandbox.faults.add({ kind: 'status', status: 401, endpoint: '*', times: Infinity });
  await watchFails({ print: true }, environment, 'API_KEY: was rejected');
});

test('when the reader of what is printed goes away, the process ends in order with the next change', async () => {
  const { sandbox, spawn: start } = await startWatched();
  const running = start('--print');
  await expect.poll(() => running.output).toContain('Watching the queue and the accounts at ');
  running.stopReading();
  let status: number | null | undefined;
  void running.exited.then((code) => (status = code));
  await expect.poll(async () => (await addPost(sandbox, 'To nobody.'), status)).toBe(0);
});

test('it says at once what it watches and where changes go, without the path of the receiver', async () => {
  const { sandbox, start } = await startWatched();
  sandbox.faults.add({ kind: 'never-answer', endpoint: '*', times: Infinity });
  const { host } = new URL(sandbox.url);
  await eachCase(
    [
      [{ print: true }, 'printed'],
      [{ webhook: 'https://example.com/hooks/s3cret?token=s3cret' }, 'sent to example.com'],
    ] as const,
    async ([options, destination]) => {
      const running = start(options);
      const told = `Watching the queue and the accounts at ${host}. Changes are ${destination}; press Ctrl-C to stop.\n`;
      await expect.poll(() => running.output).toContain(told);
      expect(running.standardOutput).toBe('');
      await running.end('SIGTERM');
      expect(running.output).not.toContain('s3cret');
    },
  );
});

test('a receiver that answers 410 is sent nothing more: the process says so and ends with 1', async () => {
  const { sandbox, start, readings } = await startWatched();
  const { url, refused } = await startReceiver(() => 410);
  const running = start({ webhook: url });
  await expect.poll(readings).toBeGreaterThan(0);
  await addPost(sandbox, 'To nobody.');
  await expect.poll(() => running.output).toContain('the receiver unsubscribed');
  expect(await running.end('SIGTERM')).toBe(1);
  expect(refused).toHaveLength(1);
});

test('while the service is out of order, that is said, and the process goes on until it is ended', async () => {
  const { sandbox, environment } = await startWatched();
  sandbox.faults.add({ kind: 'status', status: 503, endpoint: '*', times: Infinity });
  const running = startInPlace(() => watch({ print: true }), { ...environment, READ_ATTEMPTS: '1' });
  await expect.poll(() => running.output).toContain('watching was interrupted; restarting');
  expect(running.standardOutput).toBe('');
  expect(await running.end('SIGTERM')).toBe(0);
});

test('without a service, a sandbox is watched with its own key, and where it is does not disturb what is printed', async () => {
  const running = startInPlace(() => watch({ print: true }), { LOG_LEVEL: 'warn' });
  await expect.poll(() => running.output).toMatch(/using a SANDBOX at http:\S+ /);
  expect(running.standardOutput).toBe('');
  expect(await running.end('SIGTERM')).toBe(0);
});

const RECEIVER = { webhook: 'https://example.com/hook' };

test('with anything wrong nothing is begun', async () => {
  const { sandbox, environment } = await startWatched();
  const legacyOnly = { CURRENT_API_URL: '', LEGACY_API_URL: 'http://127.0.0.1:9' };
  await eachCase<readonly [string, WatchOptions, Readonly<Record<string, string>>]>(
    [
      ['--webhook: ', { webhook: 'http://example.com/hook' }, {}],
      ['--webhook: ', { webhook: 'https://me:secret@example.com/hook' }, {}],
      ['--webhook: ', { webhook: 'example.com/hook' }, {}],
      ['watch: needs either', {}, {}],
      ['watch: needs either', { ...RECEIVER, print: true }, {}],
      ['WEBHOOK_SECRET: is missing', RECEIVER, { WEBHOOK_SECRET: '' }],
      ['DATA_DIR: must be a folder', RECEIVER, { DATA_DIR: 'off' }],
      ['API_KEY: is missing', { print: true }, { API_KEY: '' }],
      ['CURRENT_API_URL: is missing', { print: true }, legacyOnly],
    ],
    async ([said, options, changed]) => {
      const { output } = await watchFails(options, { ...environment, ...changed }, said);
      expect(output).not.toContain('me:secret');
    },
  );
  expect(sandbox.requests.all).toEqual([]);
});

test('a folder that another process watches with, or that is damaged, is named', async () => {
  const { folder, environment } = await startWatched();
  const fails = (...words: string[]) => watchFails(RECEIVER, environment, ...words);
  const store = await openOutboxStore(folder);
  await fails(`DATA_DIR: "${folder}" is in use by another process; give each watch`);
  await store.close();
  await rm(join(folder, 'watch', 'CURRENT'));
  await fails(`DATA_DIR: "${folder}" is corrupt (the file CURRENT is missing). Restore`);
  await rm(join(folder, 'watch'), { recursive: true });
  await (await openOutboxStore(folder)).close();
  await rm(join(folder, 'secret'));
  await fails('contains a folder "watch" that does not match its "secret" file');
  await writeFile(join(folder, 'secret'), 'short');
  const lost = 'events that were not delivered are then lost';
  await fails('is corrupt (its file "secret" is). Restore it from a backup, or delete the whole', lost);
});
