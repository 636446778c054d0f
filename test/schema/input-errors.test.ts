import type { GraphQLScalarType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { type RunningGraph, shareGraph } from '../support/graph.ts';
import { openTransport } from '../support/transports.ts';

// What somebody is told who wrote a value that a type does not take: what to write instead, and where.

const graph = shareGraph();
const hidden = shareGraph({ environment: { INTROSPECTION: 'off' } });

const CREATE = 'mutation ($input: CreatePostInput!) { createPost(input: $input) { outcome } }';
const FORM =
  'Write a LocalDateTime as YYYY-MM-DDTHH:mm, such as 2026-11-22T09:00, without a zone; seconds may only be :00, because the service takes times to the minute.';

const postOn = (timing: object): object => ({ accountIds: [], timing, variants: [] });

/** A document that creates a post at a time, which stands in the document as it is given. */
const literal = (timing: string): string =>
  `mutation { createPost(input: { accountIds: [], timing: { ${timing} }, variants: [] }) { outcome } }`;

const errorsOf = async ({ url, caller }: RunningGraph, query: string, variables = {}) =>
  (await openTransport('HTTP', url, caller.both)({ query, variables })).errors;

describe('a scalar of another form', () => {
  test('in a variable is answered with the form to write, after the value and its place', async () => {
    const [error, ...others] = await errorsOf(graph, CREATE, {
      input: postOn({ scheduledAtLocal: ['2031-05-20T10:00', '2031-05-20T10:00:00Z'] }),
    });
    expect(others).toEqual([]);
    expect(error?.message).toBe(
      `Variable "$input" got invalid value "2031-05-20T10:00:00Z" at "input.timing.scheduledAtLocal[1]"; ${FORM}`,
    );
    expect(error?.extensions['code']).toBe('BAD_USER_INPUT');
  });

  test.each([5, { at: 5 }])(
    'such as %j for an instant is answered with the form to write',
    async (instant) => {
      const [error, ...others] = await errorsOf(graph, CREATE, { input: postOn({ scheduledAt: [instant] }) });
      expect(others).toEqual([]);
      expect(error?.message).toContain('at "input.timing.scheduledAt[0]"; Write a DateTime as an instant');
      expect(error?.extensions['code']).toBe('BAD_USER_INPUT');
    },
  );

  test('in a variable keeps its place and the form in view, however long the value is', async () => {
    const [error] = await errorsOf(graph, CREATE, {
      input: postOn({ scheduledAtLocal: ['x'.repeat(100_000)] }),
    });
    expect(error?.message).toBe(
      `Variable "$input" got invalid value at "input.timing.scheduledAtLocal[0]"; ${FORM}`,
    );
  });

  test.each([
    ['scheduledAtLocal: ["soon"]', `"soon" is not valid. ${FORM}`],
    ['scheduledAtLocal: [2031]', `This value is not valid. ${FORM}`],
    [`scheduledAtLocal: ["${'x'.repeat(41)}"]`, `This value is not valid. ${FORM}`],
    [
      'scheduledAt: ["2031-05-20T10:00"]',
      `"2031-05-20T10:00" is not valid. Write a DateTime as an instant with its offset, such as 2026-11-22T09:00:00Z or 2026-11-22T10:00:00+01:00.`,
    ],
  ])('in the document, as in %s, is told with its location', async (timing, message) => {
    const document = literal(timing);
    const [error, ...others] = await errorsOf(graph, document);
    expect(others).toEqual([]);
    expect(error?.message).toBe(message);
    const list = document.indexOf('[', document.indexOf('timing'));
    expect(error?.locations).toEqual([{ line: 1, column: list + 2 }]);
  });

  test('of the right form is taken as it was', async () => {
    const atInstants = ['2031-05-20T10:00:00.000Z', '2031-05-20T12:00:00+01:00'];
    expect(await errorsOf(graph, CREATE, { input: postOn({ scheduledAt: atInstants }) })).toEqual([]);
    expect(await errorsOf(graph, literal('scheduledAtLocal: ["2031-05-20T10:00"]'))).toEqual([]);
  });
});

test.each([
  ['2030-01-15T09:00', '2030-01-15T09:00'],
  ['2030-01-15T09:00:00', '2030-01-15T09:00'],
])('a LocalDateTime has one form, whether it is given or shown: of %s it is %s', (text, form) => {
  const scalar = schema.getType('LocalDateTime') as GraphQLScalarType;
  expect([scalar.parseValue(text), scalar.serialize(text)]).toEqual([form, form]);
});

describe('a value that an enum does not have', () => {
  test('is answered with those that it has, where it is like none of them', async () => {
    const [inVariable] = await errorsOf(graph, CREATE, { input: postOn({ placement: 'SOMEDAY' }) });
    expect(inVariable?.message).toBe(
      'Variable "$input" got invalid value "SOMEDAY" at "input.timing.placement"; Value "SOMEDAY" does not exist in "PostPlacement" enum. One of QUEUE, NOW, NEXT.',
    );
    const [inDocument] = await errorsOf(graph, literal('placement: SOMEDAY'));
    expect(inDocument?.message).toBe(
      'Value "SOMEDAY" does not exist in "PostPlacement" enum. One of QUEUE, NOW, NEXT.',
    );
    expect(inDocument?.locations).toHaveLength(1);
    const [text] = await errorsOf(graph, literal('placement: "NOTHING"'));
    expect(text?.message).toMatch(/cannot represent non-enum value: "NOTHING"\. One of QUEUE, NOW, NEXT\.$/);
  });

  test('is answered with the one that was meant, and no others, where it is like one', async () => {
    const [error] = await errorsOf(graph, literal('placement: QUEU'));
    expect(error?.message).toMatch(/Did you mean the enum value "QUEUE"\?$/);
  });

  test('is answered with none of them where the schema is hidden', async () => {
    for (const [document, variables] of [
      [CREATE, { input: postOn({ placement: 'SOMEDAY' }) }],
      [literal('placement: SOMEDAY'), {}],
    ] as const) {
      const [error] = await errorsOf(hidden, document, variables);
      expect(error?.message).toMatch(/does not exist in "PostPlacement" enum\.$/);
    }
  });
});
