import type { Owner, Post } from '../data/model.ts';
import type { Quirks } from '../quirks.ts';
import { displayDate, displayTime, historyTime, longDisplayTime } from './dates.ts';

/** List item of GET /posts/queued: all dates are display text, network ids are text. */
export function queuedPost(post: Post, owner: Owner, quirks: Quirks) {
  const { account, content } = post;
  return {
    postId: post.postId,
    loginId: account.loginId,
    companyId: owner.companyId,
    accountId: account.network.platformId,
    isAuto: false,
    postTitle: content.title,
    postDesc: content.description,
    longPostDesc: content.longDescription,
    postUrl: content.url,
    postVideo: content.video,
    postDocument: content.document,
    postImage: content.images,
    thumbImage: content.thumbs,
    postStatus: 'N',
    postType: content.postType,
    extraData: {
      place: content.place,
      fbAudianceTargeting: content.audience,
      enableShortUrl: content.enableShortUrl,
      comment: content.comment,
      mention: content.mention,
    },
    errorMsg: post.errorMsg,
    ...postDates(post, quirks),
    via: post.via,
    ...postFlags(post, owner),
    ...postAccount(post, owner),
    spamData: post.spamData,
    instagramPostType: content.instagramPostType,
    tagIds: content.tagIds,
  };
}

function postDates({ createdAt, dueAt }: Post, { utcOffsetMinutes, postDateFormat }: Quirks) {
  const pattern = postDateFormat === 'pattern';
  return {
    createdOn: historyTime(createdAt, utcOffsetMinutes),
    postDate: historyTime(dueAt, utcOffsetMinutes),
    formatedPostDate: longDisplayTime(dueAt, utcOffsetMinutes),
    postDateFormat: pattern ? 'MMM DD, YYYY' : displayDate(dueAt, utcOffsetMinutes),
    postTimeFormat: pattern ? 'hh:mm A' : displayTime(dueAt, utcOffsetMinutes),
  };
}

function postFlags({ account, content, ...post }: Post, owner: Owner) {
  return {
    isAdvancePost: content.comment !== '',
    canMoveToTop: owner.queue[0]?.postId !== post.postId,
    isLocked: account.locked,
    isReconnect: account.needsReconnect,
    fbAppInstall: account.appInstalled,
    isAccountPaused: account.paused,
    // The post itself: a single post cannot be paused through any call of the interface.
    isPaused: false,
    isVerified: account.loginId % 2 === 0,
    isDeleted: false,
    isInstaCommentReconnect: false,
    isCreated: true,
    isSpam: false,
    directPublish: content.instagramPostType !== 'story',
    isCommentAdded: content.comment !== '',
    isCommentUnread: false,
  };
}

function postAccount({ account }: Post, owner: Owner) {
  return {
    accountUsername: account.username,
    profilePicture: account.picture,
    accountUrl: account.currentUrl,
    color: account.color,
    accessType: 'O',
    uniqueId: String(account.uniqueId),
    scenario: account.network.scenario,
    verifiedType: account.loginId % 2 === 0 ? 'business' : '',
    subscriptionType: account.network.legacyType === 'twitter' ? 'Basic' : '',
    companyName: owner.companyName,
    accountExtraParam: account.undocumented.accountExtraParam,
  };
}
