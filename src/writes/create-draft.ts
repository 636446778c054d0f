import type { WriteContext } from './context.ts';
import { createDraft as sendDraft, type CreatedDraft } from '../sources/current/drafts.ts';
import type { DraftItem } from '../sources/current/post-item.ts';
import { checkRepeated, loginIdsOf } from './create-post.ts';
import { completed } from './outcome.ts';
import { checkable, Problems } from './problems.ts';
import { performWrite, type KeyedResult } from './write.ts';

/** The input for one variant of a draft or of a library item. */
export type DraftVariantInput = Omit<DraftItem, 'type'> & {
  readonly variant?: DraftItem['type'];
};

/** The input of a draft. */
interface CreateDraftInput {
  readonly idempotencyKey?: string | null | undefined;
  readonly accountIds: readonly string[];
  readonly variants?: readonly DraftVariantInput[] | null | undefined;
  readonly activeTab?: string | null | undefined;
  readonly isUrlShorteningEnabled?: boolean | null | undefined;
}

/** Saves a draft: validates all of it, then sends it once. */
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
    whereToLook: 'Look for the draft in the service’s own editor, because its API does not list drafts.',
    send: async () => completed(await sendDraft(context.writes.sources.current(), draft)),
  });
}

/** Validates a draft and builds the call to send. */
export function checkDraft(input: CreateDraftInput) {
  const problems = Problems.of(input);
  const loginIds = loginIdsOf(input.accountIds, problems);
  const { variants, activeTab, isUrlShorteningEnabled } = input;
  const items = variants && draftItemsOf(variants, problems);
  return { draft: { loginIds, items, activeTab, isUrlShorteningEnabled }, problems };
}

/** Builds the draft items of an input, and reports variants given twice and images tagged twice. */
export function draftItemsOf(variants: readonly DraftVariantInput[], problems: Problems): DraftItem[] {
  return checkable(variants).map(({ variant, ...content }, index) => {
    checkRepeated(variants, index, problems);
    problems.mediaIds(['variants', index, 'mediaIds'], content.mediaIds ?? []);
    const images = (content.taggedPeople ?? []).map(({ imageUrl }) => imageUrl);
    if (new Set(images).size < images.length)
      problems.add(['variants', index, 'taggedPeople'], 'The tagged people list the same image twice.');
    return { ...content, type: variant };
  });
}
