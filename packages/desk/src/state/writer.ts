import { effect, signal, type ReadonlySignal } from '@preact/signals';
import {
  AiGenerations,
  follow,
  GenerateAiText,
  newIdempotencyKey,
  writeOnce,
  type AiGenerationsQuery,
  type GenerateAiTextMutation,
} from '../../../client/src/index.ts';
import { present } from '../lib/present.ts';
import { stored } from '../lib/stored.ts';
import { sentenceOf, UNREACHABLE } from '../lib/words.ts';
import { home } from './home.ts';
import { client } from './session.ts';

/** A text of the assistant. */
export type Generation = NonNullable<NonNullable<AiGenerationsQuery['aiGenerations']>['nodes'][number]>;

/** What was last asked of the assistant, as it is kept in this tab. */
interface Asked {
  readonly key: string;
  readonly prompt: string;
  readonly tone: string;
  /** The id of the text, once the service has taken the request. */
  readonly id: string | null;
}

/** How many texts of the history are shown. */
const SHOWN = 5;

const kept = stored<Asked>('writer', () => ({
  key: newIdempotencyKey(),
  prompt: '',
  tone: 'Friendly',
  id: null,
}));
const text = signal<string | null>(null);
const pending = signal(false);
const message = signal<string | null>(null);
const credits = signal<number | null>(null);
const history = signal<readonly Generation[] | null>(null);

/** What is asked of the assistant. */
export const asked: ReadonlySignal<typeof kept.value> = kept;
/** The text that has arrived; null before. */
export const writtenText: ReadonlySignal<typeof text.value> = text;
/** Whether a text is being written. */
export const isWriting: ReadonlySignal<typeof pending.value> = pending;
/** What went wrong; null if nothing did. */
export const writerProblem: ReadonlySignal<typeof message.value> = message;
/** The credits that are left; null until a text was written. */
export const creditsLeft: ReadonlySignal<typeof credits.value> = credits;
/** The last texts of the history; null until they were read. */
export const lastTexts: ReadonlySignal<typeof history.value> = history;

effect(() => {
  // A server that is read again can be reached.
  if (home.value !== null && message.peek() === UNREACHABLE) message.value = null;
});

/** Changes what is asked, with another key: it is another text. */
export function editRequest(change: Partial<Pick<Asked, 'prompt' | 'tone'>>): void {
  kept.value = { ...kept.value, ...change, key: newIdempotencyKey(), id: null };
}

/** Asks for a text; asking again for the same costs no second credit. */
export async function requestText(): Promise<void> {
  const graph = client.value;
  if (graph === null || pending.value) return;
  const { key, prompt, tone } = kept.value;
  [pending.value, message.value, text.value] = [true, null, null];
  try {
    const result = await writeOnce(graph, GENERATE, { prompt, tone }, { idempotencyKey: key, attempts: 3 });
    const generation = result.payload?.aiGeneration;
    // The server answers the same key with the same rejection.
    if (result.outcome === 'REJECTED') editRequest({});
    if (!generation) {
      const isRejected = (result.payload ?? result).outcome === 'REJECTED';
      throw result.cause ?? new Error(isRejected ? result.userErrors[0]?.message : NOT_CONFIRMED);
    }
    credits.value = generation.creditsRemaining ?? credits.value;
    kept.value = { ...kept.value, id: generation.id };
    await receive(generation.id, generation.text);
    // Asked once more, it is to be another text.
    editRequest({});
  } catch (error) {
    message.value = sentenceOf(error);
  }
  pending.value = false;
  if (history.value !== null) await readHistory();
}

const GENERATE = {
  document: GenerateAiText,
  select: (data: GenerateAiTextMutation) => data.generateAiText,
};
// Asked for the same, the server sends nothing more.
const NOT_CONFIRMED =
  'The publishing service did not confirm. Look for the text among the earlier texts, or change the request.';

async function receive(id: string, known: string | null): Promise<void> {
  text.value = known;
  const graph = client.value;
  if (known !== null || graph === null) return;
  for await (const generation of follow(graph, id)) {
    text.value = generation.text;
    if (generation.status === 'EXPIRED')
      message.value = 'The publishing service did not deliver the text in time.';
  }
}

/** Reads the last texts of the history. */
export async function readHistory(): Promise<void> {
  try {
    const result = await client.value?.request(AiGenerations, { first: SHOWN });
    history.value = present(result?.aiGenerations?.nodes ?? []);
  } catch (error) {
    message.value = sentenceOf(error);
  }
}
