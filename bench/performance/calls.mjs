// The calls to the service as the hand-written contestants make them: one pool of connections, as many as ours has.
import { Pool } from 'undici';

const CONNECTIONS = 64;
/** How many items the service puts into a page of the library. */
const LIBRARY_PAGE = 12;

/** Opens the service; gives the calls of one user. */
export function openCalls(serviceUrl) {
  const pool = new Pool(serviceUrl, { connections: CONNECTIONS });
  return (apiKey) => callsOf(pool, apiKey);
}

function callsOf(pool, apiKey) {
  const window = (path) => async (count, offset) => {
    const response = await call(pool, apiKey, 'GET', `${path}?page=${offset / count + 1}&limit=${count}`);
    return windowOf(response.totalRecords, offset, response.list);
  };
  const libraryPage = (page) => call(pool, apiKey, 'GET', `/library/list?currentPage=${page}`);
  return {
    accounts: window('/accounts/list'),
    groups: window('/group/list'),
    queue: window('/posts/queued'),
    history: window('/openai/historyList'),
    async library(count, offset) {
      const first = Math.floor(offset / LIBRARY_PAGE);
      const last = Math.floor((offset + count - 1) / LIBRARY_PAGE);
      const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index + 1);
      const pages = await Promise.all(numbers.map(libraryPage));
      const start = offset - first * LIBRARY_PAGE;
      const rows = pages.flatMap(({ list }) => list).slice(start, start + count);
      return windowOf(pages[0].totalRecords, offset, rows);
    },
    account: (loginId) => call(pool, apiKey, 'GET', `/accounts/view/${loginId}`),
    membership: () => call(pool, apiKey, 'GET', '/membership/plan/list'),
    createPosts: (post) => call(pool, apiKey, 'POST', '/posts/create', JSON.stringify(post)),
  };
}

function windowOf(total, offset, rows) {
  return { total, hasNext: offset + rows.length < total, rows };
}

async function call(pool, apiKey, method, path, body) {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await pool.request({ method, path, headers: { ...headers, 'x-api-key': apiKey }, body });
  const { response } = await answer.body.json();
  if (answer.statusCode !== 200) throw new Error(`the service answers ${answer.statusCode} to ${path}`);
  return response;
}
