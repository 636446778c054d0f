import type { RememberedGeneration } from '../records/ai-generation.ts';
import type { WriteContext } from './context.ts';
import {
  generateAiText as sendRequest,
  hasText,
  isStillToCome,
  type NewAiText,
} from '../sources/current/openai.ts';
import { wireOf } from '../sources/view.ts';
import { findStartedGeneration, nameOfGeneration } from './find-generation.ts';
import type { KeyedResult } from './keyed-write.ts';
import { completed } from './outcome.ts';
import { Problems } from './problems.ts';
import { performWrite } from './write.ts';

/** The input of a generated text. */
export interface GenerateAiTextInput {
  readonly idempotencyKey?: string | null | undefined;
  readonly prompt: string;
  readonly tone: string;
  readonly origin?: NewAiText['generatedFrom'] | null;
  readonly template?: string | null | undefined;
}

/** A generated text as plain data: the service's own record. */
export interface StoredGeneration extends RememberedGeneration {
  readonly message: string | null;
}

/** Generates a text for one credit: validates the input, then sends it once. */
export async function generateAiText(
  context: WriteContext,
  input: GenerateAiTextInput,
): Promise<KeyedResult<StoredGeneration>> {
  const problems = new Problems();
  problems.key(input.idempotencyKey);
  problems.limits(input);
  problems.text(['prompt'], input.prompt);
  problems.text(['tone'], input.tone);
  const request: NewAiText = {
    content: input.prompt,
    tone: input.tone,
    ...(input.origin == null ? {} : { generatedFrom: input.origin }),
    ...(input.template == null ? {} : { templateUsed: input.template }),
  };
  return await performWrite(context, {
    mutation: 'generateAiText',
    problems: problems.list,
    surface: 'current',
    input,
    whereToLook: 'Look for it in aiGenerations: each call spends a credit.',
    subject: request,
    send: async (attempt) => {
      const { contentId, result, message } = await sendRequest(context.writes.sources.current(), request);
      context.writes.claims.note([nameOfGeneration(contentId)], attempt);
      const wire = wireOf(result);
      context.live.started({ contentId, wire: wire as object, isFinished: !isStillToCome(result) });
      return completed({ contentId, wire, message });
    },
    lookAgain: async (attempt) => {
      const found = await findStartedGeneration(context, attempt, request);
      if (found === null) return null;
      const { contentId, view } = found;
      const wire = wireOf(view);
      context.live.started({ contentId, wire: wire as object, isFinished: hasText(view) });
      return completed({ contentId, wire, isOfHistory: true, message: null });
    },
  });
}
