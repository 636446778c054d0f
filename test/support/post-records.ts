import type { Generation, LibraryItem, Mention, Post } from '../../packages/sandbox/src/data/model.ts';
import { harbour, isoOf, networkOf } from './account-records.ts';
import type { RunningGraph } from './graph.ts';

// What the graph has to say of the sandbox's queue, library and AI history, told from its world and not from its wire.

/** Every field of a queued post but its opaque id; of its account what the queue tells. */
export const QUEUED_POST_FIELDS = `
  postId title text longText linkUrl videoUrl documentUrl imageUrls thumbnailUrls status statusCode contentKind contentCode
  instagramPostType instagramPostTypeCode place { placeId name } facebookAudience { minAge maxAge gender limitAudience }
  mentions { key mentionedId name userName displayName linkUrl avatarUrl mentionAccountId activeTab }
  comment isUrlShorteningEnabled tagIds failureText
  scheduledAtLocal scheduledAt scheduledLabel scheduledDateLabel scheduledTimeLabel postDateLabel createdLabel
  via companyId companyName isAutomatic isAdvanced canMoveToTop isLocked isPaused isAccountPaused needsReconnect
  needsInstagramCommentReconnect isFacebookAppInstalled isVerified isDeleted isCreated isSpam publishesDirectly
  isCommentAdded isCommentUnread verifiedType subscriptionType accountExtraParameters spamData
  account {
    surface loginId displayName profileUrl avatarUrl color network platformCode platformId accessCode networkAccountId
    isFacebookAppInstalled isLocked isPaused health { needsReconnect }
  }`;

/** A queued post as the graph shows it. */
export function queuedPost(graph: RunningGraph, post: Post) {
  const { account, content } = post;
  const isEven = account.loginId % 2 === 0;
  return {
    postId: post.postId,
    title: content.title || null,
    text: content.description || null,
    longText: content.longDescription || null,
    linkUrl: content.url || null,
    videoUrl: content.video || null,
    documentUrl: content.document || null,
    imageUrls: content.images,
    thumbnailUrls: content.thumbs,
    status: 'QUEUED',
    statusCode: 'N',
    contentKind: content.images.length > 0 ? 'IMAGE' : 'TEXT',
    contentCode: content.postType,
    instagramPostType: content.instagramPostType.toUpperCase(),
    instagramPostTypeCode: content.instagramPostType,
    place: placeOf(content.place),
    facebookAudience: audienceOf(content.audience),
    mentions: mentionsOf(content.mention),
    comment: content.comment || null,
    isUrlShorteningEnabled: content.enableShortUrl,
    tagIds: content.tagIds.map(String),
    failureText: post.errorMsg.replaceAll(/<[^>]*>/g, '') || null,
    ...timesOf(post),
    via: post.via,
    companyId: String(harbour(graph).companyId),
    companyName: harbour(graph).companyName,
    isAutomatic: false,
    isAdvanced: content.comment !== '',
    canMoveToTop: harbour(graph).queue[0] !== post,
    isLocked: account.locked,
    isPaused: false,
    isAccountPaused: account.paused,
    needsReconnect: account.needsReconnect,
    needsInstagramCommentReconnect: false,
    isFacebookAppInstalled: account.appInstalled,
    isVerified: isEven,
    isDeleted: false,
    isCreated: true,
    isSpam: false,
    publishesDirectly: content.instagramPostType !== 'story',
    isCommentAdded: content.comment !== '',
    isCommentUnread: false,
    verifiedType: isEven ? 'business' : null,
    subscriptionType: account.network.legacyType === 'twitter' ? 'Basic' : null,
    accountExtraParameters: objectOf(withoutSecrets(account.undocumented.accountExtraParam)),
    spamData: objectOf(withoutSecrets(post.spamData)),
    account: accountOf(post),
  };
}

function accountOf({ account }: Post) {
  return {
    surface: 'CURRENT',
    loginId: String(account.loginId),
    displayName: account.username || null,
    profileUrl: account.currentUrl,
    avatarUrl: account.picture,
    color: account.color,
    network: networkOf(account),
    platformCode: account.network.scenario,
    platformId: account.network.platformId,
    accessCode: 'O',
    networkAccountId: String(account.uniqueId),
    isFacebookAppInstalled: account.appInstalled,
    isLocked: account.locked,
    isPaused: account.paused,
    health: { needsReconnect: account.needsReconnect },
  };
}

function timesOf({ createdAt, dueAt }: Post) {
  const due = new Date(dueAt);
  const [weekday = ''] = due.toUTCString().split(',');
  const [month, day, clock] = [monthOf(due), two(due.getUTCDate()), clock12(due)];
  const year = due.getUTCFullYear();
  const created = new Date(createdAt);
  return {
    scheduledAtLocal: due.toISOString().slice(0, 16),
    scheduledAt: null,
    scheduledLabel: `${weekday}, ${month} ${day}, ${year} at ${clock}`,
    scheduledDateLabel: `${month} ${day}, ${year}`,
    scheduledTimeLabel: clock,
    postDateLabel: `${day}-${month}-${year} ${clock}`,
    createdLabel: `${two(created.getUTCDate())}-${monthOf(created)}-${created.getUTCFullYear()} ${clock12(created)}`,
  };
}

const monthOf = (date: Date): string => date.toUTCString().split(' ')[2] ?? '';
const two = (value: number): string => String(value).padStart(2, '0');

