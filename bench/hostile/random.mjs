/** Numbers that look random and are the same for the same seed (mulberry32). */
export function createRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (most) => Math.floor(next() * most);
  return {
    below,
    chance: (share) => next() < share,
    pick: (values) => values[below(values.length)],
    shuffled: (values) =>
      values
        .map((value) => [next(), value])
        .toSorted(([one], [other]) => one - other)
        .map(([, value]) => value),
  };
}
