import { parseAccept, type Accept } from 'hono/utils/accept';
import { remembering } from '../remember.ts';

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

const GRAPHQL_TYPE = 'application/graphql-response+json';

/** Every media type that a response may have. */
export const ANSWER_TYPES = ['application/json', GRAPHQL_TYPE, EVENTS_TYPE] as const;

/**
 * Parses an `accept` header as HTTP defines it: the most specific range decides, and a quality of 0 excludes a type.
 * Charsets are ignored, because JSON and events are always UTF-8. A missing or empty header accepts everything.
 */
export function acceptedBy(accept = '*/*'): Accepted {
  return read(accept);
}

// Clients send the same few headers repeatedly.
const read = remembering(
  (accept: string): Accepted => {
    const ranges = parseAccept(accept.trim() === '' ? '*/*' : accept);
    const [json, graphql] = [rankOf('application/json', ranges), rankOf(GRAPHQL_TYPE, ranges)];
    const hasEvents = rankOf(EVENTS_TYPE, ranges) < Infinity;
    // For a range that includes both, clients expect the type that older servers sent.
    const type = graphql < json ? GRAPHQL_TYPE : 'application/json';
    const result = Math.min(json, graphql) < Infinity ? type : null;
    const header = [...(result ? [result] : []), ...(hasEvents ? [EVENTS_TYPE] : [])].join(', ');
    return { result, events: hasEvents, header };
  },
  { most: 100, longest: 200 },
);

/** Returns the place of the range that decides about a type, by quality and position; Infinity if it is not accepted. */
function rankOf(type: string, ranges: readonly Accept[]): number {
  for (const spelling of [type, type.replace(/\/.*/, '/*'), '*/*']) {
    const rank = ranges.findIndex((range) => range.type.toLowerCase() === spelling);
    if (rank >= 0) return ranges[rank]?.q === 0 ? Infinity : rank;
  }
  return Infinity;
}
