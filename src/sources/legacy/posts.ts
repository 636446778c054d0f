import { defineBody, list, word, optional, part, string, type Encoded } from '../body.ts';
import { id } from '../decode.ts';
import { endpoint, WRITE, type Endpoint } from '../endpoint.ts';
import { defineView, field, readable } from '../view.ts';
import type { LegacyClient } from './client.ts';

// Status updates: short posts of the legacy surface, with a link preview or one image.

const POST_UPDATE = endpoint('legacy', 'POST /oauth/post/update', WRITE);
const POST_UPDATE_WITH_IMAGE = endpoint('legacy', 'POST /oauth/post/updatewithimage', WRITE);

/** The parts of both kinds of status update. The service silently ignores unknown account ids. */
const update = {
  text: part('post_content', string),
  accountIds: part('account_id', list(string)),
  // Publishes immediately: `true` as the service accepts it in a form. If omitted, the queue decides.
  now: optional('now', word('1', 'true')),
  // Wall-clock time as `YYYY-MM-DDTHH:mm`; the service gives it precedence over `now`.
  scheduledAt: optional('schedule_date', scheduleDate),
} as const;

const linkPreview = defineBody({
  description: optional('description', string),
  title: optional('title', string),
  url: optional('url', string),
  imagePath: optional('image', string),
});

const statusUpdate = defineBody({ ...update, preview: optional('preview', linkPreview) });
/** The input of `POST /oauth/post/update`; all parts of the link preview are optional. */
export type NewStatusUpdate = Encoded<typeof statusUpdate>;

const statusUpdateWithImage = defineBody({ ...update, imageUrl: part('image_url', string) });
/** The input of `POST /oauth/post/updatewithimage`. */
export type NewStatusUpdateWithImage = Encoded<typeof statusUpdateWithImage>;

/** The result of a status update; the service may omit the id. */
export interface CreatedStatusUpdate {
  readonly postId: string | null;
}

/**
 * POST /oauth/post/update: creates a text status update, optionally with a link preview.
 *
 * Repeatable: no; each call creates another. The text of a rejection is often HTML.
 * Interface: "POST /oauth/post/update parameters".
 */
export async function createStatusUpdate(
  client: LegacyClient,
  input: NewStatusUpdate,
): Promise<CreatedStatusUpdate> {
  return await send(client, POST_UPDATE, statusUpdate(input));
}

/**
 * POST /oauth/post/updatewithimage: creates a text status update with one image, which the service fetches.
 *
 * Repeatable: no; each call creates another. The text of a rejection is often HTML.
 * Interface: "POST /oauth/post/updatewithimage".
 */
export async function createStatusUpdateWithImage(
  client: LegacyClient,
  input: NewStatusUpdateWithImage,
): Promise<CreatedStatusUpdate> {
  return await send(client, POST_UPDATE_WITH_IMAGE, statusUpdateWithImage(input));
}

const created = defineView({ postId: field('post_id', id) });

async function send(
  client: LegacyClient,
  target: Endpoint,
  form: ReturnType<typeof statusUpdate>,
): Promise<CreatedStatusUpdate> {
  const { data, origin } = await client.call(target, { form });
  // The flag has confirmed the creation, whatever the id looks like.
  return { postId: readable(() => created(data, origin).postId) };
}

// `Y-m-d H:i A`: a 24-hour clock, with AM or PM all the same.
function scheduleDate(local: string): string {
  const [date = '', time = ''] = local.split('T');
  return `${date} ${time} ${Number(time.slice(0, 2)) < 12 ? 'AM' : 'PM'}`;
}
