import { isAbsent, type Reading } from './readings.ts';

// How the state of a permission follows from each of its facts, where all others say yes as far as they can be read.

/** The letter of the list of accounts, beside a detail that can't be read. */
export const listedPermission: Reading = {
  of: (value) => ({ value: value === 'N' ? 'DENIED' : 'UNKNOWN' }),
  other: (value) => (value === 'N' ? 'Y' : 'N'),
};

/** One of the two facts of the detail; where another place says no, that stands. */
export const permissionFact: Reading = {
  of: (value, before) => {
    if (value === false || before === 'DENIED') return { value: 'DENIED' };
    return { value: value === true || isAbsent(value) ? 'GRANTED' : 'UNKNOWN' };
  },
  other: (value) => value !== true,
};

/** Both facts of the detail at once; `isListed` where the list of accounts tells one more. */
export function permissionFacts({ isListed }: { readonly isListed: boolean }): Reading {
  return {
    of: (value, before) => {
      if (before === 'DENIED') return { value: 'DENIED' };
      const isNone = isAbsent(value) || value === 'null' || (Array.isArray(value) && value.length === 0);
      const isRecord = typeof value === 'object' && !Array.isArray(value);
      return { value: isListed && (isNone || isRecord) ? 'GRANTED' : 'UNKNOWN' };
    },
    other: (value) => value,
  };
}
