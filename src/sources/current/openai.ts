import { malformed } from '../call.ts';
import { flag, id, instant, integer, text } from '../decode.ts';
import { LIST_READ, WRITE, type Endpoint } from '../endpoint.ts';
import type { Origin } from '../drift.ts';
import { defineView, inspected, field, readable, record, wireOf, type Decoder, type Seen } from '../view.ts';
import { displayTime, isoWithoutOffset } from '../wall-clock.ts';
import { readPage, type CurrentClient, type Page, type PageRequest } from './client.ts';

// Texts that the service's AI assistant generates, and the history of them.

const HISTORY_LIST: Endpoint = {
  name: 'GET /openai/historyList',
  surface: 'current',
  method: 'GET',
  path: '/openai/historyList',
  ...LIST_READ,
};

const AI_DEADLINE_MS = 60_000;

const RESPONSE: Endpoint = {
  name: 'POST /openai/response',
  surface: 'current',
  method: 'POST',
  path: '/openai/response',
  ...WRITE,
  deadlineMs: AI_DEADLINE_MS,
};

/** What a generation cost, in the AI's own tokens. */
export const tokenUsage = defineView({
  input: field('inputToken', integer),
  output: field('outputToken', integer),
  total: field('totalToken', integer),
});
export type TokenUsage = Seen<typeof tokenUsage>;

const NO_TEMPLATE = 'No Template';

const template: Decoder<string> = (value, origin) => {
  const name = text(value, origin);
  return name === NO_TEMPLATE ? null : name;
};

const SHARED_FIELDS = {
  contentId: field('contentId', id),
  prompt: field('userInput', text),
  text: field('aiResponse', text),
  tone: field('tone', text),
  originCode: field('generatedFrom', text),
  template: field('templateUsed', template),
  tokenUsage: field('aiToken', record(tokenUsage)),
  ownerId: field('ownerId', id),
  companyId: field('companyId', id),
};

type TimeForm = 'instant' | 'wallClock' | 'other';

function timeFormOf(value: unknown): TimeForm {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d[T ]/.test(value)) return 'other';
  // Without an offset it states no instant, wherever it stands.
  return /(?:Z|[+-]\d\d:?\d\d)$/.test(value) ? 'instant' : 'wallClock';
}

/** Decodes times of the given forms; those of another form are for another field. */
function timeOf<T>(decoders: Readonly<Partial<Record<TimeForm, Decoder<T>>>>): Decoder<T> {
  return (value, holder) => decoders[timeFormOf(value)]?.(value, holder) ?? null;
}

// The history is documented with display times; a record that comes with the instant of its result keeps it.
const EITHER_TIME = {
  createdAt: field('createdOn', timeOf({ instant })),
  createdAtLocal: field('createdOn', timeOf({ wallClock: isoWithoutOffset, other: displayTime })),
};

/** A generated text as the history shows it: with the service's wall-clock time, to the minute. */
export const aiHistoryRecord = defineView({ ...SHARED_FIELDS, ...EITHER_TIME });
export type AiHistoryRecord = Seen<typeof aiHistoryRecord>;

/** A generated text as the call that made it answers: with an instant, and with the credits that are left. */
export const aiResult = defineView({
  ...SHARED_FIELDS,
  createdAt: field('createdOn', timeOf({ instant, other: instant })),
  createdAtLocal: field('createdOn', timeOf({ wallClock: isoWithoutOffset })),
  isTimeConsuming: field('timeConsuming', flag),
  creditsRemaining: field('totalCredit', integer),
});
export type AiResult = Seen<typeof aiResult>;

/**
 * Whether the text is to come later: the flag says so, whatever stands in its place until then, which is not documented.
 * Without the flag, an answer that holds no text is not the end of it either: the history may have one.
 */
export function isStillToCome(result: AiResult): boolean {
  return readable(() => result.isTimeConsuming) === true || !hasText(result);
}

/** A generated text as it is relayed: what the call that made it answered, joined with what came of it later. */
export const aiRelayedResult = defineView({
  ...SHARED_FIELDS,
  ...EITHER_TIME,
  creditsRemaining: field('totalCredit', integer),
});
export type AiRelayedResult = Seen<typeof aiRelayedResult>;

/** Whether a text is there. A text that can't be read is no reason to take it for unfinished. */
export function hasText(generation: AiHistoryRecord | AiResult | AiRelayedResult): boolean {
  return readable(() => generation.text ?? '') !== '';
}

/** True where two records of one content id say that they are of different owners. */
export function isOfAnother(ours: unknown, other: unknown): boolean {
  const [ourOwner, otherOwner] = [ours, other].map((wire) =>
    readable(() => ownership(wire, UNHEARD).ownerId),
  );
  return ourOwner !== null && otherOwner !== null && ourOwner !== otherOwner;
}

const ownership = defineView({ ownerId: field('ownerId', id) });
const UNHEARD: Origin = { surface: 'current', endpoint: RESPONSE.name, onDrift: () => undefined };

/** A copy of a result from a message, without secrets. */
export function cleanResult(wire: unknown): unknown {
  return wireOf(aiRelayedResult(wire, UNHEARD));
}

/** The record of a generation with no more than its id. */
export function bareResult(contentId: string): object {
  return { contentId };
}

const timeIn = (wire: unknown): unknown => (wire as { readonly createdOn?: unknown } | null)?.createdOn;

/**
 * Two records of one generation as one: what the later one says counts, what it leaves out stays, and an instant is kept
 * in preference to a time to the minute.
 */
export function joinResults(earlier: unknown, later: unknown): object {
  const said = Object.entries({ ...(later as object) }).filter(([, value]) => value != null && value !== '');
  const joined: Record<string, unknown> = { ...(earlier as object), ...Object.fromEntries(said) };
  const exact = [later, earlier].map(timeIn).find((time) => timeFormOf(time) === 'instant');
  return exact === undefined ? joined : { ...joined, createdOn: exact };
}

/**
 * GET /openai/historyList: one page of the generated texts; the service takes no order.
 *
 * Repeatable: yes.  Fails with "rejected" (400), "unauthenticated" (401), "unavailable" (5xx), "timeout", "malformed".
 * Interface: "AI history record", "Current surface".
 */
export async function listAiHistory(
  client: CurrentClient,
  { page, size }: PageRequest,
): Promise<Page<AiHistoryRecord>> {
  return await readPage(client, HISTORY_LIST, { page, parameters: { page, limit: size } }, aiHistoryRecord);
}

/** What `POST /openai/response` takes. */
export interface NewAiText {
  readonly content: string;
  readonly tone: string;
  readonly generatedFrom?: 'post' | 'hashtag';
  readonly templateUsed?: string;
}

/** What came of `POST /openai/response`. */
export interface GeneratedAiText {
  readonly contentId: string;
  readonly result: AiResult;
  readonly message: string | null;
}

/**
 * POST /openai/response: generates a text, for a credit; within a minute, or with `isTimeConsuming` and later.
 *
 * Repeatable: no; each call spends a credit.  Fails with "rejected" (400), "unauthenticated" (401), "unavailable"
 * (5xx), "timeout", "malformed"; after the last three the credit may be spent.
 * Interface: "POST /openai/response body".
 */
export async function generateAiText(client: CurrentClient, request: NewAiText): Promise<GeneratedAiText> {
  const { response, message, origin } = await client.call(RESPONSE, { body: request });
  const result = inspected(aiResult, response, origin);
  if (result.contentId === null) throw malformed(RESPONSE, 'no content id');
  return { contentId: result.contentId, result, message };
}
