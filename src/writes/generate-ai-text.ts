import type { RememberedGeneration } from '../records/ai-generation.ts';
import type { WriteContext } from './context.ts';
import {
  generateAiText as sendRequest,
  hasText,
  isStillToCome,
  type AiHistoryRecord,
  type NewAiText,
} from '../sources/current/openai.ts';
import { wireOf } from '../sources/view.ts';
import { searchFor, type Search } from './find-created.ts';
import { completed } from './outcome.ts';
import { Problems } from './problems.ts';
import { performWrite, type KeyedResult } from './write.ts';

const MUTATION = 'generateAiText';

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
    mutation: MUTATION,
    problems: problems.list,
    surface: 'current',
    input,
    whereToLook: 'Look for the text in the list of generated texts; each generation spends a credit.',
    search: context.readsBeforeWrites ? searchForGeneration(context, request) : null,
    readsBefore: input.idempotencyKey != null,
    send: async () => {
      const { contentId, result, message } = await sendRequest(context.writes.sources.current(), request);
      const wire = wireOf(result);
      context.live.started({ contentId, wire: wire as object, isFinished: !isStillToCome(result) });
      return completed({ contentId, wire, message });
    },
  });
}

function searchForGeneration(context: WriteContext, request: NewAiText): Search<StoredGeneration> {
  const { content, tone, generatedFrom, templateUsed } = request;
  return searchFor({
    list: () => context.writes.loaders().aiHistory(),
    marks: [`${MUTATION} ${tone.length} ${tone}${content}`],
    places: [''],
    placeOf: (view: AiHistoryRecord) =>
      view.prompt === content &&
      view.tone === tone &&
      (generatedFrom === undefined || view.originCode === generatedFrom) &&
      (templateUsed === undefined || view.template === templateUsed)
        ? ''
        : null,
    dataOf([{ id: contentId, row }]) {
      const wire = wireOf(row);
      context.live.started({ contentId, wire: wire as object, isFinished: hasText(row) });
      return { contentId, wire, isOfHistory: true, message: null };
    },
  });
}
