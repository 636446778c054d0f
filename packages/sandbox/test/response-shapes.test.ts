import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { endpoints } from '../src/endpoints.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { documentedShapes } from './documented-shapes.ts';
import { clientOf, newPosts, sandboxForTest } from './running-sandbox.ts';
import type { Reply } from './running-sandbox.ts';

type Answered = keyof typeof documentedShapes;

const draftPost = { type: 'original', postDesc: 'A note', mediaId: ['m1'], altTexts: ['A cup'] };
const legacyPost = { post_content: 'Hello', 'account_id[0]': '410201' };

function callOf(name: Answered, sandbox: Sandbox): Promise<Reply> {
  const { get, post, legacyGet, legacyPost: submit } = clientOf(sandbox);
  const [first] = sandbox.state.owner('harbour').library;
  const calls: Record<Answered, () => Promise<Reply>> = {
    'GET /oauth/accounts': () => legacyGet('/oauth/accounts'),
    'GET /oauth/account/status/:id': () => legacyGet('/oauth/account/status/410201'),
    'GET /oauth/account/delete/:id': () => legacyGet('/oauth/account/delete/410201'),
    'GET /oauth/groups': () => legacyGet('/oauth/groups'),
    'GET /oauth/group/delete/:id': () => legacyGet('/oauth/group/delete/5101'),
    'POST /oauth/post/update': () => submit('/oauth/post/update', legacyPost),
    'POST /oauth/post/updatewithimage': () =>
      submit('/oauth/post/updatewithimage', {
        ...legacyPost,
        image_url: 'https://pictures.example.com/a.jpg',
      }),
    'GET /posts/queued': () => get('/posts/queued?limit=100'),
    'GET /accounts/list': () => get('/accounts/list?limit=100'),
    'GET /accounts/view/{loginId}': () => get('/accounts/view/410207'),
    'GET /openai/historyList': () => get('/openai/historyList?limit=100'),
    'POST /openai/response': () => post('/openai/response', { content: 'A line about rain', tone: 'Warm' }),
    'GET /group/list': () => get('/group/list'),
    'GET /library/list': () => get('/library/list'),
    'POST /library/create': () =>
      post('/library/create', { title: 'Rain', type: 'Post', posts: [draftPost] }),
    'GET /library/view/{contentid}': () => get(`/library/view/${first?.id}`),
    'POST /posts/create': () => post('/posts/create', newPosts()),
    'POST /draft/create': () => post('/draft/create', { loginIds: [410_201], posts: [draftPost] }),
    'GET /membership/plan/list': () => get('/membership/plan/list'),
    'GET /payment/billing/portalcreate': () => get('/payment/billing/portalcreate'),
  };
  return calls[name]();
}

const names = endpoints.flatMap(({ name }) =>
  name === 'GET /oauth/' || name === 'POST /oauth/accesstoken' ? [] : [name],
);

test('the table covers every call but the two of the authorisation', () => {
  expect(endpoints).toHaveLength(22);
  expect(Object.keys(documentedShapes).toSorted()).toEqual(names.toSorted());
});

test('every call answers each documented field with its documented type', async () => {
  const sandbox = await sandboxForTest();
  // What takes a record away comes last.
  for (const name of names.toSorted(
    (one, other) => Number(one.includes('delete')) - Number(other.includes('delete')),
  )) {
    const reply = await callOf(name, sandbox);
    expect([name, reply.status]).toEqual([name, 200]);
    expect(documentedShapes[name](reply.at(), name)).toEqual([]);
    expect(sandbox.requests.count(name), name).toBe(1);
  }
});

test('every call is made in the file that the list of calls names for it', async () => {
  for (const { name, livesIn } of endpoints) {
    const file = await readFile(new URL(`../src/${livesIn}`, import.meta.url), 'utf8');
    expect(file, livesIn).toContain(name);
  }
});

test('every account has a detail of the documented shape, those with null and [] in it as well', async () => {
  const sandbox = await sandboxForTest();
  const { get } = clientOf(sandbox);
  const ids = (await get('/accounts/list?limit=100')).pluck('loginId');
  expect(ids).toHaveLength(12);
  for (const id of ids) {
    const reply = await get(`/accounts/view/${String(id)}`);
    expect(documentedShapes['GET /accounts/view/{loginId}'](reply.at(), String(id))).toEqual([]);
  }
});

test('a walk over the table notices a misspelt, a missing and a mistyped field', () => {
  const shape = documentedShapes['GET /oauth/accounts'];
  const account = { id: '1', nickname: '', url: '', status: 'Running', account_type: 'twitter' };
  expect(shape([account], 'list')).toEqual([]);
  expect(shape([{ ...account, id: 1 }], 'list')).toEqual(['list.0.id is no text: 1']);
  const { nickname, ...rest } = account;
  expect(shape([{ ...rest, nickName: nickname }], 'list')).toEqual([
    'list.0.nickname is missing',
    'list.0.nickName is not documented',
  ]);
});
