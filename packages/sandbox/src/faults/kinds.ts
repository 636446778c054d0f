import { validateHeaderName, validateHeaderValue } from 'node:http';
import { oneOfWords, required, text, whole } from '../fields.ts';
import type { Field } from '../fields.ts';
import type { FaultKind } from './fault.ts';

/** A kind of fault that can be set up over HTTP. */
export interface FaultForm {
  /** What the caller of a struck call sees. */
  readonly summary: string;
  readonly fields: Readonly<Record<string, Field>>;
}

/** Kinds that take a function, which HTTP cannot carry. */
export const KINDS_IN_CODE: readonly string[] = ['raw', 'rewrite'] satisfies FaultKind['kind'][];

/** Kinds of faults by name, for everything that can be set up over HTTP. */
export type FaultForms = Readonly<Record<Exclude<FaultKind['kind'], 'raw' | 'rewrite'>, FaultForm>>;

/** Maximum delay of a Node timer, in milliseconds. */
const LONGEST_MS = 2_147_483_647;
/** Limited because the bytes that gzip inflates to are held in memory. */
const MOST_INFLATED_BYTES = 268_435_456;

const anything: Field = { isRequired: false, accepts: 'text or any JSON', admits: () => true };
const headerText: Field = {
  isRequired: false,
  accepts: 'text that a header may contain',
  admits: (value) => typeof value === 'string' && passes(() => validateHeaderValue('x-any', value)),
};
const headers: Field = {
  isRequired: false,
  accepts: 'an object of header names and their text',
  admits: (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(value).every(
      ([name, content]) => passes(() => validateHeaderName(name)) && headerText.admits(content),
    ),
};
const textOrNull: Field = {
  isRequired: false,
  accepts: 'text that a header may contain, or null for none',
  admits: (value) => value === null || headerText.admits(value),
};

function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

/** What each kind does, and its fields in addition to those of the target. */
export const FAULT_FORMS: FaultForms = {
  status: {
    summary: 'Returns a status, headers and a body of your choice.',
    fields: { status: required(whole(200, 599)), headers, body: anything },
  },
  'empty-body': {
    summary: 'Returns no body.',
    fields: { status: whole(200, 599) },
  },
  redirect: {
    summary: 'Returns a redirect.',
    fields: { location: required(headerText), status: whole(300, 399) },
  },
  delay: {
    summary: 'Responds late.',
    fields: { ms: required(whole(0, LONGEST_MS)) },
  },
  'never-answer': {
    summary: 'Accepts the request and never responds.',
    fields: {},
  },
  dribble: {
    summary: 'Sends one byte per interval, of the body or from the first byte of the headers.',
    fields: {
      intervalMs: required(whole(1, LONGEST_MS)),
      from: oneOfWords(['headers', 'body']),
    },
  },
  'reset-before-headers': {
    summary: 'Resets the connection before responding.',
    fields: {},
  },
  'reset-in-body': {
    summary: 'Sends half of the body, then resets the connection.',
    fields: {},
  },
  'cut-body': {
    summary: 'Sends less than it announces, then closes the connection; "close" announces no length.',
    fields: {
      framing: required(oneOfWords(['content-length', 'chunked', 'close'])),
      keep: whole(0),
    },
  },
  'malformed-json': {
    summary: 'Returns 200 with text that is not valid JSON.',
    fields: { text },
  },
  'content-type': {
    summary: 'Sends the response with another content type, or with none.',
    fields: { contentType: required(textOrNull) },
  },
  'huge-body': {
    summary: 'Streams a JSON text of a given size; "claim" is a content-length to announce.',
    fields: { bytes: required(whole(0)), claim: whole(0) },
  },
  gzip: {
    summary: 'Compresses the response with gzip, or sends zeros that inflate to a given size.',
    fields: { inflatedBytes: whole(0, MOST_INFLATED_BYTES) },
  },
};
