import type { WriteContext } from './context.ts';
import { NETWORKS, networkOf } from '../records/network.ts';
import { scheduledAtLocal } from '../records/queued-post.ts';
import { createPosts, type CreatedPosts, type NewPost, type QueuedPost } from '../sources/current/posts.ts';
import type { PostItem } from '../sources/current/post-item.ts';
import { searchFor, type Search } from './find-created.ts';
import { completed, userError, type WriteResult } from './outcome.ts';
import { checkable, Problems } from './problems.ts';
import { timesOf } from './timing.ts';
import { performWrite, type KeyedResult } from './write.ts';

/** The input for one variant of a post. */
export type PostVariantInput = Omit<PostItem, 'type' | 'tagIds'> & {
  readonly variant: PostItem['type'];
  readonly tagIds?: readonly string[] | null | undefined;
};

/** The input of a post. */
export interface CreatePostInput {
  readonly idempotencyKey?: string | null | undefined;
  readonly accountIds: readonly string[];
  readonly timing: {
    readonly placement?: 'queue' | 'now' | 'next' | null | undefined;
    readonly scheduledAtLocal?: readonly string[] | null | undefined;
    readonly scheduledAt?: readonly Date[] | null | undefined;
  };
  readonly variants: readonly PostVariantInput[];
  readonly utmSetId?: string | null | undefined;
  readonly utmParameters?: NewPost['utmParameters'];
  readonly sendForClientReview?: boolean | null | undefined;
}

/** The service's information about the posts it created. */
export interface CreatedPostsData {
  readonly postIds: readonly string[] | null;
  readonly createdCount: number | null;
  readonly isScheduledLimitReached: boolean | null;
  readonly customResponse: readonly unknown[] | null;
  readonly message: string | null;
}

const MUTATION = 'createPost';

/** The mark of posts with a text, by which a post whose response was lost is searched for. */
export function markOf(text: string): string {
  return `${MUTATION} ${text}`;
}

const WHERE_TO_LOOK =
  'Look for the post in the queue or, if it was to be published at once, on the account itself.';

/** The fields of a variant that are sent if they are null. */
const NULLS_THAT_COUNT: ReadonlySet<string> = new Set(['place', 'facebookAction']);

const NOTHING_SAID = { isScheduledLimitReached: null, customResponse: null, message: null } as const;

/** Creates posts: validates all of the input, then sends it once. */
export async function createPost(
  context: WriteContext,
  input: CreatePostInput,
): Promise<KeyedResult<CreatedPostsData>> {
  const { post, times, problems } = checkPost(context, input);
  return await performWrite(context, {
    mutation: MUTATION,
    problems: problems.list,
    surface: 'current',
    input,
    whereToLook: WHERE_TO_LOOK,
    search: context.readsBeforeWrites ? searchForPosts(context, post, times) : null,
    readsBefore: input.idempotencyKey != null,
    nullsThatCount: NULLS_THAT_COUNT,
    send: async () => judge(await createPosts(context.writes.sources.current(), post), post),
  });
}

// Immediately published posts are never in the queue, and posts without a text cannot be told apart. The queue does not
// distinguish two posts with the same text on the same account.
function searchForPosts(
  context: WriteContext,
  post: NewPost,
  times: readonly string[] | null,
): Search<CreatedPostsData> | null {
  const texts = textsOf(post);
  if (post.share === 'now' || texts.size === 0) return null;
  return searchFor({
    list: () => context.writes.loaders().queue({}),
    marks: [...texts].map(markOf),
    places: post.loginIds.flatMap((loginId) => (times ?? ['']).map((time) => `${loginId} ${time}`)),
    placeOf(view: QueuedPost) {
      const loginId = view.account?.loginId ?? null;
      const time = times ? scheduledAtLocal({ part: view }) : '';
      return loginId === null || time === null || !texts.has(view.text ?? '') ? null : `${loginId} ${time}`;
    },
    dataOf(found) {
      const postIds = found.map(({ id }) => id);
      return { ...NOTHING_SAID, postIds, createdCount: postIds.length };
    },
  });
}

function textsOf({ items }: NewPost): ReadonlySet<string> {
  return new Set(items.flatMap(({ text }) => (text == null || text === '' ? [] : [text])));
}

/** Validates a post and builds the call to send; `times` are as `timesOf` returns them. */
export function checkPost(context: WriteContext, input: CreatePostInput) {
  const problems = Problems.of(input);
  const loginIds = loginIdsOf(input.accountIds, problems);
  const times = timesOf(input.timing, context, problems);
  const items = itemsOf(input.variants, problems);
  const post: NewPost = {
    share: times === null ? (input.timing.placement ?? 'queue') : 'schedule',
    scheduleDateTimes: times?.map((time) => time.replace('T', ' ')),
    loginIds,
    items,
    utmSetId: input.utmSetId,
    utmParameters: input.utmParameters,
    sendForClientReview: input.sendForClientReview,
  };
  return { post, times, problems };
}

