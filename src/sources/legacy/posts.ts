import { id } from '../decode.ts';
import { WRITE, type Endpoint } from '../endpoint.ts';
import { defineView, field, readable } from '../view.ts';
import type { LegacyClient } from './client.ts';

// Status updates: short posts of the legacy surface, with a link preview or with one image.

const POST_UPDATE: Endpoint = {
  name: 'POST /oauth/post/update',
  surface: 'legacy',
  method: 'POST',
  path: '/oauth/post/update',
  ...WRITE,
};

const POST_UPDATE_WITH_IMAGE: Endpoint = {
  name: 'POST /oauth/post/updatewithimage',
  surface: 'legacy',
  method: 'POST',
  path: '/oauth/post/updatewithimage',
  ...WRITE,
};

/** What both kinds of status update take. Unknown account ids are ignored by the service without a word. */
export interface NewStatusUpdate {
  readonly text: string;
  readonly accountIds: readonly string[];
  /** Publish at once: `true` as the service takes it in a form. Left out, the queue decides. */
  readonly now?: '1' | 'true';
  /** Wall-clock time as `YYYY-MM-DDTHH:mm`; the service lets it override `now`. */
  readonly scheduledAt?: string;
}

/** A link preview; all parts are optional. */
export interface LinkPreview {
  readonly title?: string;
  readonly url?: string;
  readonly imagePath?: string;
  readonly description?: string;
}

/** What came of a status update; the service may leave the id out. */
export interface CreatedStatusUpdate {
  readonly postId: string | null;
}

/**
 * POST /oauth/post/update: makes a status update of text, with a link preview or without.
 *
 * Repeatable: no; each call makes it again.  Fails with "rejected" (a flagged failure, its text often HTML),
 * "unauthenticated" (401), "unavailable" (5xx), "timeout", "malformed"; after the last three it may exist.
 * Interface: "POST /oauth/post/update parameters".
 */
export async function createStatusUpdate(
  client: LegacyClient,
  update: NewStatusUpdate & { readonly preview?: LinkPreview },
): Promise<CreatedStatusUpdate> {
  const { imagePath, ...preview } = update.preview ?? {};
  return await send(client, POST_UPDATE, {
    ...formOf(update),
    preview: update.preview && { ...preview, image: imagePath },
  });
}

/**
 * POST /oauth/post/updatewithimage: makes a status update of text with one image, which the service fetches.
 *
 * Repeatable: no; each call makes it again.  Fails with "rejected" (a flagged failure, its text often HTML),
 * "unauthenticated" (401), "unavailable" (5xx), "timeout", "malformed"; after the last three it may exist.
 * Interface: "POST /oauth/post/updatewithimage".
 */
export async function createStatusUpdateWithImage(
  client: LegacyClient,
  update: NewStatusUpdate & { readonly imageUrl: string },
): Promise<CreatedStatusUpdate> {
  return await send(client, POST_UPDATE_WITH_IMAGE, { ...formOf(update), image_url: update.imageUrl });
}

const created = defineView({ postId: field('post_id', id) });

async function send(client: LegacyClient, endpoint: Endpoint, form: object): Promise<CreatedStatusUpdate> {
  const { data, origin } = await client.call(endpoint, { form: { ...form } });
  // The flag has said that it was made, whatever the id looks like.
  return { postId: readable(() => created(data, origin).postId) };
}

function formOf({ text, accountIds, now, scheduledAt }: NewStatusUpdate) {
  return {
    post_content: text,
    account_id: accountIds,
    now,
    schedule_date: scheduledAt === undefined ? undefined : scheduleDate(scheduledAt),
  };
}

// `Y-m-d H:i A`: a 24-hour clock that says AM or PM all the same.
function scheduleDate(local: string): string {
  const [date = '', time = ''] = local.split('T');
  return `${date} ${time} ${Number(time.slice(0, 2)) < 12 ? 'AM' : 'PM'}`;
}
