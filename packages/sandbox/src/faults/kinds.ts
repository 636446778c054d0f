import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';
import type { FaultKind } from './fault.ts';

/** A kind of fault that can be set up over HTTP. */
interface FaultForm<K extends FaultKind> {
  /** What the caller of a struck call sees. */
  readonly summary: string;
  readonly fields: { readonly [F in Exclude<keyof K, 'kind'>]-?: z.ZodType<K[F]> };
}

/** Kinds that take a function, which HTTP cannot carry. */
export const KINDS_IN_CODE: readonly string[] = ['raw', 'rewrite'] satisfies FaultKind['kind'][];

/** Kinds of faults by name, for everything that can be set up over HTTP. */
export type FaultForms = {
  readonly [K in Exclude<FaultKind['kind'], 'raw' | 'rewrite'>]: FaultForm<Extract<FaultKind, { kind: K }>>;
};

/** Maximum delay of a Node timer, in milliseconds. */
const LONGEST_MS = 2_147_483_647;
/** Limited because the bytes that gzip inflates to are held in memory. */
const MOST_INFLATED_BYTES = 268_435_456;

const status = z.int().min(200).max(599);
const whole = z.int().min(0);
const headerText = z
  .string()
  .refine(
    (text) => passes(() => validateHeaderValue('x-any', text)),
    'Expected text that a header may contain.',
  );
const headerTextOrNull = z.union(
  [headerText, z.null()],
  'Expected text that a header may contain, or null for none.',
);
const headerRecord = z.record(
  z.string().refine((name) => passes(() => validateHeaderName(name))),
  headerText,
);
/** Checked in one piece, so that a refusal names this field and not a header. */
const headers = z.custom<Readonly<Record<string, string>>>(
  (value) => headerRecord.safeParse(value).success,
  'Expected an object of header names and their text.',
);

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
    fields: { status, headers: headers.optional(), body: z.unknown().optional() },
  },
  'empty-body': {
    summary: 'Returns no body.',
    fields: { status: status.optional() },
  },
  redirect: {
    summary: 'Returns a redirect.',
    fields: { location: headerText, status: z.int().min(300).max(399).optional() },
  },
  delay: {
    summary: 'Responds late.',
    fields: { ms: whole.max(LONGEST_MS) },
  },
  'never-answer': {
    summary: 'Accepts the request and never responds.',
    fields: {},
  },
  dribble: {
    summary: 'Sends one byte per interval, of the body or from the first byte of the headers.',
    fields: {
      intervalMs: z.int().min(1).max(LONGEST_MS),
      from: z.enum(['headers', 'body']).optional(),
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
      framing: z.enum(['content-length', 'chunked', 'close']),
      keep: whole.optional(),
    },
  },
  'malformed-json': {
    summary: 'Returns 200 with text that is not valid JSON.',
    fields: { text: z.string().optional() },
  },
  'content-type': {
    summary: 'Sends the response with another content type, or with none.',
    fields: { contentType: headerTextOrNull },
  },
  'huge-body': {
    summary: 'Streams a JSON text of a given size; "claim" is a content-length to announce.',
    fields: { bytes: whole, claim: whole.optional() },
  },
  gzip: {
    summary: 'Compresses the response with gzip, or sends zeros that inflate to a given size.',
    fields: { inflatedBytes: whole.max(MOST_INFLATED_BYTES).optional() },
  },
};