/** Returns the login ids of accounts on the current surface, as the numbers that the service expects. */
export function loginIdsOf(accountIds: readonly string[], problems: Problems): number[] {
  problems.elements(['accountIds'], accountIds, 'account');
  const rawIds = problems.ids(['accountIds'], accountIds, { type: 'Account', surface: 'current' });
  return problems.numbers(['accountIds'], rawIds, 'account');
}

const VARIANTS_WITH_TITLE: ReadonlySet<string> = new Set(['gmb', 'youtube']);
const ONLY_WITH_TITLE = { title: 'The title', linkUrl: 'The link', longText: 'The long text' } as const;

/** Reports a variant of the same network as one before it. */
export function checkRepeated(
  variants: readonly { readonly variant?: string | null | undefined }[],
  index: number,
  problems: Problems,
): void {
  const variant = variants[index]?.variant;
  if (variant == null || variants.findIndex((other) => other.variant === variant) === index) return;
  const network = networkOf(variant);
  const name =
    network === 'UNKNOWN' ? `The ${variant} variant` : `The variant for ${NETWORKS[network].label}`;
  problems.add(
    ['variants', index, 'variant'],
    `${name} occurs twice; each network can have only one variant.`,
  );
}

function itemsOf(variants: readonly PostVariantInput[], problems: Problems): PostItem[] {
  problems.elements(['variants'], variants, 'variant');
  if (variants.length > 0 && !variants.some(hasContent))
    problems.add(['variants'], 'The post has no text and no media.');
  return checkable(variants).map((input, index) => {
    const path = ['variants', index] as const;
    const { variant, tagIds, ...content } = input;
    checkRepeated(variants, index, problems);
    for (const name of ['title', 'linkUrl', 'longText'] as const) {
      if (input[name] != null && !VARIANTS_WITH_TITLE.has(variant)) {
        problems.add(
          [...path, name],
          `${ONLY_WITH_TITLE[name]} can only be used for Google Business and YouTube.`,
        );
      }
    }
    problems.mediaIds([...path, 'mediaIds'], input.mediaIds ?? []);
    checkAudience(input, path, problems);
    const keys = (input.mentions ?? []).map(({ key }) => key);
    if (new Set(keys).size < keys.length)
      problems.add([...path, 'mentions'], 'The mentions use the same key twice.');
    const numbers = tagIds && problems.numbers([...path, 'tagIds'], tagIds, 'tag');
    // V8 takes 2 µs longer for an object that begins with the others.
    return { type: variant, tagIds: numbers, ...content };
  });
}

// One variant with content is enough, because the service's handling of the others is undocumented.
function hasContent({ text, longText, linkUrl, mediaIds }: PostVariantInput): boolean {
  return (mediaIds ?? []).length > 0 || [text, longText, linkUrl].some((one) => (one ?? '').trim() !== '');
}

function checkAudience(
  { facebookAudience }: PostVariantInput,
  path: readonly (string | number)[],
  problems: Problems,
): void {
  const { minAge, maxAge } = facebookAudience ?? {};
  if (minAge != null && maxAge != null && minAge > maxAge) {
    problems.add(
      [...path, 'facebookAudience', 'minAge'],
      'The minimum age of the Facebook audience is greater than its maximum age.',
    );
  }
}

function judge(
  created: CreatedPosts,
  { loginIds, scheduleDateTimes }: NewPost,
): WriteResult<CreatedPostsData> {
  const { postIds, createdCount, isScheduledLimitReached, customResponse, message } = created;
  const data = { postIds, createdCount, isScheduledLimitReached, customResponse, message };
  // Ids prove that posts were created, whatever the count says; an answer without both is no success.
  const count = Math.max(createdCount ?? 0, postIds?.length ?? 0);
  // How many posts result from several times and accounts is undocumented, but there is at least one per account.
  if (isScheduledLimitReached !== true && count >= loginIds.length) return completed(data);
  const times = scheduleDateTimes ? ` at ${counted(scheduleDateTimes.length, 'time')}` : '';
  const wanted = `${counted(loginIds.length, 'account')}${times}`;
  const error = userError('LIMIT_REACHED', `The service created ${counted(count, 'post')} for ${wanted}.`);
  return { outcome: count === 0 ? 'REJECTED' : 'PARTIAL', data, userErrors: [error], isSent: true };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
