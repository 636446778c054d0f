// The service that all contestants stand in front of: the sandbox's data for any credential, from answers that are made
// once. It listens on PORT. `/control/…` is for the bench: how many calls came, and how long the service takes for each.
import { createServer } from 'node:net';
import { jsonAnswer, readMessages } from './http-messages.mjs';
import { readSandbox, toWire } from './service-data.mjs';

const data = await readSandbox();
const LISTS = {
  '/accounts/list': data.accounts,
  '/group/list': data.groups,
  '/posts/queued': data.queue,
  '/library/list': data.library,
  '/openai/historyList': data.history,
};
const DETAIL = /^\/accounts\/view\/(\d+)$/;

let calls = 0;
let delayMs = 0;
/** Whole answers by method, path and query. */
const answers = new Map();

const server = createServer({ noDelay: true }, (socket) => {
  socket.on(
    'data',
    readMessages((message) => answer(socket, message)),
  );
  // A contestant that is ended leaves its connections as they are.
  socket.on('error', () => socket.destroy());
});
server.listen(Number(process.env.PORT), '127.0.0.1');

function answer(socket, { head, body }) {
  const [method, target] = head.split(' ', 2);
  if (target.startsWith('/control/')) {
    socket.write(jsonAnswer(JSON.stringify(control(target))));
    return;
  }
  calls += 1;
  const bytes = target === '/openai/response' ? envelope(pendingGeneration(body)) : answerTo(method, target);
  if (delayMs === 0) socket.write(bytes);
  else setTimeout(() => socket.write(bytes), delayMs);
}

function control(target) {
  const { pathname, searchParams } = new URL(target, 'http://service');
  if (pathname === '/control/delay') delayMs = Number(searchParams.get('ms'));
  return { calls, delayMs };
}

function answerTo(method, target) {
  const name = `${method} ${target}`;
  const known = answers.get(name) ?? envelope(responseTo(method, new URL(target, 'http://service')));
  answers.set(name, known);
  return known;
}

function responseTo(method, { pathname, searchParams }) {
  if (method === 'POST' && pathname === '/posts/create') return data.createdPosts;
  if (pathname === '/membership/plan/list') return data.membership;
  const [, loginId] = DETAIL.exec(pathname) ?? [];
  if (loginId !== undefined) return data.details.get(loginId);
  return pageOf(LISTS[pathname], searchParams);
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
function pendingGeneration(body) {
  const record = data.history.rows[Number(JSON.parse(body).content)];
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
