// The service that all contestants stand in front of: the sandbox's data for any credential, from answers that are made
// once. It runs in the process of the load, which never sleeps: to wake another process costs whoever writes to it.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { jsonAnswer, readMessages } from './http-messages.mjs';
import { readSandbox, toWire } from './service-data.mjs';

const DETAIL = /^\/accounts\/view\/(\d+)$/;

/** Starts it; `calls` is how many have come so far, `delayMs` how long it takes for each. */
export async function startService() {
  const data = await readSandbox();
  const server = createServer({ noDelay: true });
  const service = {
    url: '',
    calls: 0,
    delayMs: 0,
    async end() {
      server.close();
      await once(server, 'close');
    },
  };
  const answerTo = answering(data);
  server.on('connection', (socket) => {
    const answer = ({ head, body }) => {
      service.calls += 1;
      const bytes = answerTo(head, body);
      if (service.delayMs === 0) socket.write(bytes);
      else setTimeout(() => socket.write(bytes), service.delayMs);
    };
    socket.on('data', readMessages(answer));
    // A contestant that is ended leaves its connections as they are.
    socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  service.url = `http://127.0.0.1:${server.address().port}`;
  return service;
}

/** Whole answers by method, path and query. */
function answering(data) {
  const answers = new Map();
  return (head, body) => {
    const [method, target] = head.split(' ', 2);
    if (target === '/openai/response') return envelope(pendingGeneration(data, body));
    const name = `${method} ${target}`;
    const known = answers.get(name) ?? envelope(responseTo(data, method, new URL(target, 'http://service')));
    answers.set(name, known);
    return known;
  };
}

function responseTo(data, method, { pathname, searchParams }) {
  if (method === 'POST' && pathname === '/posts/create') return data.createdPosts;
  if (pathname === '/membership/plan/list') return data.membership;
  const [, loginId] = DETAIL.exec(pathname) ?? [];
  if (loginId !== undefined) return data.details.get(loginId);
  return pageOf(data.lists[pathname], searchParams);
}

// The library decides alone how long its pages are; the other lists take a wish, up to what the sandbox takes.
function pageOf({ rows, pageLimit }, parameters) {
  const page = Number(parameters.get('currentPage') ?? parameters.get('page') ?? 1);
  const limit = parameters.has('currentPage')
    ? pageLimit
    : Math.min(Number(parameters.get('limit') ?? 10), pageLimit);
  return {
    currentPage: page,
    pageLimit: limit,
    totalRecords: rows.length,
    totalPages: Math.ceil(rows.length / limit),
    list: rows.slice((page - 1) * limit, page * limit),
  };
}

// What is generated is a record of the history, whose text is said to come later: the caller names its place.
function pendingGeneration({ lists }, body) {
  const record = lists['/openai/historyList'].rows[Number(JSON.parse(body).content)];
  return {
    ...record,
    aiResponse: '',
    timeConsuming: true,
    totalCredit: 1_000,
    createdOn: new Date().toISOString(),
  };
}

function envelope(response) {
  return jsonAnswer(toWire({ message: 'Done.', response }));
}
