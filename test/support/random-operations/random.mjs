/** A number from a text: the same for the same text. */
export function hash(/** @type {string} */ text) {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}

/** Pseudo-random choices: the same for the same seed. */
export class Random {
  constructor(/** @type {string | number} */ seed) {
    this.state = hash(String(seed));
  }

  /** A number from 0 to 1. */
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer below `end`. */
  below(/** @type {number} */ end) {
    return Math.floor(this.next() * end);
  }

  chance(/** @type {number} */ probability) {
    return this.next() < probability;
  }

  /**
   * @template T
   * @param {readonly T[]} values
   * @returns {T}
   */
  pick(values) {
    return /** @type {T} */ (values[this.below(values.length)]);
  }
}
