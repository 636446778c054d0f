/** Reproducible randomness: the same seed gives the same world. */
export interface Random {
  /** An integer from 0 to `below` - 1. */
  int(below: number): number;
  /** One of the entries. */
  pick<T>(entries: readonly T[]): T;
  /** Lower-case hexadecimal digits. */
  hex(length: number): string;
}

const HEXADECIMAL = '0123456789abcdef';

/** Creates a generator (mulberry32) seeded with text. */
export function createRandom(seed: string): Random {
  let state = Buffer.from(seed).reduce((hash, byte) => Math.imul(hash ^ byte, 16_777_619), 2_166_136_261);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (below: number) => Math.floor(next() * below);
  return {
    int,
    pick(entries) {
      const entry = entries[int(entries.length)];
      if (entry === undefined) throw new Error('nothing to pick from');
      return entry;
    },
    hex(length) {
      let digits = '';
      while (digits.length < length) digits += HEXADECIMAL[int(16)];
      return digits;
    },
  };
}
