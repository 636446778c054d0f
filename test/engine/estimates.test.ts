import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generateOperation } from '../support/documents.ts';
import { openEstimates } from '../support/estimates.ts';
import { account } from '../support/writes.ts';

// What an operation is thought to cost before anything is asked; `document-cost` compares it with the calls that are made.

const detail = (window: string): string => `accounts${window} { nodes { settingId } }`;
const groups = (inner: string): string =>
  `{ accountGroups(first: 10) { nodes { accounts(first: 30) { nodes { ${inner} } } } } }`;

describe('an estimate goes by what is really asked for', () => {
  test('literals, variables, defaults of variables and of arguments, and null', () => {
    const estimate = openEstimates();
    expect(estimate(`{ ${detail('(first: 7)')} }`)).toBe(8);
    expect(estimate(`query ($n: Int) { ${detail('(first: $n)')} }`, { n: 7 })).toBe(8);
    expect(estimate(`query ($n: Int = 7) { ${detail('(first: $n)')} }`)).toBe(8);
    expect(estimate(`query ($n: Int = 7) { ${detail('(first: $n)')} }`, { n: null })).toBe(21);
    expect(estimate(`{ ${detail('')} }`)).toBe(21);
    expect(estimate(`query ($n: Int) { ${detail('(first: $n)')} }`)).toBe(21);
    expect(estimate(`{ ${detail('(last: 7)')} }`)).toBe(10);
  });

  test('a number that the list refuses counts as the largest that it takes', () => {
    const estimate = openEstimates();
    for (const n of [101, 1_000_000, 2 ** 31 - 1])
      expect(estimate(`{ ${detail(`(first: ${n})`)} }`)).toBe(101);
    for (const n of [0, -5]) expect(estimate(`{ ${detail(`(first: ${n})`)} }`)).toBe(1);
  });

  test('what is skipped costs nothing', () => {
    const estimate = openEstimates();
    const query = `query ($yes: Boolean!) { ${detail('(first: 7) @include(if: $yes)')} surfaces { surface } }`;
    expect([estimate(query, { yes: true }), estimate(query, { yes: false })]).toEqual([8, 0]);
    expect(estimate(`{ ... @skip(if: true) { ${detail('')} } }`)).toBe(0);
  });

  test('lists within lists multiply, and what is shared does not', () => {
    const estimate = openEstimates();
    expect(estimate(groups('displayName'))).toBe(1);
    expect(estimate(groups('settingId'))).toBe(301);
    expect(estimate(groups('settingId health { state } connectedAt'))).toBe(301);
    expect(
      estimate(
        '{ accounts(first: 50) { nodes { groups { accounts(first: 50) { nodes { settingId } } } } } }',
      ),
    ).toBe(1 + 40 + 50 * 10 * 50);
    const fragment = 'fragment F on Query { accounts(first: 9) { nodes { settingId } } }';
    expect(estimate(`{ ${'...F '.repeat(20)} } ${fragment}`)).toBe(10);
  });

  test('equal lists under several names cost once, different ones each', () => {
    const estimate = openEstimates();
    const [one, other] = [detail('(first: 5)'), detail('(first: 6)')];
    expect(estimate(`{ a: ${one} b: ${one} }`)).toBe(6);
    expect(estimate(`{ a: ${one} b: ${other} }`)).toBe(6 + 7);
  });

  test('what can’t be executed has none', () => {
    const estimate = openEstimates();
    expect(estimate('query ($id: ID!) { node(id: $id) { id } }')).toBeNull();
    expect(estimate('fragment F on Query { __typename }')).toBeNull();
    expect(estimate('query A { __typename } query B { __typename }')).toBeNull();
  });
});

/** The number or the next one after it that differs from all others: lists with equal arguments are read once. */
function unlike(others: readonly unknown[], number: number): number {
  return others.includes(number) ? unlike(others, number + 1) : number;
}

test('the estimate never falls when a random query asks for more of a list', () => {
  const estimate = openEstimates();
  fc.assert(
    fc.property(fc.gen(), (g) => {
      const { query, variables } = generateOperation(g, { depth: 7, width: 4 });
      const before = estimate(query, variables) ?? 0;
      const literals = (query.match(/\b\d+\b/g) ?? []).map(Number);
      for (const [name, value] of Object.entries(variables)) {
        if (typeof value === 'string') continue;
        const more = Array.isArray(value)
          ? [...value, account(g(fc.nat))]
          : unlike(
              [...literals, ...Object.values(variables)],
              g(fc.integer, { min: Number(value), max: 200 }),
            );
        expect(estimate(query, { ...variables, [name]: more })).toBeGreaterThanOrEqual(before);
      }
    }),
  );
});
