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
  const get = (path) => call(pool, apiKey, 'GET', path);
  // Pages of a size that can be chosen.
  const list = (path, key) => async (count, place) => {
    const { page, limit } = pageWith(Math.max(place.offset - 1, 0), place.offset + count);
    const { totalRecords, list: rows } = await get(`${path}?page=${page}&limit=${limit}`);
    return windowIn(rows, { key, place, count, firstIndex: (page - 1) * limit, total: totalRecords });
  };
  return {
    accounts: list('/accounts/list', 'loginId'),
    groups: list('/group/list', 'groupId'),
    queue: list('/posts/queued', 'postId'),
    history: list('/openai/historyList', 'contentId'),
    async library(count, place) {
      const first = Math.floor(Math.max(place.offset - 1, 0) / LIBRARY_PAGE);
      const last = Math.floor((place.offset + count - 1) / LIBRARY_PAGE);
      const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index + 1);
      const pages = await Promise.all(numbers.map((page) => get(`/library/list?currentPage=${page}`)));
      const rows = pages.flatMap((page) => page.list);
      const [{ totalRecords: total }] = pages;
      return windowIn(rows, { key: 'id', place, count, firstIndex: first * LIBRARY_PAGE, total });
    },
    account: (loginId) => get(`/accounts/view/${loginId}`),
    membership: () => get('/membership/plan/list'),
    createPosts: (post) => call(pool, apiKey, 'POST', '/posts/create', JSON.stringify(post)),
  };
}

/** The smallest page that has all records from one index up to, but not including, another. */
function pageWith(from, to) {
  let limit = to - from;
  while (Math.floor(from / limit) !== Math.floor((to - 1) / limit)) limit += 1;
  return { page: Math.floor(from / limit) + 1, limit };
}

/**
 * The records after a place, among rows that begin at an index. The row before them must still be the one that the place
 * names: in a list that has moved, records would be left out or come twice.
 */
function windowIn(rows, { key, place: { offset, lastKey }, count, firstIndex, total }) {
  const start = offset - firstIndex;
  if (offset > 0 && String(rows[start - 1][key]) !== lastKey) throw new Error('the list has moved');
  return { total, hasNext: offset + count < total, rows: rows.slice(start, start + count) };
}

async function call(pool, apiKey, method, path, body) {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await pool.request({ method, path, headers: { ...headers, 'x-api-key': apiKey }, body });
  const { response } = await answer.body.json();
  if (answer.statusCode !== 200) throw new Error(`the service answers ${answer.statusCode} to ${path}`);
  return response;
}
