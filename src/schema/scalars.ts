import { GraphQLError, Kind } from 'graphql';
import { DateTimeISOResolver, JSONResolver } from 'graphql-scalars';
import { builder } from './builder.ts';

builder.addScalarType('DateTime', DateTimeISOResolver, {
  description: 'An instant, as RFC 3339 text with its offset, for example `2026-03-01T09:30:00.000Z`.',
});

builder.addScalarType('JSON', JSONResolver, {
  description:
    'Data whose shape the service does not document, as it came, without anything that looks like a credential. It may change without notice.',
});

textScalar('URL', 'An absolute address, spelt as the service spells it.', (text) => URL.canParse(text));

textScalar(
  'LocalDateTime',
  'Wall-clock date and time as `YYYY-MM-DDTHH:mm`, 24-hour. The service states no time zone, and none is assumed.',
  (text) => /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d$/.test(text),
);

textScalar('LocalTime', 'Wall-clock time as `HH:mm`, 24-hour. The service states no time zone.', (text) =>
  /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text),
);

/** Declares a scalar that is text of one form. */
function textScalar(
  name: 'URL' | 'LocalDateTime' | 'LocalTime',
  description: string,
  isOfForm: (text: string) => boolean,
) {
  const parse = (value: unknown): string => {
    if (typeof value === 'string' && isOfForm(value)) return value;
    throw new GraphQLError(`is no ${name}`, { extensions: { code: 'BAD_USER_INPUT' } });
  };
  builder.scalarType(name, {
    description,
    serialize: (value) => value,
    parseValue: parse,
    parseLiteral: (node) => parse(node.kind === Kind.STRING ? node.value : null),
  });
}
