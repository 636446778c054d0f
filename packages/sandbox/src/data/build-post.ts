import type { SecretBook } from '../secret-book.ts';
import type { Account, Mention, Post, PostContent } from './model.ts';
import type { Random } from './random.ts';
import type { PostSeed } from './story.ts';

const MINUTE_MS = 60_000;

/** The default content of a post. */
export const emptyContent: PostContent = {
  title: '',
  description: '',
  longDescription: '',
  url: '',
  video: '',
  document: '',
  images: [],
  thumbs: [],
  postType: 'T',
  instagramPostType: 'post',
  tagIds: [],
  comment: '',
  enableShortUrl: false,
  place: null,
  audience: [],
  mention: [],
};

/** The inputs for building posts of one owner. */
export interface PostKit {
  readonly ownerName: string;
  readonly startedAt: number;
  readonly random: Random;
  readonly book: SecretBook;
}

/** The position of a post in the queue. */
export interface PostPlace {
  readonly account: Account;
  readonly dueAt: number;
  readonly rank: number;
}

/** Builds a queued post from its seed. Every third has no spam data; every third has an empty array in its place. */
export function buildPost(seed: PostSeed, place: PostPlace, kit: PostKit): Post {
  const { random, ownerName } = kit;
  const nothings = [null, []];
  return {
    postId: random.hex(24),
    ...place,
    content: contentOf(seed, place.account, ownerName),
    hasChosenTime: false,
    createdAt: kit.startedAt - (1 + random.int(5_000)) * MINUTE_MS,
    via: random.int(6) === 0 ? 'Api' : 'Web',
    errorMsg: seed.error ?? '',
    spamData: place.rank % 3 === 2 ? spamData(kit) : nothings[place.rank % 3],
    clientReview: place.account.clientApproval,
  };
}

function contentOf(seed: PostSeed, account: Account, ownerName: string): PostContent {
  const picture = seed.image ? [`https://pictures.example.com/${ownerName}/${seed.image}.jpg`] : [];
  return {
    ...emptyContent,
    title: seed.title ?? '',
    description: seed.text,
    longDescription: account.network.scenario === 'youtube-channel' ? `${seed.text} Watch to the end.` : '',
    url: seed.link ?? '',
    video: seed.video ? videoAddress(ownerName, seed.video) : '',
    document: seed.document ? `https://documents.example.com/${ownerName}/${seed.document}.pdf` : '',
    images: picture,
    thumbs: picture.map((url) => url.replace('.jpg', '-thumb.jpg')),
    postType: seed.image ? 'I' : 'T',
    tagIds: seed.title ? [seed.title.length] : [],
    comment: seed.comment ?? '',
    enableShortUrl: seed.link !== undefined,
    place: seed.place ? placeOf(seed.place) : null,
    audience:
      account.network.scenario === 'facebook-page'
        ? { minAge: 18, maxAge: 65, gender: [1, 2], limitAudiance: false }
        : [],
    mention: seed.mentions ? mentionOf(seed.mentions, account, ownerName) : [],
  };
}

/** Returns the URL of an owner's video. */
export function videoAddress(ownerName: string, video: string): string {
  return `https://videos.example.com/${ownerName}/${video}.mp4`;
}

/** Builds a place, as contained in posts and library items. */
export function placeOf(name: string): { readonly id: string; readonly name: string } {
  return { id: `place-${name.length}`, name };
}

function mentionOf(name: string, account: Account, ownerName: string): Readonly<Record<string, Mention>> {
  const id = String(account.loginId * 7);
  const username = name.toLowerCase().replaceAll(' ', '.');
  return {
    [id]: {
      id,
      name,
      username,
      display_name: name,
      link: `https://${account.network.host}/${username}`,
      avatar: `https://pictures.example.com/${ownerName}/mention-${id}.png`,
      accountId: account.network.platformId,
      activeTab: 'facebook',
    },
  };
}

function spamData({ book, ownerName, random }: PostKit): unknown {
  const token = book.plant('nested', ownerName, 'sessionToken');
  return {
    score: random.int(40) / 100,
    checks: [{ name: 'links', session_token: token, remark: `checked with ${token}` }],
  };
}
