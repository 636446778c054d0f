/** What a response to one result is written as. */
export type ResponseType = 'application/json' | 'application/graphql-response+json';

/** What a caller takes for an answer. */
export interface Accepted {
  /** What one result is written as; null where the caller takes no JSON. */
  readonly result: ResponseType | null;
  /** Whether it takes results one after the other, as server-sent events. */
  readonly events: boolean;
  /** The same for Yoga, which reads it again. */
  readonly header: string;
}

/** Media type of server-sent events. */
export const EVENTS_TYPE = 'text/event-stream';

/** Every type that an answer may have. */
export const ANSWER_TYPES = ['application/json', 'application/graphql-response+json', EVENTS_TYPE] as const;
type AnswerType = (typeof ANSWER_TYPES)[number];

// Clients send the same few headers again and again.
const known = new Map<string, Accepted>();
const MOST_KNOWN = 100;
const LONGEST_KNOWN = 200;

/**
 * Reads what a caller accepts, as HTTP has it: the most specific range decides on a type, and a quality of 0 is a refusal.
 * Charsets don't count: JSON and events are UTF-8 alone. Without the header, or with an empty one, everything is accepted.
 */
export function acceptedBy(accept = '*/*'): Accepted {
  const found = known.get(accept);
  if (found !== undefined) return found;
  const accepted = read(accept.trim() === '' ? '*/*' : accept);
  if (known.size < MOST_KNOWN && accept.length < LONGEST_KNOWN) known.set(accept, accepted);
  return accepted;
}

/** One range of the header. */
interface Range {
  readonly type: string;
  readonly quality: number;
  /** Its place in the header. */
  readonly place: number;
}

/** How much a caller wants a type: by quality, then by where in the header it stands. */
interface Wish {
  readonly quality: number;
  readonly place: number;
}

function read(accept: string): Accepted {
  const ranges = accept.split(',').map(rangeOf);
  const [json, graphql, events] = ANSWER_TYPES.map((type) => wishOf(type, ranges));
  const result = preferred(json, graphql);
  const header = [...(result ? [result] : []), ...(events ? [EVENTS_TYPE] : [])].join(', ');
  return { result, events: events !== null, header };
}

function rangeOf(text: string, place: number): Range {
  const [type = '', ...parameters] = text.toLowerCase().split(';');
  const quality = parameters.map((parameter) => /^\s*q\s*=\s*"?([\d.]+)/.exec(parameter)?.[1]).find(Boolean);
  return { type: type.trim(), quality: Number(quality ?? 1) || 0, place };
}

/** The ranges that a type is in, the most specific one first. */
function rangesOf(type: AnswerType): readonly string[] {
  return [type, type.replace(/\/.*/, '/*'), '*/*'];
}

function wishOf(type: AnswerType, ranges: readonly Range[]): Wish | null {
  for (const spelling of rangesOf(type)) {
    const own = ranges.filter((range) => range.type === spelling);
    const [best] = own.toSorted((one, other) => other.quality - one.quality);
    if (best) return best.quality > 0 ? best : null;
  }
  return null;
}

// Of a range that both are in, clients expect what servers of old answered.
function preferred(json: Wish | null | undefined, graphql: Wish | null | undefined): ResponseType | null {
  if (!graphql) return json ? 'application/json' : null;
  if (!json) return 'application/graphql-response+json';
  const isGraphql =
    graphql.quality > json.quality || (graphql.quality === json.quality && graphql.place < json.place);
  return isGraphql ? 'application/graphql-response+json' : 'application/json';
}
