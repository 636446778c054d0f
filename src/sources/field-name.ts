import { blankTokens } from './token-shapes.ts';

const NAME = /^[A-Za-z_][\w-]{0,39}$/;
const MOST_DIGITS = 4;
/** What is shorter is no secret, whatever it looks like. */
const LONG = 12;
const LONGEST_WORD = 16;
const SHORTEST_WORDS = 3;

/** A name of the service for the log; what does not look like the name of a field could be a secret. */
export function shownName(name: string): string {
  return isFieldName(name) ? name : '(no name)';
}

// Tokens have many digits, capitals anywhere, or no end of letters; names are made of words, in camel or snake case.
function isFieldName(name: string): boolean {
  if (!NAME.test(name) || name.replaceAll(/\D/g, '').length > MOST_DIGITS) return false;
  if (name.length <= LONG) return true;
  if (blankTokens(name) !== name) return false;
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  const letters = words.join('').length;
  return letters >= words.length * SHORTEST_WORDS && words.every(({ length }) => length <= LONGEST_WORD);
}
