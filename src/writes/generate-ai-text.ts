import type { WriteContext } from './context.ts';
import { generateAiText as sendRequest, isStillToCome, type NewAiText } from '../sources/current/openai.ts';
import { wireOf } from '../sources/view.ts';
import type { KeyedResult } from './journal.ts';
import { completed } from './outcome.ts';
import { Problems } from './problems.ts';
import { performWrite } from './write.ts';

/** What a text is asked for with. */
export interface GenerateAiTextInput {
  readonly idempotencyKey?: string | null | undefined;
  readonly content: string;
  readonly tone: string;
  readonly origin?: NewAiText['generatedFrom'] | null;
  readonly template?: string | null | undefined;
}

/** A generated text, as plain data: the service's own record. */
export interface StoredGeneration {
  readonly contentId: string;
  readonly wire: unknown;
  readonly message: string | null;
}

/** Generates a text, for a credit: checked first, then sent once. */
export async function generateAiText(
  context: WriteContext,
  input: GenerateAiTextInput,
): Promise<KeyedResult<StoredGeneration>> {
  const problems = new Problems();
  problems.key(input.idempotencyKey);
  problems.limits(input);
  problems.text(['content'], input.content);
  problems.text(['tone'], input.tone);
  const request: NewAiText = {
    content: input.content,
    tone: input.tone,
    ...(input.origin == null ? {} : { generatedFrom: input.origin }),
    ...(input.template == null ? {} : { templateUsed: input.template }),
  };
  return await performWrite(context, {
    mutation: 'generateAiText',
    problems: problems.list,
    surface: 'current',
    input,
    howToFindOut: 'Look for it in aiGenerations before you ask again: each call spends a credit.',
    send: async () => {
      const { contentId, result, message } = await sendRequest(context.writes.sources.current(), request);
      const wire = wireOf(result);
      context.live.started({ contentId, wire: wire as object, isFinished: !isStillToCome(result) });
      return completed({ contentId, wire, message });
    },
  });
}
