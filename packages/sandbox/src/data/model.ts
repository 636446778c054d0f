import type { Weekday } from '../wire/dates.ts';
import type { Network } from './networks.ts';

/** Which of the two surfaces lists an account. */
export interface Surfaces {
  readonly current: boolean;
  readonly legacy: boolean;
}

/** What a person may do with a connected account. */
export interface Permission {
  readonly hasPermission: boolean;
  readonly hasTask: boolean;
}

/** A connected social account, with its secrets. Times are epoch milliseconds. */
export interface Account {
  readonly loginId: number;
  readonly network: Network;
  readonly surfaces: Surfaces;
  readonly username: string;
  readonly currentUrl: string;
  readonly legacyUrl: string;
  readonly picture: string;
  readonly color: string;
  readonly profileUniqueId: bigint;
  readonly uniqueId: bigint;
  readonly pageId: string;
  readonly accessToken: string;
  readonly accessSecret: string;
  readonly pageAccessToken: string | null;
  readonly tokenEncrypted: boolean;
  readonly tokenExpiresAt: number;
  paused: boolean;
  locked: boolean;
  blocked: boolean;
  needsReconnect: boolean;
  readonly clientApproval: boolean;
  readonly appInstalled: boolean;
  readonly createdAt: number;
  disconnectedAt: number | null;
  disconnectArea: string;
  reconnectType: string;
  readonly connectedBy: number;
  reconnectedBy: number;
  readonly settingId: string;
  readonly clientId: string | null;
  readonly teamIds: readonly string[];
  readonly inboxCount: number;
  errorCount: number;
  readonly hasAnalytics: boolean;
  readonly hasInbox: boolean;
  readonly shortener: { readonly id: number; readonly scenario: string; readonly name: string } | null;
  readonly permissions: {
    readonly sharing: Permission | null;
    readonly inbox: Permission | null;
    readonly analytics: Permission | null;
  };
  readonly slots: Readonly<Record<Weekday, readonly string[]>>;
  /** Undocumented shapes, by the wire field that contains them. */
  readonly undocumented: {
    readonly extraData: unknown;
    readonly extraParam: unknown;
    readonly userAccess: readonly unknown[];
    readonly adminData: readonly unknown[];
    readonly accountExtraParam: unknown;
  };
}

/** A group of accounts. */
export interface Group {
  readonly groupId: number;
  readonly name: string;
  readonly createdAt: number;
  members: Account[];
}

/** A person mentioned in a post, keyed by id on the wire. */
export interface Mention {
  readonly name: string;
  readonly link: string;
  readonly avatar: string;
  readonly id: string;
  readonly username: string;
  readonly accountId: number;
  readonly activeTab: string;
  readonly display_name: string;
}

/** The content of a post, whichever call created it. */
export interface PostContent {
  readonly title: string;
  readonly description: string;
  readonly longDescription: string;
  readonly url: string;
  readonly video: string;
  readonly document: string;
  readonly images: readonly string[];
  readonly thumbs: readonly string[];
  readonly postType: string;
  readonly instagramPostType: string;
  readonly tagIds: readonly number[];
  readonly comment: string;
  readonly enableShortUrl: boolean;
  /** Passed through unchanged: null, an object, or an empty array where there is no data. */
  readonly place: unknown;
  readonly audience: unknown;
  readonly mention: unknown;
}

/** A post that is in the queue, or has left it. */
export interface Post {
  readonly postId: string;
  readonly account: Account;
  readonly content: PostContent;
  readonly createdAt: number;
  readonly dueAt: number;
  /** Breaks ties between posts due at the same time; posts shared next get ever smaller ranks. */
  readonly rank: number;
  /** True if the time was chosen explicitly rather than by the posting schedule. */
  readonly hasChosenTime: boolean;
  readonly via: string;
  errorMsg: string;
  readonly spamData: unknown;
  readonly clientReview: boolean;
}

/** A published post, with its time of publication. */
export interface PublishedPost extends Post {
  readonly publishedAt: number;
}

/** A draft as it was sent; the service has no call that reads one. */
export interface Draft {
  readonly draftId: string;
  readonly createdAt: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The content of a library item. */
export interface LibraryBody {
  readonly postDesc: string;
  readonly postTitle: string;
  readonly postUrl: string;
  readonly longPostDesc: string;
  readonly postVideo: string;
  readonly postImage: readonly string[];
  readonly postType: string;
  readonly taggedPeople: unknown;
  readonly utmSetId: string;
  readonly utmParameters: unknown;
  readonly boostExtraParams: unknown;
  readonly place: unknown;
  readonly enableShortUrl: boolean;
  readonly currentActiveTab: string;
  readonly altTexts: readonly unknown[];
}

/** A reusable piece of content. */
export interface LibraryItem {
  readonly id: string;
  readonly title: string;
  readonly type: 'post' | 'hashTag';
  readonly tags: readonly unknown[];
  readonly body: LibraryBody;
  readonly createdBy: number;
  readonly lastEditedBy: number;
  readonly user: { readonly lastName: string; readonly userName: string };
  readonly createdAt: number;
  readonly lastEditedAt: number;
  readonly lastUsedAt: number | null;
  readonly totalUsed: number;
  /** Kinds of platform that the content was written for. */
  readonly accountIds: readonly number[];
}

/** One text generated by the sandbox's fake assistant. */
export interface Generation {
  readonly contentId: string;
  readonly userInput: string;
  readonly aiResponse: string;
  readonly tone: string;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly generatedFrom: string;
  readonly templateUsed: string;
  readonly createdAt: number;
}

/** The login and credentials of an owner. */
export interface OwnerCredentials {
  readonly name: string;
  readonly apiKey: string;
  readonly accessToken: string;
  readonly login: string;
  readonly password: string;
}

/** Everything that one owner has. */
export interface Owner {
  readonly credentials: OwnerCredentials;
  readonly ownerId: number;
  readonly companyId: number;
  readonly companyName: string;
  readonly email: string;
  /** The person who works in the account: id, first and last name. */
  readonly user: { readonly id: number; readonly userName: string; readonly lastName: string };
  readonly plan: { readonly name: string; readonly price: string; readonly key: string; readonly id: number };
  queueLimit: number;
  creditsRemaining: number;
  accounts: Account[];
  groups: Group[];
  queue: Post[];
  readonly published: PublishedPost[];
  readonly drafts: Draft[];
  readonly library: LibraryItem[];
  /** Oldest first. */
  readonly history: Generation[];
  /** Ids of the billing portal sessions created so far, oldest first. */
  readonly billingSessions: string[];
  /** How often each account was toggled, by login id. */
  readonly toggles: Map<number, number>;
}
