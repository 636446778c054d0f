// From the service's spellings to the graph's, by hand: what the floor and the hand-written resolvers share.

const NETWORKS = {
  facebook: 'FACEBOOK',
  twitter: 'X',
  linkedin: 'LINKEDIN',
  instagram: 'INSTAGRAM',
  pinterest: 'PINTEREST',
  gmb: 'GOOGLE_BUSINESS',
  youtube: 'YOUTUBE',
  tumblr: 'TUMBLR',
  tiktok: 'TIKTOK',
};
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DISPLAY_TIME = /^(\d\d)-(\w{3})-(\d{4}) (\d\d):(\d\d) (AM|PM)$/;

/** Letters by which a global id names its type. */
export const TYPE = { account: 'a', group: 'g', post: 'q', item: 'i', generation: 't' };

export function globalId(type, rawId) {
  return Buffer.from(`1${type}c:${rawId}`).toString('base64url');
}

/** The service's own id within a global id. */
export function rawIdOf(id) {
  return Buffer.from(id, 'base64url').toString().slice('1ac:'.length);
}

/** The network of a platform code such as `linkedin-pages`. */
export function networkOf(code) {
  return NETWORKS[code.split('-', 1)[0]] ?? 'UNKNOWN';
}

/** `21-Nov-2026 09:30 PM` as `2026-11-21T21:30`. */
export function localTime(label) {
  const [, day, month, year, hour, minute, half] = DISPLAY_TIME.exec(label);
  const monthNumber = String(MONTHS.indexOf(month) + 1).padStart(2, '0');
  const hours = String((Number(hour) % 12) + (half === 'PM' ? 12 : 0)).padStart(2, '0');
  return `${year}-${monthNumber}-${day}T${hours}:${minute}`;
}

/** A text of the service, which leaves out what it does not know by writing nothing. */
export function textOf(value) {
  return value === '' ? null : value;
}

/**
 * Where a list goes on. The cursors of the hand-written contestants are the number of records before, and the key of the
 * last of them: `10:4711`.
 */
export function placeOf(after) {
  if (after === null || after === undefined) return { offset: 0, lastKey: null };
  const [offset, lastKey] = after.split(':');
  return { offset: Number(offset), lastKey };
}

/** The body of `POST /posts/create` for a post of the graph. */
export function newPost({ accountIds, variants }) {
  return {
    shareType: 0,
    loginIds: accountIds.map((id) => Number(rawIdOf(id))),
    posts: variants.map(({ variant, text }) => ({
      type: variant.toLowerCase(),
      postDesc: text,
      instagramPostType: 'post',
    })),
  };
}
