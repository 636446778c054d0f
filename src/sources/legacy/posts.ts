import { id } from '../decode.ts';
import { WRITE, type Endpoint } from '../endpoint.ts';
import { defineView, field, readable } from '../view.ts';
import type { LegacyClient } from './client.ts';

// Status updates: short posts of the legacy surface, with a link preview or one image.

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

/** The common input of both kinds of status update. The service silently ignores unknown account ids. */
export interface NewStatusUpdate {
  readonly text: string;
  readonly accountIds: readonly string[];
  /** Publishes immediately: `true` as the service accepts it in a form. If omitted, the queue decides. */
  readonly now?: '1' | 'true';
  /** Wall-clock time as `YYYY-MM-DDTHH:mm`; the service gives it precedence over `now`. */
  readonly scheduledAt?: string;
}

/** A link preview; all parts are optional. */
export interface LinkPreview {
  readonly title?: string;
  readonly url?: string;
  readonly imagePath?: string;
  readonly description?: string;
}

/** The result of a status update; the service may omit the id. */
export interface CreatedStatusUpdate {
  readonly postId: string | null;
}

/**
 * POST /oauth/post/update: creates a text status update, optionally with a link preview.
 *
 * Repeatable: no; each call creates another.  Fails with "rejected" (a flagged failure, its text often HTML),
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
 * POST /oauth/post/updatewithimage: creates a text status update with one image, which the service fetches.
 *
 * Repeatable: no; each call creates another.  Fails with "rejected" (a flagged failure, its text often HTML),
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
  // The flag has confirmed the creation, whatever the id looks like.
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

// `Y-m-d H:i A`: a 24-hour clock, with AM or PM all the same.
function scheduleDate(local: string): string {
  const [date = '', time = ''] = local.split('T');
  return `${date} ${time} ${Number(time.slice(0, 2)) < 12 ? 'AM' : 'PM'}`;
}
