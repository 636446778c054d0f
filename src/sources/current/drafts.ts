import { malformed } from '../call.ts';
import { id } from '../decode.ts';
import { WRITE, type Endpoint } from '../endpoint.ts';
import { defineView, inspected, field } from '../view.ts';
import type { CurrentClient } from './client.ts';
import { encodeDraftItem, type DraftItem } from './post-item.ts';

// Drafts can only be created: the service has no call to read, list, change or publish one.

const DRAFT_CREATE: Endpoint = {
  name: 'POST /draft/create',
  surface: 'current',
  method: 'POST',
  path: '/draft/create',
  ...WRITE,
};

/** The input of `POST /draft/create`. */
export interface NewDraft {
  readonly loginIds: readonly number[];
  readonly items?: readonly DraftItem[];
  readonly enableShortUrl?: boolean;
  readonly currentActiveTab?: string;
}

const createdDraft = defineView({ draftId: field('draftId', id) });

/** The result of `POST /draft/create`. */
export interface CreatedDraft {
  readonly draftId: string;
  readonly message: string | null;
}

/**
 * POST /draft/create: saves a draft.
 *
 * Repeatable: no; each call saves another.  Fails with "rejected" (4xx), "unauthenticated" (401), "unavailable" (5xx),
 * "timeout", "malformed"; after the last three the draft may exist.
 * Interface: "POST /draft/create body".
 */
export async function createDraft(client: CurrentClient, draft: NewDraft): Promise<CreatedDraft> {
  const body = {
    enableShortUrl: draft.enableShortUrl,
    currentActiveTab: draft.currentActiveTab,
    loginIds: draft.loginIds,
    posts: draft.items?.map(encodeDraftItem),
  };
  const { response, message, origin } = await client.call(DRAFT_CREATE, { body });
  const { draftId } = inspected(createdDraft, response, origin);
  if (draftId === null) throw malformed(DRAFT_CREATE, 'no draft id');
  return { draftId, message };
}
