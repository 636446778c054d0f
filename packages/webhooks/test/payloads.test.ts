import { expect, onTestFinished, test } from 'vitest';
import { watch } from '../../../src/cli/watch.ts';
import { startInPlace } from '../../../test/support/command.ts';
import { startSandbox } from '../../sandbox/src/sandbox.ts';

// What receivers were written for: the fields, their order, and how each value is written.

/** Watches a sandbox from a state that it has read. */
async function startWatching() {
  const sandbox = await startSandbox({ port: 0 });
  onTestFinished(() => sandbox.close());
  const running = startInPlace(() => watch({ print: true }), {
    CURRENT_API_URL: sandbox.url,
    API_KEY: sandbox.owners[0].apiKey,
    WATCH_INTERVAL: '100ms',
    LOG_LEVEL: 'warn',
  });
  // The first start reports nothing about existing records, which are read several times for it.
  await expect.poll(() => sandbox.requests.count('GET /posts/queued')).toBeGreaterThan(5);
  await expect.poll(() => sandbox.requests.count('GET /group/list')).toBeGreaterThan(2);
  const told = (text: string): string[] =>
    running.standardOutput.split('\n').filter((line) => line.includes(text));
  return { told, owner: sandbox.state.owner('harbour') };
}

/** Replaces what differs in each run. */
const masked = (line = ''): string =>
  line
    .replace(/"msg_[\w-]+"/, '"msg_…"')
    .replaceAll(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g, '"instant"')
    .replace(/"MXFj\w+","postId":"\w+"/, '"MXFj…","postId":"…"')
    .replace(/"scheduledAtLocal":"[\d-]{10}T\d\d:\d\d","scheduledLabel":"[^"]+"/, '"scheduled…":"…"');

const SIGNED = '?signature=1';
const MENTION = { id: '7', name: 'Quay', username: 'quay', display_name: 'The Quay', activeTab: 'facebook' };

test('a changed post is sent with these fields', async () => {
  const { told, owner } = await startWatching();
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
});

test('an account that was paused is sent with these fields', async () => {
  const { told, owner } = await startWatching();
  const account = owner.accounts.find(({ loginId }) => loginId === 410_201);
  Object.assign(account ?? {}, { paused: true });
  await expect.poll(() => told('"PAUSED"')).toHaveLength(1);
  expect(masked(told('"PAUSED"')[0])).toBe(
    '{"id":"msg_…","type":"account_health.changed","timestamp":"instant",' +
      '"data":{"observedAt":"instant","lastSeenAt":"instant",' +
      '"account":{"id":"MWFjOjQxMDIwMQ","loginId":"410201","displayName":"Kelpgate Roasters"},' +
      '"before":{"state":"HEALTHY","isBlocked":false,"isLocked":false,"needsReconnect":false,"isPaused":false},' +
      '"after":{"state":"PAUSED","isBlocked":false,"isLocked":false,"needsReconnect":false,"isPaused":true}}}',
  );
});
