import { expect, test } from 'vitest';
import { shareGraph } from '../support/shared-graph.ts';
import { changingEach, changingRecord } from '../support/wire-changes.ts';

const graph = shareGraph();

const S3 =
  'https://bucket.s3.example/a.jpg?X-Amz-Credential=AKIA%2F20260301&X-Amz-Security-Token=IQoJb3JpZ2lu&X-Amz-Signature=0123456789abcdef';
const CDN = 'https://cdn.example/a.mp4?Policy=eyJTdGF0ZW1l&Signature=Zm9vYmFyYmF6&Key-Pair-Id=APKA01234567';
const GCS =
  'https://storage.example/a.pdf?X-Goog-Signature=0123456789abcdef&token=53a0d1a2-0123-4567#sig=abcdefgh';

const GUESSED = 'guessed-0123456789abcdef';

test('the signed addresses of a queued post come as they are: links, images, videos, documents, avatars', async () => {
  const changes = {
    postUrl: GCS,
    postVideo: CDN,
    postDocument: GCS,
    postImage: [S3, CDN],
    thumbImage: [GCS],
    profilePicture: S3,
    accountUrl: CDN,
    'extraData.mention': { token: { id: '5', link: GCS, avatar: S3 } },
  };
  graph.sandbox.faults.add(changingEach('GET /posts/queued', (index) => (index === 0 ? changes : {})));
  const { data, errors } = await graph.query(
    `{ queuedPosts(first: 1) { nodes { linkUrl videoUrl documentUrl imageUrls thumbnailUrls
      mentions { key linkUrl avatarUrl } account { avatarUrl profileUrl } } } }`,
  );
  expect(errors).toEqual([]);
  expect(data.queuedPosts.nodes).toEqual([
    {
      linkUrl: GCS,
      videoUrl: CDN,
      documentUrl: GCS,
      imageUrls: [S3, CDN],
      thumbnailUrls: [GCS],
      mentions: [{ key: 'token', linkUrl: GCS, avatarUrl: S3 }],
      account: { avatarUrl: S3, profileUrl: CDN },
    },
  ]);
});

test('the signed avatar of an account and the signed images of the library come as they are', async () => {
  graph.sandbox.faults.add(changingRecord('GET /accounts/list', 'profilePicture', S3));
  graph.sandbox.faults.add(
    changingEach('GET /library/list', (index) =>
      index === 0 ? { 'content.postImage': [S3, CDN, GCS], 'content.taggedPeople': { [S3]: ['Ada'] } } : {},
    ),
  );
  const { data, errors } = await graph.query(
    `{ accounts(first: 1) { nodes { avatarUrl } }
       libraryItems(first: 1) { nodes { content { imageUrls taggedPeople { imageUrl people } } } } }`,
  );
  expect(errors).toEqual([]);
  expect(data.accounts.nodes).toEqual([{ avatarUrl: S3 }]);
  expect(data.libraryItems.nodes).toEqual([
    { content: { imageUrls: [S3, CDN, GCS], taggedPeople: [{ imageUrl: S3, people: ['Ada'] }] } },
  ]);
});

test('a post that begins with an address is published with each of its words, and shown so', async () => {
  const text =
    'https://kelpgate.example/?token=12345678&signature=abcdefgh opens the doors; access_token=none';
  graph.sandbox.faults.add(changingRecord('GET /posts/queued', 'postDesc', text));
  const { data } = await graph.query('{ queuedPosts(first: 1) { nodes { text } } }');
  expect(data.queuedPosts.nodes).toEqual([{ text }]);
});

const address = (secret: string): string =>
  `https://graph.example/1/picture?type=large&access_token=${secret}&client_secret=${secret}&api_key=${secret}&token=kept`;

test('in an address, parameters that name an access token, client secret or API key are blanked', async () => {
  graph.sandbox.faults.add(changingRecord('GET /accounts/list', 'profilePicture', address('EAAB01234567')));
  graph.sandbox.faults.add(changingRecord('GET /posts/queued', 'postImage', [address('EAAB01234567')]));
  const { data } = await graph.query(
    '{ accounts(first: 1) { nodes { avatarUrl } } queuedPosts(first: 1) { nodes { imageUrls } } }',
  );
  expect(data.accounts.nodes).toEqual([{ avatarUrl: address('[redacted]') }]);
  expect(data.queuedPosts.nodes).toEqual([{ imageUrls: [address('[redacted]')] }]);
});

test.each(['accessToken', 'accessSecret', 'pageAccessToken'])(
  'the %s of an account is blanked in its other fields, also URL-encoded',
  async (name) => {
    const secret = 'EAAB/0123+4567=89|ab';
    const changes = {
      [name]: secret,
      accountUsername: `by ${secret}`,
      profilePicture: `https://x.example/a.jpg?t=${encodeURIComponent(secret)}&x=1`,
    };
    graph.sandbox.faults.add(changingEach('GET /accounts/list', (index) => (index === 0 ? changes : {})));
    const { data } = await graph.query('{ accounts(first: 1) { nodes { displayName avatarUrl } } }');
    expect(data.accounts.nodes).toEqual([
      { displayName: 'by [redacted]', avatarUrl: 'https://x.example/a.jpg?t=[redacted]&x=1' },
    ]);
  },
);

test('what only sounds like a secret is removed from undocumented data, and from no documented text', async () => {
  const changes = {
    postDesc: `The code is ${GUESSED}`,
    postUrl: `https://x.example/${GUESSED}`,
    spamData: { session_key: GUESSED, note: `seen ${GUESSED}`, call: 'GET /me?token=12345678' },
    accountExtraParam: { list: [{ apiKey: GUESSED }], said: [GUESSED] },
  };
  graph.sandbox.faults.add(changingEach('GET /posts/queued', (index) => (index === 0 ? changes : {})));
  const { data } = await graph.query(
    '{ queuedPosts(first: 1) { nodes { text linkUrl spamData accountExtraParameters } } }',
  );
  expect(data.queuedPosts.nodes).toEqual([
    {
      text: changes.postDesc,
      linkUrl: changes.postUrl,
      spamData: { note: 'seen [redacted]', call: 'GET /me?token=[redacted]' },
      accountExtraParameters: { list: [{}], said: ['[redacted]'] },
    },
  ]);
});
