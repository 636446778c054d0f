import { kindOf, type KeyKind } from './secret-names.ts';
import { looksRandom } from './token-shapes.ts';

/** A shorter documented value is not treated as a secret, because it would blank half of every text. */
export const SHORTEST_SECRET = 6;
// A word under a key such as `token_type` is not a secret; a value guessed only from its key must look like one to be
// blanked elsewhere too.
const SHORTEST_GUESSED_SECRET = 16;

/** Maps of the service whose keys are prose. */
export const MAPS_WITH_PROSE: ReadonlySet<string> = new Set(['features']);

/** The position of a number that a double may have rounded. */
export interface RoundedNumber {
  /** The list or object that contains it. */
  readonly within: object;
  readonly key: string | number;
}

/**
 * The findings of one walk through parsed JSON. Everything is searched for in one pass, because walking through a
 * response takes a third of the time of parsing it.
 */
export class Survey {
  /** Whether the nesting exceeds the allowed depth; anything deeper was not visited. */
  isTooDeep = false;
  /** The numbers that a double may have rounded. */
  readonly rounded: RoundedNumber[] = [];
  /** Whether one of them is under the key of a secret, so that its digits are secret. */
  hasRoundedSecret = false;
  /** The values of documented credentials, possibly with duplicates. */
  readonly documented: string[] = [];
  /** The values of secrets guessed from their keys. */
  readonly guessed: string[] = [];

  /** @param depth - maximum nesting depth of lists and objects */
  constructor(json: unknown, depth = Number.POSITIVE_INFINITY) {
    if (typeof json === 'object' && json !== null) this.#lookInto(json, 'harmless', depth);
    else this.#lookIntoList([json], 'harmless', depth);
  }

  #lookInto(value: object, within: KeyKind, depth: number): void {
    if (depth === 0) this.isTooDeep = true;
    else if (Array.isArray(value)) this.#lookIntoList(value, within, depth - 1);
    else this.#lookIntoObject(value, within, depth - 1);
  }

  #lookIntoList(list: readonly unknown[], within: KeyKind, depth: number): void {
    for (let index = 0; index < list.length; index += 1) {
      const item = list[index];
      if (typeof item === 'string') this.#collect(item, within);
      else if (typeof item === 'number') {
        if (isRounded(item)) this.#addRounded({ within: list, key: index }, within);
      } else if (typeof item === 'object' && item !== null) this.#lookInto(item, within, depth);
    }
  }

  #lookIntoObject(object: object, within: KeyKind, depth: number): void {
    // Parsed JSON has only its own enumerable properties, and this loop needs no copy of them.
    for (const key in object) {
      const child = (object as Readonly<Record<string, unknown>>)[key];
      if (typeof child === 'string') {
        if (child.length >= SHORTEST_SECRET) this.#collect(child, stronger(kindOf(key), within));
      } else if (typeof child === 'number') {
        if (isRounded(child)) this.#addRounded({ within: object, key }, stronger(kindOf(key), within));
      } else if (typeof child !== 'object' || child === null) continue;
      else if (MAPS_WITH_PROSE.has(key)) this.#lookIntoProse(child, within, depth);
      else this.#lookInto(child, inherited(stronger(kindOf(key), within)), depth);
    }
  }

  // Prose may mention passwords, so only documented names count there.
  #lookIntoProse(map: object, within: KeyKind, depth: number): void {
    if (depth === 0) this.isTooDeep = true;
    else
      for (const [key, child] of Object.entries(map)) {
        const kind = kindOf(key) === 'documented' ? 'documented' : within;
        if (typeof child !== 'number') this.#lookIntoList([child], kind, depth - 1);
        else if (isRounded(child)) this.#addRounded({ within: map, key }, kind);
      }
  }

  #addRounded(number: RoundedNumber, kind: KeyKind): void {
    this.rounded.push(number);
    if (kind !== 'harmless') this.hasRoundedSecret = true;
  }

  #collect(text: string, kind: KeyKind): void {
    if (kind === 'harmless' || !isSecret(text, kind)) return;
    const alike = kind === 'documented' ? this.documented : this.guessed;
    if (alike.at(-1) !== text) alike.push(text);
  }
}

function isRounded(number: number): boolean {
  return number > Number.MAX_SAFE_INTEGER || number < -Number.MAX_SAFE_INTEGER;
}

function stronger(one: KeyKind, other: KeyKind): KeyKind {
  if (other === 'harmless') return one;
  if (one === 'documented' || other === 'documented') return 'documented';
  return one === 'guessed' || other === 'guessed' ? 'guessed' : one;
}

// A key that is only likely to name a secret does not make nested values secret.
function inherited(kind: KeyKind): KeyKind {
  return kind === 'likely' ? 'harmless' : kind;
}

function isSecret(value: string, kind: KeyKind): boolean {
  if (kind === 'documented') return value.length >= SHORTEST_SECRET;
  if (value.length < SHORTEST_GUESSED_SECRET || /\s/.test(value)) return false;
  return kind === 'guessed' || looksRandom(value);
}
