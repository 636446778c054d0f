import type { Loaders } from '../loaders/loaders.ts';
import {
  aiRelayedResult,
  aiResult,
  hasText,
  isStillToCome,
  type AiHistoryRecord,
  type AiRelayedResult,
  type AiResult,
} from '../sources/current/openai.ts';
import { PagingError } from '../lists/errors.ts';
import { SourceError } from '../sources/errors.ts';
import type { Drift } from '../sources/drift.ts';

/** Whether a generated text is there. */
export type AiGenerationStatus = 'COMPLETE' | 'PENDING' | 'EXPIRED';

/** A text of the AI assistant: from the history, from the call that made it, or relayed. */
export interface AiGenerationRecord {
  readonly type: 'AiGeneration';
  readonly contentId: string;
  readonly status: AiGenerationStatus;
  readonly part: AiHistoryRecord | AiResult | AiRelayedResult;
}

type Known = AiHistoryRecord & AiResult;
export type AiGenerationFields = {
  readonly [K in keyof AiHistoryRecord | keyof AiResult]: Known[K];
};

/** The generation that a record of the history shows. Throws a SourceError `malformed` where it has no id. */
export function aiGenerationOf(part: AiHistoryRecord): AiGenerationRecord {
  const { contentId } = part;
  if (contentId === null) throw new SourceError('malformed', 'current', 'a generated text without an id');
  return { type: 'AiGeneration', contentId, status: hasText(part) ? 'COMPLETE' : 'PENDING', part };
}

/** A field of a generation; null where its part does not know the field. */
export function readAiGeneration<K extends keyof AiGenerationFields>(
  { part, status }: AiGenerationRecord,
  name: K,
): AiGenerationFields[K] | null {
  if (name === 'text' && status !== 'COMPLETE') return null;
  return name in part ? (part as AiGenerationFields)[name] : null;
}

/** What a relayed generation is made of. */
export interface RelayedGeneration {
  readonly contentId: string;
  readonly status: AiGenerationStatus;
  /** The service's record, as far as it is known. */
  readonly wire: object;
}

/** The generation behind a relayed record. */
export function generationOf(
  { contentId, status, wire }: RelayedGeneration,
  onDrift: (drift: Drift) => void,
): AiGenerationRecord {
  const part = aiRelayedResult(wire, { surface: 'current', endpoint: 'POST /openai/response', onDrift });
  return { type: 'AiGeneration', contentId, status, part };
}

/** What the relay of live results knows. */
export interface RecalledResults {
  /** A generation that the caller's credential asked for here, or null. */
  readonly recall: (contentId: string) => Promise<AiGenerationRecord | null>;
}

/** What generations are found with: a part of the operation's context. */
export interface GenerationContext {
  readonly loaders: Pick<Loaders, 'aiHistoryRecord'>;
  readonly live: RecalledResults;
  /** Told of fields that are not as the interface documents them. */
  readonly onDrift: (drift: Drift) => void;
}

/** What came of asking for a generation. */
export interface StartedGeneration {
  readonly contentId: string;
  /** The service's own record. */
  readonly wire: object;
  readonly isFinished: boolean;
}

/**
 * Reads a generation by its content id; null when the whole history was read and does not hold it, and it was not asked
 * for here either.
 */
export async function findAiGeneration(
  contentId: string,
  context: GenerationContext,
): Promise<AiGenerationRecord | null> {
  const part = await context.loaders.aiHistoryRecord.load(contentId);
  const found = part && aiGenerationOf(part);
  // The history may list a generation late, or before its text is there.
  return found?.status === 'COMPLETE' ? found : ((await context.live.recall(contentId)) ?? found);
}

/** What is remembered of a generation that was asked for. */
export interface RememberedGeneration {
  readonly contentId: string;
  /** The service's own record. */
  readonly wire: unknown;
  /** True where the record is one of the history, and not the answer of the call. */
  readonly isOfHistory?: boolean;
}

function whetherPending<P>(part: P, isPending: (part: P) => boolean): readonly [part: P, isPending: boolean] {
  return [part, isPending(part)];
}

/** The generation behind a remembered or fresh answer of the call that made it. */
export async function storedGenerationOf(
  { contentId, wire, isOfHistory = false }: RememberedGeneration,
  { replayed, context }: { readonly replayed: boolean; readonly context: GenerationContext },
): Promise<AiGenerationRecord> {
  const origin = { surface: 'current', endpoint: 'POST /openai/response', onDrift: context.onDrift } as const;
  const [part, isPending] = isOfHistory
    ? whetherPending(aiRelayedResult(wire, origin), (record) => !hasText(record))
    : whetherPending(aiResult(wire, origin), isStillToCome);
  const status = isPending ? 'PENDING' : 'COMPLETE';
  // What was pending when it was remembered may be there by now.
  const byNow = replayed && status === 'PENDING' ? await foundByNow(contentId, context) : null;
  return byNow ?? { type: 'AiGeneration', contentId, status, part };
}

async function foundByNow(contentId: string, context: GenerationContext): Promise<AiGenerationRecord | null> {
  const relayed = await context.live.recall(contentId);
  if (relayed?.status === 'COMPLETE') return relayed;
  try {
    const part = await context.loaders.aiHistoryRecord.load(contentId);
    const found = part && aiGenerationOf(part);
    return found?.status === 'COMPLETE' ? found : (relayed ?? found);
  } catch (error) {
    if (error instanceof SourceError || error instanceof PagingError) return null;
    throw error;
  }
}
