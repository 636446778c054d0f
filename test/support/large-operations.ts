import type { Operation } from './transports.ts';

/** So many texts with blanks between. */
export const times = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join(' ');

/** Lists within lists of the legacy surface, with something selected below the innermost. */
export const nestedLists = (inside: string, window = 'first: 8'): Operation => ({
  query: `{ accountGroups(first: 40, surface: LEGACY) { nodes { accounts(${window}) { nodes { groups {
    accounts(${window}) { nodes { ${inside} } } } } } } } }`,
});
