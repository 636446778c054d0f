import type { RememberedGeneration } from '../records/ai-generation.ts';
import type { WriteContext } from './context.ts';
import {
  generateAiText as sendRequest,
  hasText,
  isStillToCome,
  type AiText,
  type NewAiText,
} from '../sources/current/openai.ts';
import { wireOf } from '../sources/view.ts';
import { searchFor, type Search } from './find-created.ts';
import { completed } from './outcome.ts';
import { Problems } from './problems.ts';
import { performWrite, type KeyedResult } from './write.ts';

const MUTATION = 'generateAiText';

/** The input of a generated text. */
interface GenerateAiTextInput {
  readonly idempotencyKey?: string | null | undefined;
  readonly prompt: string;
  readonly tone: string;
  readonly origin?: NewAiText['origin'];
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
  const problems = Problems.of(input);
  problems.text(['prompt'], input.prompt);
  problems.text(['tone'], input.tone);
  return await performWrite(context, {
    mutation: MUTATION,
    problems: problems.list,
    surface: 'current',
    input,
    whereToLook: 'Look for the text in the list of generated texts; each generation spends a credit.',
    search: context.readsBeforeWrites ? searchForGeneration(context, input) : null,
    readsBefore: input.idempotencyKey != null,
    send: async () => {
      const { contentId, result, message } = await sendRequest(context.writes.sources.current(), input);
      const wire = wireOf(result);
      context.live.started({ contentId, wire, isFinished: !isStillToCome(result) });
      return completed<StoredGeneration>({ contentId, wire, message });
    },
  });
}

function searchForGeneration(context: WriteContext, input: NewAiText): Search<StoredGeneration> {
  const { prompt, tone, origin, template } = input;
  return searchFor({
    list: () => context.writes.loaders().aiHistory(),
    marks: [`${MUTATION} ${tone.length} ${tone}${prompt}`],
    places: [''],
    placeOf: (view: AiText) =>
      view.prompt === prompt &&
      view.tone === tone &&
      (origin == null || view.originCode === origin) &&
      // An empty template of a record reads as absent.
      (template == null || (view.template ?? '') === template)
        ? ''
        : null,
    dataOf([{ id: contentId, row }]) {
      const wire = wireOf(row);
      context.live.started({ contentId, wire, isFinished: hasText(row) });
      return { contentId, wire, message: null };
    },
  });
}
