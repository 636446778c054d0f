import type { Clock } from '../clock.ts';
import { countTokens } from '../data/build-owner.ts';
import type { Generation, Owner } from '../data/model.ts';
import type { Random } from '../data/random.ts';
import type { PushHub } from '../push/hub.ts';
import type { Quirks } from '../quirks.ts';
import { generationResult } from '../wire/generation.ts';

/** A request to the fake assistant. */
export interface GenerationRequest {
  readonly content: string;
  readonly tone: string;
  readonly generatedFrom: string;
  readonly templateUsed: string;
}

/** A pending generation. */
export interface PendingGeneration {
  readonly generation: Generation;
  readonly owner: Owner;
}

/** The end of a generation: how often it is pushed, and whether it enters the history. */
export interface Ending {
  readonly pushes?: number;
  readonly history?: boolean;
}

/** Generates texts, immediately or slowly. */
export interface GenerationDesk {
  /** Spends a credit; `pending` says that the text comes later. */
  start(
    owner: Owner,
    request: GenerationRequest,
  ): { readonly generation: Generation; readonly pending: boolean };
  pending(owner: Owner): readonly Generation[];
  /** Ends a pending generation now: once to the sockets and into the history, unless told otherwise. */
  finish(contentId: string, ending?: Ending): void;
  /** Pushes a result again, or ahead of time; the history is unchanged. */
  deliver(contentId: string): void;
}

/** The dependencies of the desk. */
export interface DeskParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly quirks: Quirks;
  readonly hub: PushHub;
  readonly slowAiDelayMs: number;
}

/** Creates a desk with nothing pending. */
export function createGenerationDesk({
  clock,
  random,
  quirks,
  hub,
  slowAiDelayMs,
}: DeskParts): GenerationDesk {
  const known = new Map<string, PendingGeneration>();
  const pending = new Map<string, () => void>();

  const deliver = (contentId: string) => {
    const entry = known.get(contentId);
    if (!entry) throw new Error(`no generation ${contentId} was started here`);
    hub.send(entry.owner, generationResult(entry.generation, entry.owner, true));
  };

  const finish = (contentId: string, { pushes = 1, history = true }: Ending = {}) => {
    const cancel = pending.get(contentId);
    const entry = known.get(contentId);
    if (!cancel || !entry) throw new Error(`no generation ${contentId} is pending`);
    cancel();
    pending.delete(contentId);
    if (history) entry.owner.history.push(entry.generation);
    for (let count = 0; count < pushes; count += 1) deliver(contentId);
  };

  return {
    deliver,
    finish,
    pending: (owner) =>
      [...known.values()]
        .filter((entry) => entry.owner === owner && pending.has(entry.generation.contentId))
        .map((entry) => entry.generation),
    start(owner, request) {
      const generation = compose(request, random.hex(24), clock.now());
      const speed = speedOf(request.content, quirks);
      owner.creditsRemaining -= 1;
      known.set(generation.contentId, { generation, owner });
      if (speed === 'at-once') {
        owner.history.push(generation);
        return { generation, pending: false };
      }
      const wait = () => clock.after(slowAiDelayMs, () => finish(generation.contentId));
      pending.set(generation.contentId, speed === 'never' ? () => undefined : wait());
      return { generation, pending: true };
    },
  };
}

function speedOf(content: string, { slowAi }: Quirks): 'at-once' | 'slowly' | 'never' {
  const asked = /\bslowly\b/i.test(content);
  const slow = slowAi === 'always' || (slowAi === 'on-request' && asked);
  if (!slow) return 'at-once';
  return asked && /\bnever\b/i.test(content) ? 'never' : 'slowly';
}

/** Writes a text that cannot be mistaken for a model's. */
function compose(request: GenerationRequest, contentId: string, createdAt: number): Generation {
  const aiResponse =
    request.generatedFrom === 'hashtag'
      ? '#sandbox #NoModelWasAsked'
      : `The sandbox made this text, no model was asked. Tone: ${request.tone}. You asked for: ${request.content}`;
  return {
    contentId,
    userInput: request.content,
    aiResponse,
    tone: request.tone,
    tokens: { input: countTokens(request.content), output: countTokens(aiResponse) },
    generatedFrom: request.generatedFrom,
    templateUsed: request.templateUsed,
    createdAt,
  };
}
