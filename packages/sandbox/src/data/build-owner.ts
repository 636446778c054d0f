import type { SecretBook } from '../secret-book.ts';
import { buildAccount } from './account-seeds.ts';
import { buildPost, placeOf, videoAddress } from './build-post.ts';
import type { Account, Generation, Group, LibraryItem, Owner, Post } from './model.ts';
import { createRandom } from './random.ts';
import type { Random } from './random.ts';
import type { GenerationSeed, GroupSeed, LibrarySeed, Story } from './story.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Builds an owner at the start of the story, at `startedAt` (epoch milliseconds). */
export function buildOwner(story: Story, startedAt: number, book: SecretBook): Owner {
  const { name } = story.credentials;
  const random = createRandom(`owner ${name}`);
  const kit = { ownerName: name, companyId: story.companyId, startedAt, random, book };
  const accounts = story.accounts.map((seed) => buildAccount(seed, kit));
  return {
    credentials: story.credentials,
    ownerId: story.ownerId,
    companyId: story.companyId,
    companyName: story.companyName,
    email: story.email,
    user: story.user,
    plan: story.plan,
    queueLimit: story.queueLimit,
    creditsRemaining: story.credits,
    accounts,
    groups: story.groups.map((seed, index) =>
      buildGroup(seed, accounts, startedAt - (90 + index) * 24 * HOUR_MS),
    ),
    queue: buildQueue(story, accounts, kit),
    published: [],
    drafts: [],
    library: story.library.map((seed) => buildLibraryItem(seed, story, { random, startedAt })),
    history: story.generations.map((seed, index) => {
      const createdAt = startedAt - (story.generations.length - index) * 97 * MINUTE_MS;
      return buildGeneration(seed, random.hex(24), createdAt);
    }),
    billingSessions: [],
    toggles: new Map(),
  };
}

function buildGroup(seed: GroupSeed, accounts: readonly Account[], createdAt: number): Group {
  // If two accounts share an id, one on each surface, both become members; no story uses that.
  const members = accounts.filter((account) => seed.members.includes(account.loginId));
  return { groupId: seed.id, name: seed.name, createdAt, members };
}

function buildQueue(
  story: Story,
  accounts: readonly Account[],
  kit: Parameters<typeof buildPost>[2],
): Post[] {
  return story.posts.map((seed, index) => {
    const account = accounts[seed.account];
    if (!account) throw new Error(`a queued post names account ${seed.account}, which is not there`);
    const dueAt = kit.startedAt + (index + 1) * story.postEveryMinutes * MINUTE_MS;
    return buildPost(seed, { account, dueAt, rank: index }, kit);
  });
}

/** Builds a library item from its seed; it belongs to the story's person and was created in the last weeks. */
export function buildLibraryItem(
  seed: LibrarySeed,
  story: Story,
  { random, startedAt }: { readonly random: Random; readonly startedAt: number },
): LibraryItem {
  const hoursAgo = 30 + random.int(900);
  return {
    id: random.hex(24),
    title: seed.title,
    type: seed.type,
    tags: seed.tags,
    createdBy: story.user.id,
    lastEditedBy: story.user.id,
    user: { userName: story.user.userName, lastName: story.user.lastName },
    createdAt: startedAt - hoursAgo * HOUR_MS,
    lastEditedAt: startedAt - random.int(hoursAgo) * HOUR_MS,
    lastUsedAt: seed.used ? startedAt - random.int(hoursAgo) * HOUR_MS : null,
    totalUsed: seed.used ?? 0,
    accountIds: [],
    body: libraryBody(seed, story.credentials.name),
  };
}

function libraryBody(seed: LibrarySeed, ownerName: string): LibraryItem['body'] {
  const picture = seed.image ? `https://pictures.example.com/${ownerName}/${seed.image}.jpg` : null;
  return {
    postDesc: seed.text,
    postTitle: seed.postTitle ?? '',
    postUrl: seed.link ?? '',
    longPostDesc: seed.longText ?? '',
    postVideo: seed.video ? videoAddress(ownerName, seed.video) : '',
    postImage: picture ? [picture] : [],
    postType: picture ? 'I' : 'T',
    taggedPeople: picture ? { [picture]: [{ username: 'net.loft.lane', x: 0.4, y: 0.6 }] } : {},
    utmSetId: picture ? 'utm-spring' : '',
    utmParameters: picture ? { utm_source: { type: 'D', value: 'library' } } : {},
    boostExtraParams: seed.boost ?? (picture ? {} : []),
    place: seed.place ? placeOf(seed.place) : null,
    enableShortUrl: seed.link !== undefined,
    currentActiveTab: 'original',
    altTexts: picture ? [`A picture for “${seed.title}”`] : [],
  };
}

/** Builds a finished generation from its seed. */
export function buildGeneration(seed: GenerationSeed, contentId: string, createdAt: number): Generation {
  return {
    contentId,
    userInput: seed.prompt,
    aiResponse: seed.answer,
    tone: seed.tone,
    tokens: { input: countTokens(seed.prompt), output: countTokens(seed.answer) },
    generatedFrom: seed.from,
    templateUsed: seed.template ?? 'No Template',
    createdAt,
  };
}

/** Estimates the number of tokens as a quarter of the characters. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
