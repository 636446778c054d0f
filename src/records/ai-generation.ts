import { aiText, hasText, isStillToCome, type AiText } from '../sources/current/openai.ts';
import type { Loaders } from '../loaders/loaders.ts';
import { unlessUnread } from '../lists/errors.ts';
import { idOf } from '../sources/errors.ts';
import type { Drift } from '../sources/drift.ts';

/** Whether a generated text is available. */
export type AiGenerationStatus = 'COMPLETE' | 'PENDING' | 'EXPIRED';

/** A text of the AI assistant: from the history, from the call that created it, or relayed. */
export interface AiGenerationRecord {
  readonly type: 'AiGeneration';
  readonly contentId: string;
  readonly status: AiGenerationStatus;
  readonly part: AiText;
}

/** Creates the record of a generation from the history. Throws a SourceError `malformed` if it has no id. */
export function aiGenerationOf(part: AiText): AiGenerationRecord {
  const contentId = idOf(part.contentId, 'current', 'a generated text');
  return { type: 'AiGeneration', contentId, status: hasText(part) ? 'COMPLETE' : 'PENDING', part };
}

/** Returns the text of a generation once it is complete. */
export function textOf({ part, status }: AiGenerationRecord): string | null {
  return status === 'COMPLETE' ? part.text : null;
}

/** Creates the record of a generation from the service's record, as far as known. */
export function generationOf(
  { contentId, status, wire }: Omit<AiGenerationRecord, 'type' | 'part'> & { readonly wire: unknown },
  onDrift: (drift: Drift) => void,
): AiGenerationRecord {
  const part = aiText(wire, { surface: 'current', endpoint: 'POST /openai/response', onDrift });
  return { type: 'AiGeneration', contentId, status, part };
}

/** The part of the operation's context used to find generations. */
export interface GenerationContext {
  readonly loaders: Pick<Loaders, 'aiHistoryRecord'>;
  readonly live: {
    /** Returns a generation that the caller's credential requested here, or null. */
    readonly recall: (contentId: string) => AiGenerationRecord | null;
  };
  /** Called for fields that deviate from the documented interface. */
  readonly onDrift: (drift: Drift) => void;
}

/** The result of requesting a generation. */
export interface StartedGeneration {
  readonly contentId: string;
  /** The service's own record. */
  readonly wire: object;
  readonly isFinished: boolean;
}

/**
 * Reads a generation by its content id; null if the whole history was read and does not contain it, and it was not
 * requested here either.
 */
export async function findAiGeneration(
  contentId: string,
  context: GenerationContext,
): Promise<AiGenerationRecord | null> {
  const part = await context.loaders.aiHistoryRecord.load(contentId);
  const found = part && aiGenerationOf(part);
  // The history may list a generation late, or before its text is available.
  return found?.status === 'COMPLETE' ? found : (context.live.recall(contentId) ?? found);
}

/** The stored result of a generation that was requested. */
export interface RememberedGeneration {
  readonly contentId: string;
  /** The service's own record. */
  readonly wire: unknown;
}

/** Creates the record of a generation from a stored or fresh record of the service. */
export async function storedGenerationOf(
  { contentId, wire }: RememberedGeneration,
  { replayed, context }: { readonly replayed: boolean; readonly context: GenerationContext },
): Promise<AiGenerationRecord> {
  const known = generationOf({ contentId, status: 'COMPLETE', wire }, context.onDrift);
  if (!isStillToCome(known.part)) return known;
  // A text that was pending when it was stored may be available by now.
  const byNow = replayed ? await foundByNow(contentId, context) : null;
  return byNow ?? { ...known, status: 'PENDING' };
}

async function foundByNow(contentId: string, context: GenerationContext): Promise<AiGenerationRecord | null> {
  const relayed = context.live.recall(contentId);
  if (relayed?.status === 'COMPLETE') return relayed;
  return await unlessUnread(() => findAiGeneration(contentId, context));
}
