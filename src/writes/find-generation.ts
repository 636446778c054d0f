import { listAiHistory, type AiHistoryRecord, type NewAiText } from '../sources/current/openai.ts';
import { readable } from '../sources/view.ts';
import type { WriteContext } from './context.ts';
import { isNewer, isSince, searchEnds } from './find-created.ts';
import type { Attempt } from './keyed-write.ts';

/** The kind under which generations are claimed. */
const KIND = 'generateAiText';

/**
 * Finds the generation started by a call of unknown outcome: the only one in the history with the same input since
 * then. Null if there is none or more than one, or if another write may have created it.
 */
export async function findStartedGeneration(
  context: WriteContext,
  attempt: Attempt,
  request: NewAiText,
): Promise<{ readonly contentId: string; readonly view: AiHistoryRecord } | null> {
  const { claims, sources } = context.writes;
  const found = new Map<string, AiHistoryRecord>();
  const take = (view: AiHistoryRecord): void => {
    const contentId = readable(() => view.contentId);
    const isWanted = isSame(view, request) && isMadeSince(attempt, view, context);
    if (contentId !== null && isWanted && claims.isFree(nameOfGeneration(contentId), attempt))
      found.set(contentId, view);
  };
  await searchEnds((page) => listAiHistory(sources.current(), page), take);
  for (const other of claims.others(KIND, attempt)) if (isAlike(request, other as NewAiText)) return null;
  const [only, another] = found;
  if (!only || another) return null;
  const [contentId, view] = only;
  claims.note([nameOfGeneration(contentId)], attempt);
  return { contentId, view };
}

/** Returns the name under which a generation is claimed. */
export const nameOfGeneration = (contentId: string): string => `generation ${contentId}`;

function isSame(view: AiHistoryRecord, { content, tone, generatedFrom, templateUsed }: NewAiText): boolean {
  return (
    readable(() => view.prompt) === content &&
    readable(() => view.tone) === tone &&
    (generatedFrom === undefined || readable(() => view.originCode) === generatedFrom) &&
    (templateUsed === undefined || readable(() => view.template) === templateUsed)
  );
}

function isAlike(one: NewAiText, other: NewAiText): boolean {
  return one.content === other.content && one.tone === other.tone;
}

function isMadeSince(attempt: Attempt, view: AiHistoryRecord, context: WriteContext): boolean {
  const instant = readable(() => view.createdAt);
  if (instant !== null) return isSince(attempt.startedAt, instant);
  return isNewer(
    attempt,
    readable(() => view.createdAtLocal),
    context,
  );
}
