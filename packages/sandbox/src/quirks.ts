/**
 * Choices that the interface leaves open, in one place.
 *
 * The default is the most likely reading. A careful client must also handle the alternatives; a test
 * switches them on a running sandbox by assigning to `sandbox.quirks`.
 */
export interface Quirks {
  // Pages

  /** Maximum `limit` that is honoured; `null` honours every size. */
  maxLimit: number | null;
  /** A larger `limit` is clamped silently (`pageLimit` shows it), or rejected with 400. */
  overLimit: 'clamp' | 'error';
  /**
   * A page past the end: an empty list; the last page under its own number; the last page again under the
   * requested number; or 400.
   */
  beyondLastPage: 'empty' | 'last-page' | 'repeat-last' | 'error';
  /** `totalPages` of a list without records. */
  totalPagesOfEmptyList: 0 | 1;
  /** Page size of /library/list, which has no parameter for it. */
  libraryPageSize: number;
  /** The names of the counts of /library/list: as declared, as in the example, or both. */
  libraryTotals: 'declared' | 'example' | 'both';
  /** Effect of `sortOrder` with a library `sortBy` that already names a direction; ASC is the value that reverses. */
  librarySortOrder: 'ignored' | 'reverses';
  /** Whether an item must have one or all of the requested tags. */
  libraryTagMatch: 'any' | 'all';
  /** Order of /openai/historyList, which has no parameter for it. */
  historyOrder: 'newest-first' | 'oldest-first';

  // Credentials

  /** Without the key, /library/create and /library/view/{contentid} act for the first owner. */
  libraryNeedsKey: boolean;
  /** Whether the current surface also requires the access token. */
  currentNeedsToken: boolean;
  /** Where the legacy surface looks for the access token. */
  legacyTokenPlacements: readonly ('header' | 'body' | 'query')[];

  // Failures

  /** Body of a failed call of the current surface. */
  errorBody: 'message' | 'envelope' | 'error-list' | 'html' | 'empty';
  /** Status of /posts/queued for a bad parameter: the interface lists 200, 401 and 500 for it, and no 400. */
  queueBadRequestStatus: number;
  /** Status of /accounts/view/{loginId} for an account that does not exist. */
  missingAccountStatus: number;
  /** Status of /library/view/{contentid} for an item that does not exist; 200 returns a null `response`. */
  missingLibraryItemStatus: number;
  /** HTTP status of a legacy failure. */
  legacyFailureStatus: number;
  /** HTTP status of a legacy call without a valid access token. */
  legacyUnauthorizedStatus: number;
  /** The legacy `error` flag, declared an integer, as a number or as text. */
  legacyErrorFlag: 'number' | 'text';
  /** Content type of legacy responses. */
  legacyContentType: string;

  // Accounts

  /** Shape of the entries of `groups` in the account detail. */
  detailGroups: 'id-group_name' | 'groupId-groupName' | 'ids';
  /** How a missing time is written where the interface declares text. */
  absentTime: 'empty' | 'null' | 'zero-date';
  /** What `onlyAccountData=true` leaves out: nothing, or groups, shortener and counters. */
  onlyAccountData: 'ignored' | 'omits-relations';
  /** What `multiFilter` means: nothing, or a comma-separated list of paused, locked, blocked. */
  multiFilter: 'ignored' | 'states';

  // Posts

  /**
   * What the body of /posts/create requires: `shareType`, `loginIds` and `posts`, and in each item of it `type` and
   * `instagramPostType`; or `instagramPostType` alone. Then a missing `shareType` is 0 (queue), a missing `type` is
   * `original`, and without accounts or items nothing is created. `shareType` 3 requires its times in either case.
   */
  createPostsRequires: 'main-fields' | 'instagramPostType';
  /** Offset east of UTC, in minutes, of times without a zone, for reading and display. */
  utcOffsetMinutes: number;
  /** /posts/create for a login id that the owner does not have. */
  unknownLoginIds: 'reject' | 'ignore';
  /** A schedule time in the past: due at once, or rejected. */
  pastSchedule: 'due-at-once' | 'error';
  /** Legacy post with no account left after ignoring invalid ids. */
  legacyNoAccounts: 'empty-post-id' | 'failure';
  /** `H:i A`: AM/PM must agree with the 24-hour clock, or is ignored. */
  scheduleMeridiem: 'strict' | 'lenient';
  /** `postDateFormat` of the queue: a formatted date, or the pattern of one. */
  postDateFormat: 'formatted' | 'pattern';

  // AI

  /** Which generations are slow: those whose `content` says "slowly", all, or none. */
  slowAi: 'on-request' | 'always' | 'never';
  /** Whether the history lists an unfinished generation (with an empty text). */
  pendingInHistory: boolean;

  // Authorisation

  /** Whether `state` is returned to the redirect address. */
  echoState: boolean;
  /** `expires_in` of an access token, in seconds; the token then expires. */
  tokenLifetimeSeconds: number;
  /** Shape of the response of POST /oauth/accesstoken. */
  tokenResponse: 'json' | 'form' | 'nested' | 'text' | 'html';
}

/** The most likely reading of each gap. */
export const defaultQuirks: Readonly<Quirks> = {
  maxLimit: 100,
  overLimit: 'clamp',
  beyondLastPage: 'empty',
  totalPagesOfEmptyList: 0,
  libraryPageSize: 12,
  libraryTotals: 'declared',
  librarySortOrder: 'ignored',
  libraryTagMatch: 'any',
  historyOrder: 'newest-first',
  libraryNeedsKey: true,
  currentNeedsToken: false,
  legacyTokenPlacements: ['header', 'body', 'query'],
  errorBody: 'message',
  queueBadRequestStatus: 500,
  missingAccountStatus: 400,
  missingLibraryItemStatus: 422,
  legacyFailureStatus: 200,
  legacyUnauthorizedStatus: 401,
  legacyErrorFlag: 'number',
  legacyContentType: 'application/json; charset=utf-8',
  detailGroups: 'id-group_name',
  absentTime: 'empty',
  onlyAccountData: 'ignored',
  multiFilter: 'ignored',
  createPostsRequires: 'main-fields',
  utcOffsetMinutes: 0,
  unknownLoginIds: 'reject',
  pastSchedule: 'due-at-once',
  legacyNoAccounts: 'empty-post-id',
  scheduleMeridiem: 'strict',
  postDateFormat: 'formatted',
  slowAi: 'on-request',
  pendingInHistory: false,
  echoState: true,
  tokenLifetimeSeconds: 31_536_000,
  tokenResponse: 'json',
};
