import type { AccountSeed } from './account-seeds.ts';
import type { OwnerCredentials, Owner } from './model.ts';

/** A group of accounts, by their login ids. */
export interface GroupSeed {
  readonly id: number;
  readonly name: string;
  readonly members: readonly number[];
}

/** A queued post: its account (the index in the story's list), and its content. */
export interface PostSeed {
  readonly account: number;
  readonly text: string;
  readonly title?: string;
  readonly image?: string;
  readonly video?: string;
  readonly document?: string;
  readonly link?: string;
  readonly comment?: string;
  readonly place?: string;
  readonly mentions?: string;
  readonly error?: string;
}

/** A library item. */
export interface LibrarySeed {
  readonly title: string;
  readonly type: 'post' | 'hashTag';
  readonly tags: readonly string[];
  readonly text: string;
  /** Title of the contained post, which differs from the item's. */
  readonly postTitle?: string;
  readonly longText?: string;
  readonly image?: string;
  readonly video?: string;
  readonly link?: string;
  readonly place?: string;
  /** How the post is advertised; the interface does not show the shape. */
  readonly boost?: Readonly<Record<string, unknown>>;
  readonly used?: number;
}

/** A text that the fake assistant generated in the past. */
export interface GenerationSeed {
  readonly prompt: string;
  readonly answer: string;
  readonly tone: string;
  readonly from: 'post' | 'hashtag';
  readonly template?: string;
}

/** Everything that one owner starts with. */
export interface Story {
  readonly credentials: OwnerCredentials;
  readonly ownerId: number;
  readonly companyId: number;
  readonly companyName: string;
  readonly email: string;
  readonly user: Owner['user'];
  readonly plan: Owner['plan'];
  readonly queueLimit: number;
  readonly credits: number;
  readonly accounts: readonly AccountSeed[];
  readonly groups: readonly GroupSeed[];
  readonly posts: readonly PostSeed[];
  readonly library: readonly LibrarySeed[];
  readonly generations: readonly GenerationSeed[];
  /** Minutes between two queued posts. */
  readonly postEveryMinutes: number;
}
