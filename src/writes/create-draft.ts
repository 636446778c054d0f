import type { WriteContext } from './context.ts';
import { createDraft as sendDraft, type CreatedDraft } from '../sources/current/drafts.ts';
import type { DraftItem } from '../sources/current/post-item.ts';
import { loginIdsOf } from './create-post.ts';
import { omitNulls, type Loose } from './omit-nulls.ts';
import type { KeyedResult } from './keyed-write.ts';
import { completed } from './outcome.ts';
import { checkable, Problems } from './problems.ts';
import { performWrite } from './write.ts';

/** One variant of a draft or of a library item as it is asked for. */
export type DraftVariantInput = Omit<Loose<DraftItem>, 'type'> & {
  readonly variant?: DraftItem['type'] | null | undefined;
};

/** What a draft is asked for with. */
export interface CreateDraftInput {
  readonly idempotencyKey?: string | null | undefined;
  readonly accountIds: readonly string[];
  readonly variants?: readonly DraftVariantInput[] | null | undefined;
  readonly activeTab?: string | null | undefined;
  readonly isUrlShorteningEnabled?: boolean | null | undefined;
}

/** Stores a draft: checked as a whole first, then sent once. */
export async function createDraft(
  context: WriteContext,
  input: CreateDraftInput,
): Promise<KeyedResult<CreatedDraft>> {
  const { draft, problems } = checkDraft(input);
  return await performWrite(context, {
    mutation: 'createDraft',
    problems: problems.list,
    surface: 'current',
    input,
    whereToLook: 'Look at the drafts in the service itself: it has no call that shows them.',
    send: async () => completed(await sendDraft(context.writes.sources.current(), draft)),
  });
}

/** Everything that would be refused about a draft before it is sent, and the call that would be sent. */
export function checkDraft(input: CreateDraftInput) {
  const problems = new Problems();
  problems.key(input.idempotencyKey);
  problems.limits(input);
  const loginIds = loginIdsOf(input.accountIds, problems);
  const items = input.variants == null ? undefined : draftItemsOf(input.variants, problems);
  const draft = {
    loginIds,
    ...(items === undefined ? {} : { items }),
    ...(input.activeTab == null ? {} : { currentActiveTab: input.activeTab }),
    ...(input.isUrlShorteningEnabled == null ? {} : { enableShortUrl: input.isUrlShorteningEnabled }),
  };
  return { draft, problems };
}

/** The draft items of an input; notes a variant that is given twice and images tagged twice. */
export function draftItemsOf(variants: readonly DraftVariantInput[], problems: Problems): DraftItem[] {
  return checkable(variants).map(({ variant, ...content }, index) => {
    const isRepeated = variant != null && variants.findIndex((other) => other.variant === variant) < index;
    if (isRepeated)
      problems.add(['variants', index, 'variant'], 'is given twice; each network has one variant.');
    problems.rawIds(['variants', index, 'mediaIds'], content.mediaIds ?? []);
    const images = (content.taggedPeople ?? []).map(({ imageUrl }) => imageUrl);
    if (new Set(images).size < images.length)
      problems.add(['variants', index, 'taggedPeople'], 'holds an image twice.');
    return { ...omitNulls<Omit<DraftItem, 'type'>>(content), ...(variant == null ? {} : { type: variant }) };
  });
}
