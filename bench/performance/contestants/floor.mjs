// The floor: one handler written by hand for each workload, on nothing but node:http and undici. It makes the calls that
// the workload needs, and makes its answer of theirs. No server that does as much can do with less: so there are whole
// object literals, with nothing spread into them, which would cost a tenth of a request.
import { createServer } from 'node:http';
import { openCalls } from '../calls.mjs';
import { globalId, localTime, networkOf, newPost, placeOf, textOf, TYPE } from '../shaping.mjs';

const callsOf = openCalls(process.env.SERVICE_URL);
const START = placeOf(null);

const HANDLERS = {
  typename: () => ({ __typename: 'Query' }),
  async accounts(calls, { after }) {
    const { total, hasNext, rows } = await calls.accounts(10, placeOf(after));
    return {
      accounts: {
        totalCount: total,
        pageInfo: { hasNextPage: hasNext },
        nodes: rows.map((row) => ({
          id: globalId(TYPE.account, row.loginId),
          displayName: textOf(row.accountUsername),
          network: networkOf(row.accountType),
          profileUrl: textOf(row.accountUrl),
          avatarUrl: textOf(row.profilePicture),
          color: textOf(row.color),
          isPaused: row.isPaused === 'Y',
          queuedPostCount: row.queued,
          groups: row.groups.map(({ group_name: name }) => ({ name })),
        })),
      },
    };
  },
  async queue(calls, { after }) {
    const { total, hasNext, rows } = await calls.queue(50, placeOf(after));
    const loginIds = [...new Set(rows.map(({ loginId }) => loginId))];
    const details = await Promise.all(loginIds.map((loginId) => calls.account(loginId)));
    const connectedAt = new Map(details.map(({ loginId, createdOn }) => [loginId, createdOn]));
    return {
      queuedPosts: {
        totalCount: total,
        pageInfo: { hasNextPage: hasNext },
        nodes: rows.map((row) => ({
          id: globalId(TYPE.post, row.postId),
          text: textOf(row.postDesc),
          scheduledAtLocal: localTime(row.postDate),
          status: row.postStatus === 'N' ? 'QUEUED' : 'UNKNOWN',
          account: {
            id: globalId(TYPE.account, row.loginId),
            displayName: textOf(row.accountUsername),
            network: networkOf(row.scenario),
            connectedAt: connectedAt.get(row.loginId),
          },
        })),
      },
    };
  },
  async dashboard(calls, { count }) {
    const [accounts, groups, posts, items, generations, membership] = await Promise.all([
      calls.accounts(count, START),
      calls.groups(count, START),
      calls.queue(count, START),
      calls.library(count, START),
      calls.history(count, START),
      calls.membership(),
    ]);
    const { planName, price } = membership.currentPlan;
    return {
      accounts: { nodes: accounts.rows.map(accountOf) },
      accountGroups: { nodes: groups.rows.map(groupOf) },
      queuedPosts: { nodes: posts.rows.map(postOf) },
      libraryItems: { nodes: items.rows.map(itemOf) },
      aiGenerations: { nodes: generations.rows.map(generationOf) },
      membership: {
        currentPlan: { name: planName, price },
        connectedAccountCount: membership.ownerConnectedAccounts,
      },
    };
  },
  async deepPage(calls, { after }) {
    const { total, hasNext, rows } = await calls.library(20, placeOf(after));
    return {
      libraryItems: {
        totalCount: total,
        pageInfo: { hasNextPage: hasNext },
        nodes: rows.map((row) => ({
          id: globalId(TYPE.item, row.id),
          title: textOf(row.title),
          kind: row.type.toUpperCase(),
          tags: row.tags,
          useCount: row.totalUsed,
          content: { text: textOf(row.content.postDesc) },
        })),
      },
    };
  },
  async createPost(calls, { input }) {
    const { postIds, postCreatedCount } = await calls.createPosts(newPost(input));
    return {
      createPost: {
        outcome: 'COMPLETED',
        postIds,
        createdCount: postCreatedCount,
        replayed: false,
        userErrors: [],
      },
    };
  },
};

HANDLERS.keyedPost = (calls, variables) => HANDLERS.createPost(calls, variables);

const accountOf = ({ loginId, accountUsername, accountType }) => ({
  id: globalId(TYPE.account, loginId),
  displayName: textOf(accountUsername),
  network: networkOf(accountType),
});
const groupOf = ({ groupId, groupName }) => ({ id: globalId(TYPE.group, groupId), name: textOf(groupName) });
const postOf = ({ postId, postDesc, postDate }) => ({
  id: globalId(TYPE.post, postId),
  text: textOf(postDesc),
  scheduledAtLocal: localTime(postDate),
});
const itemOf = ({ id, title, type }) => ({
  id: globalId(TYPE.item, id),
  title: textOf(title),
  kind: type.toUpperCase(),
});
const generationOf = ({ contentId, userInput, aiResponse, createdOn }) => ({
  id: globalId(TYPE.generation, contentId),
  prompt: textOf(userInput),
  text: textOf(aiResponse),
  createdAtLocal: localTime(createdOn),
});

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => void answer(request, response, Buffer.concat(chunks)));
}).listen(Number(process.env.PORT), '127.0.0.1');

async function answer({ url, headers }, response, body) {
  const handle = HANDLERS[url.slice('/w/'.length)];
  const data = await handle(callsOf(headers['x-api-key']), JSON.parse(body));
  const json = JSON.stringify({ data });
  const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) };
  response.writeHead(200, head).end(json);
}
