import type { OperationContext } from '../context.ts';
import { aiResult, type AiHistoryRecord, type AiResult } from '../sources/current/openai.ts';
import { PagingError } from '../paging/errors.ts';
import { SourceError } from '../sources/errors.ts';
import { readable } from '../sources/view.ts';

/** Whether a generated text is there. */
export type AiGenerationStatus = 'COMPLETE' | 'PENDING' | 'EXPIRED';

/** A text of the AI assistant, from the history or from the call that made it. */
export interface AiGenerationRecord {
  readonly type: 'AiGeneration';
  readonly contentId: string;
  readonly status: AiGenerationStatus;
  readonly part: AiHistoryRecord | AiResult;
}

type Known = AiHistoryRecord & AiResult;
export type AiGenerationFields = {
  readonly [K in keyof AiHistoryRecord | keyof AiResult]: Known[K];
};

/** The generation that a record of the history shows. Throws a SourceError `malformed` where it has no id. */
export function aiGenerationOf(part: AiHistoryRecord): AiGenerationRecord {
  const { contentId } = part;
  if (contentId === null) throw new SourceError('malformed', 'current', 'a generated text without an id');
  return { type: 'AiGeneration', contentId, status: statusOf(part), part };
}

// What a text's own field does not tell is no reason to take it for unfinished.
function statusOf(part: AiHistoryRecord): AiGenerationStatus {
  return readable(() => part.text ?? '') === '' ? 'PENDING' : 'COMPLETE';
}

/** A field of a generation; null where its part does not know the field. */
export function readAiGeneration<K extends keyof AiGenerationFields>(
  { part, status }: AiGenerationRecord,
  name: K,
): AiGenerationFields[K] | null {
  if (name === 'text' && status === 'PENDING') return null;
  return name in part ? (part as AiGenerationFields)[name] : null;
}

/** Reads a generation by its content id; null when the whole history was read and does not hold it. */
export async function findAiGeneration(
  contentId: string,
  context: OperationContext,
): Promise<AiGenerationRecord | null> {
  const part = await context.loaders.aiHistoryRecord.load(contentId);
  return part && aiGenerationOf(part);
}

/** The generation behind a remembered or fresh answer of the call that made it. */
export async function storedGenerationOf(
  { contentId, wire }: { readonly contentId: string; readonly wire: unknown },
  { replayed, context }: { readonly replayed: boolean; readonly context: OperationContext },
): Promise<AiGenerationRecord> {
  const part = aiResult(wire, {
    surface: 'current',
    endpoint: 'POST /openai/response',
    onDrift: context.onDrift,
  });
  // Whether a text that is still to come is empty, partial or absent here is not documented: the flag decides.
  const status = readable(() => part.isTimeConsuming) === true ? 'PENDING' : 'COMPLETE';
  // What was pending when it was remembered may be there by now.
  const finished = replayed && status === 'PENDING' ? await foundByNow(contentId, context) : null;
  return finished ?? { type: 'AiGeneration', contentId, status, part };
}

async function foundByNow(contentId: string, context: OperationContext): Promise<AiGenerationRecord | null> {
  try {
    return await findAiGeneration(contentId, context);
  } catch (error) {
    if (error instanceof SourceError || error instanceof PagingError) return null;
    throw error;
  }
}