function clock12(date: Date): string {
  const hour = date.getUTCHours();
  return `${two(hour % 12 === 0 ? 12 : hour % 12)}:${two(date.getUTCMinutes())} ${hour < 12 ? 'AM' : 'PM'}`;
}

// The service writes an object without content as an empty list.
function objectOf(value: unknown): unknown {
  return Array.isArray(value) ? null : value;
}

function audienceOf(audience: unknown) {
  if (Array.isArray(audience)) return null;
  const { limitAudiance, ...rest } = audience as { readonly limitAudiance: unknown };
  return { ...rest, limitAudience: limitAudiance };
}

function mentionsOf(mention: unknown) {
  if (Array.isArray(mention)) return null;
  const entries = Object.entries(mention as Readonly<Record<string, Mention>>);
  return entries.map(([key, { id, name, username, link, accountId, ...rest }]) => ({
    key,
    mentionedId: id,
    name,
    userName: username,
    displayName: rest.display_name,
    linkUrl: link,
    avatarUrl: rest.avatar,
    mentionAccountId: String(accountId),
    activeTab: rest.activeTab,
  }));
}

function placeOf(value: unknown) {
  const place = value as { readonly id: string; readonly name: string } | null;
  return place && { placeId: place.id, name: place.name };
}

/** Undocumented data without what names a secret, and without its value in the texts around. */
export function withoutSecrets(value: unknown, secrets = secretsIn(value)): unknown {
  if (typeof value === 'string')
    return secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), value);
  if (Array.isArray(value)) return value.map((child) => withoutSecrets(child, secrets));
  if (typeof value !== 'object' || value === null) return value;
  const harmless = Object.entries(value).filter(([name]) => !SECRET_NAMES.includes(name));
  return Object.fromEntries(harmless.map(([name, child]) => [name, withoutSecrets(child, secrets)]));
}

const SECRET_NAMES = ['access_token', 'private_key', 'session_token'];

function secretsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) =>
    SECRET_NAMES.includes(name) ? [String(child)] : secretsIn(child),
  );
}

/** Every field of a library item but its opaque id. */
export const LIBRARY_ITEM_FIELDS = `
  itemId title kind kindCode tags ownerId createdById lastEditedById lastEditor { userName lastName }
  createdAt lastUsedAt lastEditedAt lastEditedLabel useCount
  content {
    text title longText linkUrl videoUrl imageUrls contentKind contentCode companyId ownerId createdAt
    taggedPeople { imageUrl people } utmSetId utmParameters boostParameters place { placeId name } isUrlShorteningEnabled
    activeTab activeTabCode altTexts
  }`;

/** A library item as the graph shows it; `lastEditedLabel` is up to the clock. */
export function libraryItem(graph: RunningGraph, item: LibraryItem) {
  const { companyId, ownerId } = harbour(graph);
  const { body } = item;
  return {
    itemId: item.id,
    title: item.title,
    kind: item.type === 'post' ? 'POST' : 'HASHTAG',
    kindCode: item.type,
    tags: item.tags,
    ownerId: String(ownerId),
    createdById: String(item.createdBy),
    lastEditedById: String(item.lastEditedBy),
    lastEditor: item.user,
    createdAt: isoOf(item.createdAt),
    lastUsedAt: item.lastUsedAt === null ? null : isoOf(item.lastUsedAt),
    lastEditedAt: null,
    useCount: item.totalUsed,
    content: {
      text: body.postDesc,
      title: body.postTitle || null,
      longText: body.longPostDesc || null,
      linkUrl: body.postUrl || null,
      videoUrl: body.postVideo || null,
      imageUrls: body.postImage,
      contentKind: body.postImage.length > 0 ? 'IMAGE' : 'TEXT',
      contentCode: body.postType,
      companyId: String(companyId),
      ownerId: String(ownerId),
      createdAt: isoOf(item.createdAt),
      taggedPeople: Object.entries(body.taggedPeople as object).map(([imageUrl, people]) => ({
        imageUrl,
        people,
      })),
      utmSetId: body.utmSetId || null,
      utmParameters: objectOf(body.utmParameters),
      boostParameters: objectOf(body.boostExtraParams),
      place: placeOf(body.place),
      isUrlShorteningEnabled: body.enableShortUrl,
      activeTab: 'ORIGINAL',
      activeTabCode: body.currentActiveTab,
      altTexts: body.altTexts,
    },
  };
}

/** Every field of a generated text but its opaque id. */
export const AI_GENERATION_FIELDS = `
  contentId status prompt text tone origin originCode template tokenUsage { input output total } ownerId companyId
  createdAt createdAtLocal creditsRemaining`;

/** A record of the AI history as the graph shows it. */
export function aiGeneration(graph: RunningGraph, generation: Generation) {
  const { tokens } = generation;
  return {
    contentId: generation.contentId,
    status: 'COMPLETE',
    prompt: generation.userInput,
    text: generation.aiResponse,
    tone: generation.tone,
    origin: generation.generatedFrom === 'post' ? 'POST' : 'HASHTAG',
    originCode: generation.generatedFrom,
    template: generation.templateUsed === 'No Template' ? null : generation.templateUsed,
    tokenUsage: { ...tokens, total: tokens.input + tokens.output },
    ownerId: String(harbour(graph).ownerId),
    companyId: String(harbour(graph).companyId),
    createdAt: null,
    createdAtLocal: isoOf(generation.createdAt).slice(0, 16),
    creditsRemaining: null,
  };
}
