import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives';
import * as fc from 'fast-check';
import { parse, validate, type DocumentNode } from 'graphql';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { shapeErrors } from '../../src/engine/limits/shape.ts';
import { schema } from '../../src/schema/index.ts';
import { cases } from '../support/depth.ts';

// The packages of graphql-armor judge documents at the same thresholds; they are here to be compared with only.

const { limits } = readConfig({});

const ARMOR = {
  'depth of fields': maxDepthRule({ n: limits.depth, flattenFragments: true, propagateOnRejection: true }),
  directives: maxDirectivesRule({ n: limits.directives, propagateOnRejection: true }),
} as const;

/** The limits that the packages refuse a document for. */
function refusedByArmor(document: DocumentNode): string[] {
  return Object.entries(ARMOR).flatMap(([what, rule]) => {
    try {
      return validate(schema, document, [rule]).length > 0 ? [what] : [];
    } catch {
      return [what];
    }
  });
}

function refusedByUs(document: DocumentNode): string[] {
  return shapeErrors(document, limits).map(({ message }) => /limit for (.+?): \d/.exec(message)?.[1] ?? '');
}

const NAMES = ['a', 'surfaces', '__typename', '__schema', 'nodes', 'account'] as const;
const FRAGMENTS = ['A', 'B', 'C', 'D'] as const;

/** A document of any shape: names that exist and others, aliases, directives, fragments that spread later ones. */
function anyDocument(g: fc.GeneratorValue): string {
  const size = g(fc.integer, { min: 1, max: 60 });
  let left = size;
  const oneOf = (most: number): number => g(fc.nat, { max: most });
  const directives = (): string => ' @include(if: true)'.repeat(oneOf(9) > 6 ? oneOf(6) : 0);
  const selection = (depth: number, from: number): string => {
    left -= 1;
    const form = oneOf(9);
    // The packages count in their own way in fragments that hold themselves, which no document may have.
    if (form === 0 && from < FRAGMENTS.length)
      return `...${FRAGMENTS[from + oneOf(FRAGMENTS.length - 1 - from)]}${directives()}`;
    if (form === 1 && depth < 14) return `...${directives()} ${set(depth, from)}`;
    const alias = oneOf(2) === 0 ? `n${oneOf(5)}: ` : '';
    const inner = depth < 14 && oneOf(2) > 0 ? ` ${set(depth + 1, from)}` : '';
    return `${alias}${NAMES[oneOf(NAMES.length - 1)]}${directives()}${inner}`;
  };
  const set = (depth: number, from: number): string => {
    const first = selection(depth, from);
    const goesOn = left > 0 && oneOf(3) > 0;
    return goesOn ? `{ ${first} ${set(depth, from).slice(2)}` : `{ ${first} }`;
  };
  const operation = `query${directives()} ${set(1, 0)}`;
  const fragments = FRAGMENTS.map((name, index) => {
    left = size / 4;
    return `fragment ${name} on Query${directives()} ${set(1, index + 1)}`;
  });
  return [operation, ...fragments].join(' ');
}

test('every document that graphql-armor refuses at these thresholds is refused here too', () => {
  const refused: Record<string, number> = {};
  let ours = 0;
  fc.assert(
    fc.property(fc.gen(), (g) => {
      const document = parse(anyDocument(g));
      const byUs = refusedByUs(document);
      ours += byUs.length > 0 ? 1 : 0;
      for (const what of refusedByArmor(document)) {
        refused[what] = (refused[what] ?? 0) + 1;
        expect(byUs).toContain(what);
      }
    }),
    // Enough for each of the rules to refuse several.
    { numRuns: cases(150, 10_000), endOnFailure: true },
  );
  // Otherwise a rule was not compared at all.
  for (const what of Object.keys(ARMOR)) expect(refused[what] ?? 0, what).toBeGreaterThan(0);
  expect(ours).toBeGreaterThan(Math.max(...Object.values(refused)));
});
