/** The media type of a response with one result. */
export type ResponseType = 'application/json' | 'application/graphql-response+json';

/** The kinds of response that a caller accepts. */
export interface Accepted {
  /** The media type of a single result; null if the caller accepts no JSON. */
  readonly result: ResponseType | null;
  /** Whether it accepts a stream of results as server-sent events. */
  readonly events: boolean;
  /** The header to pass to Yoga, which parses it again. */
  readonly header: string;
}

/** Media type of server-sent events. */
export const EVENTS_TYPE = 'text/event-stream';

/** Every media type that a response may have. */
export const ANSWER_TYPES = ['application/json', 'application/graphql-response+json', EVENTS_TYPE] as const;

// Clients send the same few headers repeatedly.
const known = new Map<string, Accepted>();
const MOST_KNOWN = 100;
const LONGEST_KNOWN = 200;

/**
 * Parses an `accept` header as HTTP defines it: the most specific range decides, and a quality of 0 excludes a type.
 * Charsets are ignored, because JSON and events are always UTF-8. A missing or empty header accepts everything.
 */
export function acceptedBy(accept = '*/*'): Accepted {
  const found = known.get(accept);
  if (found !== undefined) return found;
  const accepted = read(accept.trim() === '' ? '*/*' : accept);
  if (known.size < MOST_KNOWN && accept.length < LONGEST_KNOWN) known.set(accept, accepted);
  return accepted;
}

/** One range of the header. A caller prefers types by quality, then by position. */
interface Range {
  readonly type: string;
  readonly quality: number;
  readonly position: number;
}

function read(accept: string): Accepted {
  const ranges = accept.split(',').map(rangeOf);
  const [json, graphql, events] = ANSWER_TYPES.map((type) => bestRange(type, ranges));
  const result = preferred(json, graphql);
  const header = [...(result ? [result] : []), ...(events ? [EVENTS_TYPE] : [])].join(', ');
  return { result, events: events !== undefined, header };
}

function rangeOf(text: string, position: number): Range {
  const [type = '', ...parameters] = text.toLowerCase().split(';');
  const quality = parameters.map((parameter) => /^\s*q\s*=\s*"?([\d.]+)/.exec(parameter)?.[1]).find(Boolean);
  return { type: type.trim(), quality: Number(quality ?? 1) || 0, position };
}

/** Returns the range that decides about a type, or undefined if the type is not accepted. */
function bestRange(type: string, ranges: readonly Range[]): Range | undefined {
  const spellings = [type, type.replace(/\/.*/, '/*'), '*/*'];
  const [best] = ranges
    .filter((range) => spellings.includes(range.type))
    .toSorted(
      (one, other) =>
        spellings.indexOf(one.type) - spellings.indexOf(other.type) || other.quality - one.quality,
    );
  return best && best.quality > 0 ? best : undefined;
}

// For a range that includes both, clients expect the type that older servers sent.
function preferred(json: Range | undefined, graphql: Range | undefined): ResponseType | null {
  if (!graphql) return json ? 'application/json' : null;
  const isGraphql =
    !json ||
    graphql.quality > json.quality ||
    (graphql.quality === json.quality && graphql.position < json.position);
  return isGraphql ? 'application/graphql-response+json' : 'application/json';
}
