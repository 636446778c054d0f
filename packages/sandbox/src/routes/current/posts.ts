import { Hono } from 'hono';
import { requireKey } from '../../credentials.ts';
import { emptyContent } from '../../data/build-post.ts';
import type { Account, Owner, Post, PostContent } from '../../data/model.ts';
import { findAccount } from '../../domain/accounts.ts';
import { placePosts } from '../../domain/queue.ts';
import type { Timing } from '../../domain/queue.ts';
import type { Quirks } from '../../quirks.ts';
import { Refusal, badParameter } from '../../refusal.ts';
import type { Routes, SandboxEnv, Service } from '../../service.ts';
import { parseScheduleTime } from '../../wire/dates.ts';
import { succeed } from '../../wire/envelope.ts';
import { queuedPost } from '../../wire/queued-post.ts';
import { readBody } from '../body.ts';
import { listResponse, takePage } from '../paging.ts';
import type { Page } from '../paging.ts';
import { containing } from '../parameters.ts';
import type { Query } from '../parameters.ts';
import { createPostsBodies } from './request-bodies.ts';
import type { CreatePostsBody, PostItem } from './request-bodies.ts';

/** GET /posts/queued and POST /posts/create. */
export function postRoutes(service: Service): Routes {
  const { clock, quirks, world } = service;
  const routes: Routes = new Hono<SandboxEnv>();

  routes.get('/posts/queued', requireKey(service), (c) => {
    const owner = c.get('owner');
    const query: Query = (name) => c.req.query(name);
    const titled = containing(query, 'q');
    const found = owner.queue.filter((post) => titled(post.content.title));
    const page = queuePage(found, query, quirks);
    return succeed(
      listResponse(page, (post) => queuedPost(post, owner, quirks)),
      'Queue listed.',
    );
  });

  routes.post('/posts/create', requireKey(service), async (c) => {
    const owner = c.get('owner');
    const body = await readBody(c, createPostsBodies[quirks.createPostsRequires]);
    const named = namedAccounts(owner, body.loginIds, quirks);
    const order = {
      // Without an item there is nothing to post.
      accounts: body.posts.length > 0 ? named : [],
      timing: timingOf(body, quirks, clock.now()),
      contentFor: (account: Account) => contentOf(variantFor(account, body.posts), owner),
      via: 'Api',
      clientReview: body.sendForClientReview ?? false,
    };
    const tools = { now: clock.now(), ...quirks, makeId: () => world.random.hex(24) };
    const { created, refused } = placePosts(owner, order, tools);
    const result = {
      postIds: created.map((post) => post.postId),
      postScheduledLimitOver: refused.length > 0,
      customResponse: refused.map(({ loginId }) => ({ loginId, message: 'The scheduling queue is full.' })),
      postCreatedCount: created.length,
    };
    return succeed(result, 'Posts accepted.');
  });

  return routes;
}

function queuePage(found: readonly Post[], query: Query, quirks: Quirks): Page<Post> {
  try {
    return takePage(found, query, quirks);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(quirks.queueBadRequestStatus, error.message, error.parameter);
  }
}

/** Returns the accounts of a list of login ids, each once. */
export function namedAccounts(owner: Owner, loginIds: readonly number[], quirks: Quirks): Account[] {
  return [...new Set(loginIds)].flatMap((loginId) => {
    const account = findAccount(owner, loginId, 'current');
    if (!account && quirks.unknownLoginIds === 'reject') {
      throw badParameter('loginIds', `must contain ids of your accounts; ${loginId} is not one.`);
    }
    return account ?? [];
  });
}

/** `shareType`: 0 queue, 1 now, 2 next, 3 at the times of `scheduleDateTime`. */
function timingOf(
  { shareType, scheduleDateTime = [] }: CreatePostsBody,
  quirks: Quirks,
  now: number,
): Timing {
  const plain = (['queue', 'now', 'next'] as const)[shareType];
  if (plain) return { kind: plain };
  if (scheduleDateTime.length === 0)
    throw badParameter('scheduleDateTime', 'must not be empty for shareType 3.');
  const times = scheduleDateTime.map((entry) => {
    const at = parseScheduleTime(entry, quirks.utcOffsetMinutes);
    if (at === null) throw badParameter('scheduleDateTime', 'must contain times such as 2031-05-20 14:30.');
    if (at <= now && quirks.pastSchedule === 'error') {
      throw badParameter('scheduleDateTime', 'must not be in the past.');
    }
    return at;
  });
  return { kind: 'at', times };
}

/** Returns the variant for an account's network, else the original, else the first one sent. */
function variantFor(account: Account, items: readonly PostItem[]): PostItem | undefined {
  const [platform] = account.network.scenario.split('-');
  const ofType = (type: string | undefined) => items.find((item) => item.type === type);
  return ofType(platform) ?? ofType('original') ?? items[0];
}

function contentOf(item: PostItem | undefined, owner: Owner): PostContent {
  if (!item) return emptyContent;
  const images = (item.mediaId ?? []).map(
    (id) => `https://pictures.example.com/${owner.credentials.name}/media/${encodeURIComponent(id)}.jpg`,
  );
  return {
    ...emptyContent,
    title: item.postTitle ?? '',
    description: item.postDesc ?? '',
    longDescription: item.longPostDesc ?? '',
    url: item.postUrl ?? '',
    images,
    thumbs: images,
    postType: images.length > 0 ? 'I' : 'T',
    instagramPostType: item.instagramPostType,
    tagIds: item.tagIds ?? [],
    comment: item.comment ?? '',
    place: item.place ?? null,
    audience: item.fbAudianceTargeting ?? [],
    mention: item.mention ?? [],
  };
}
