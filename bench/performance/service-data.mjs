// What the service of the bench holds: the project's own large sandbox, read whole once.
import { startSandbox } from '../running.mjs';

const HEADERS = { 'x-api-key': 'demo-key-harbour', 'content-type': 'application/json' };
const LONGEST_PAGE = 100;

/** Posts that one block of the queue has, and accounts that they are on. */
const POSTS_OF_BLOCK = 50;
const ACCOUNTS_OF_BLOCK = 12;

/** What a queued post says of its account. */
const ACCOUNT_FIELDS = [
  'loginId',
  'accountId',
  'accountUsername',
  'profilePicture',
  'accountUrl',
  'color',
  'accessType',
  'uniqueId',
  'scenario',
  'verifiedType',
  'subscriptionType',
  'accountExtraParam',
  'isLocked',
  'isReconnect',
  'fbAppInstall',
  'isAccountPaused',
  'isVerified',
];

/** Starts the sandbox, reads all that it holds, and ends it. */
export async function readSandbox() {
  const sandbox = await startSandbox({ SANDBOX_DATA: 'large' });
  const call = async (path, options = {}) => {
    const answer = await fetch(`${sandbox.url}${path}`, { headers: HEADERS, ...options });
    if (answer.status !== 200) throw new Error(`the sandbox answers ${answer.status} to ${path}`);
    return fromWire(await answer.text()).response;
  };
  const accounts = await readList(call, '/accounts/list', 'page');
  const data = {
    /** By path. */
    lists: {
      '/accounts/list': accounts,
      '/group/list': await readList(call, '/group/list', 'page'),
      '/posts/queued': inBlocks(await readList(call, '/posts/queued', 'page')),
      '/library/list': await readList(call, '/library/list', 'currentPage'),
      '/openai/historyList': await readList(call, '/openai/historyList', 'page'),
    },
    details: new Map(),
    membership: await call('/membership/plan/list'),
  };
  for (const { loginId } of accounts.rows)
    data.details.set(String(loginId), await call(`/accounts/view/${loginId}`));
  data.createdPosts = await call('/posts/create', { method: 'POST', body: postBody(accounts.rows) });
  sandbox.signal('SIGTERM');
  await sandbox.exited;
  return data;
}

/** All records of a list, and how many of them the service gives at most in one page. */
async function readList(call, path, pageName) {
  const rows = [];
  for (let page = 1; ; page += 1) {
    const { list, totalRecords, pageLimit } = await call(`${path}?${pageName}=${page}&limit=${LONGEST_PAGE}`);
    rows.push(...list);
    if (rows.length >= totalRecords) return { rows, pageLimit };
  }
}

// Fifty posts over twelve accounts, and the next fifty over the next twelve: as a queue looks whose owner posts to the
// same few accounts again and again. The sandbox has another account for each post.
function inBlocks({ rows, pageLimit }) {
  const donors = [...new Map(rows.map((row) => [row.loginId, row])).values()];
  const shaped = rows.map((row, index) => {
    const block = Math.floor(index / POSTS_OF_BLOCK);
    const donor = donors[(block * ACCOUNTS_OF_BLOCK + (index % ACCOUNTS_OF_BLOCK)) % donors.length];
    return { ...row, ...Object.fromEntries(ACCOUNT_FIELDS.map((name) => [name, donor[name]])) };
  });
  return { rows: shaped, pageLimit };
}

function postBody(accounts) {
  return JSON.stringify({
    shareType: 0,
    loginIds: accounts.slice(0, 2).map(({ loginId }) => loginId),
    posts: [{ type: 'original', postDesc: 'A post of the bench', instagramPostType: 'post' }],
  });
}

// Some ids have more digits than a double holds, and are to be served as they came.
function fromWire(text) {
  return JSON.parse(text.replaceAll(/(?<=[:[,])-?\d{16,}(?=[,}\]])/g, '"long:$&"'));
}

/** A value of the sandbox as JSON, letter by letter as the sandbox wrote it. */
export function toWire(value) {
  return JSON.stringify(value).replaceAll(/"long:(-?\d+)"/g, '$1');
}
