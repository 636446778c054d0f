import { DateTimeISOResolver, JSONResolver } from 'graphql-scalars';
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { isAbsoluteUrl } from '../sources/absolute-url.ts';
import { builder } from './builder.ts';

/** Maximum length of text repeated in a message, in characters. */
const MAX_REPEATED_CHARS = 40;

const parseInstant = inForm(
  'a DateTime as an instant with its offset, such as 2026-11-22T09:00:00Z or 2026-11-22T10:00:00+01:00',
  (value) => (typeof value === 'string' ? DateTimeISOResolver.parseValue(value) : null),
);

builder.addScalarType(
  'DateTime',
  new GraphQLScalarType<Date, Date | string>({ ...DateTimeISOResolver.toConfig(), ...parseInstant }),
  { description: 'An instant in RFC 3339 format with an offset, such as `2026-03-01T09:30:00.000Z`.' },
);

builder.addScalarType('JSON', JSONResolver, {
  description:
    'Data whose shape is undocumented by the service and may change without notice. Keys that name secrets are removed; other occurrences of their values are replaced with `[redacted]`.',
});

builder.scalarType('ServiceId', {
  description:
    'An id assigned by the service or a network, as a string so that large numbers stay exact. Arguments may also be integers. Not interchangeable with `ID`, which identifies objects of this graph.',
  serialize: String,
  ...inForm('a ServiceId as text or a whole number, such as "410201"', serviceIdOf, Kind.INT),
});

function serviceIdOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) ? String(value) : null;
}

textScalar('URL', {
  description:
    'An absolute URL, exactly as the service returns it, except that access tokens, client secrets and API keys in its parameters are replaced with `[redacted]`.',
  form: 'a URL as an absolute address, such as https://example.org/page',
  read: (text) => (isAbsoluteUrl(text) ? text : null),
});

const MINUTE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d/;

textScalar('LocalDateTime', {
  description:
    'A date and time on the service’s clock, as `YYYY-MM-DDTHH:mm` (24-hour). Arguments may include seconds, which must be `00`. No time zone is assumed.',
  form: 'a LocalDateTime as YYYY-MM-DDTHH:mm, such as 2026-11-22T09:00, without a zone; seconds may only be :00, because the service takes times to the minute',
  read: (text) => {
    const [minute] = MINUTE.exec(text) ?? [];
    return minute !== undefined && ['', ':00'].includes(text.slice(minute.length)) ? minute : null;
  },
});

textScalar('LocalTime', {
  description: 'A time of day on the service’s clock, as `HH:mm` (24-hour). No time zone is assumed.',
  form: 'a LocalTime as HH:mm, such as 09:00, without seconds or zone',
  read: (text) => (/^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text) ? text : null),
});

/** Declares a scalar that is text in one format. */
function textScalar(
  name: 'URL' | 'LocalDateTime' | 'LocalTime',
  {
    description,
    form,
    read,
  }: {
    readonly description: string;
    readonly form: string;
    /** Returns the text in the type's canonical form, or null if it is invalid. */
    readonly read: (text: string) => string | null;
  },
) {
  builder.scalarType(name, {
    description,
    serialize: (value) => read(value) ?? value,
    ...inForm(form, (value) => (typeof value === 'string' ? read(value) : null)),
  });
}

/**
 * Returns the parsers of a scalar; if `read` rejects a value, by null or an error, the message states the expected
 * form. In a document, strings are read, and literals of the `other` kind by their text.
 */
function inForm<T>(form: string, read: (value: unknown) => T | null, other: Kind = Kind.STRING) {
  const parse = (value: unknown, node?: ValueNode): T => {
    const parsed = readOrNull(read, value);
    if (parsed !== null) return parsed;
    // graphql itself repeats a variable's value, with its path.
    const given = node === undefined ? '' : `${repeated(value)} is not valid. `;
    throw new GraphQLError(`${given}Write ${form}.`, {
      nodes: node ?? null,
      extensions: { code: 'BAD_USER_INPUT' },
    });
  };
  return {
    parseValue: (value: unknown) => parse(value),
    parseLiteral: (node: ValueNode) =>
      parse((node.kind === Kind.STRING || node.kind === other) && 'value' in node ? node.value : null, node),
  };
}

function readOrNull<T>(read: (value: unknown) => T | null, value: unknown): T | null {
  try {
    return read(value);
  } catch {
    return null;
  }
}

// The caller's value may be anything, of any length.
function repeated(value: unknown): string {
  return typeof value === 'string' && value.length <= MAX_REPEATED_CHARS
    ? JSON.stringify(value)
    : 'This value';
}
