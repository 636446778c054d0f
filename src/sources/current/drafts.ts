import { defineBody, boolean, list, number, optional, part, string, type Encoded } from '../body.ts';
import { malformed } from '../client.ts';
import { id } from '../decode.ts';
import { endpoint, WRITE } from '../endpoint.ts';
import { defineView, inspected, field } from '../view.ts';
import type { CurrentClient } from './client.ts';
import { draftItem } from './post-item.ts';

// Drafts can only be created: the service has no call to read, list, change or publish one.

const DRAFT_CREATE = endpoint('current', 'POST /draft/create', WRITE);

const newDraft = defineBody({
  isUrlShorteningEnabled: optional('enableShortUrl', boolean),
  activeTab: optional('currentActiveTab', string),
  loginIds: part('loginIds', list(number)),
  items: optional('posts', list(draftItem)),
});
/** The input of `POST /draft/create`. */
export type NewDraft = Encoded<typeof newDraft>;

const createdDraft = defineView({ draftId: field('draftId', id) });

/** The result of `POST /draft/create`. */
export interface CreatedDraft {
  readonly draftId: string;
  readonly message: string | null;
}

/**
 * POST /draft/create: saves a draft.
 *
 * Repeatable: no; each call saves another.  Interface: "POST /draft/create body".
 */
export async function createDraft(client: CurrentClient, draft: NewDraft): Promise<CreatedDraft> {
  const { response, message, origin } = await client.call(DRAFT_CREATE, { body: newDraft(draft) });
  const { draftId } = inspected(createdDraft, response, origin);
  if (draftId === null) throw malformed(DRAFT_CREATE, 'a draft id', origin);
  return { draftId, message: message() };
}
