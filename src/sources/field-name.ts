import { blankTokens } from './token-shapes.ts';

const NAME = /^[A-Za-z_][\w-]{0,39}$/;
const MOST_DIGITS = 4;
/** Shorter names cannot be secrets, whatever they look like. */
const LONG = 12;
const LONGEST_WORD = 16;
const SHORTEST_WORDS = 3;

/** Returns a name used by the service, for the log. A text that does not look like a field name could be a secret. */
export function shownName(name: string): string {
  return isFieldName(name) ? name : '(no name)';
}

// Tokens have many digits, random capitals, or very long words; names consist of words in camel or snake case.
function isFieldName(name: string): boolean {
  if (!NAME.test(name) || name.replaceAll(/\D/g, '').length > MOST_DIGITS) return false;
  if (name.length <= LONG) return true;
  if (blankTokens(name) !== name) return false;
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  const letters = words.join('').length;
  return letters >= words.length * SHORTEST_WORDS && words.every(({ length }) => length <= LONGEST_WORD);
}
