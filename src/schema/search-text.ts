import { InputError } from './errors.ts';

/** Maximum length of a text to search for, in characters. */
const MAX_SEARCH_TEXT = 400;

/** Returns a text to search for. Throws an InputError if it is too long. */
export function searchText(text: string, argument: string): string {
  if (text.length <= MAX_SEARCH_TEXT) return text;
  throw new InputError(`${argument} must have at most ${MAX_SEARCH_TEXT} characters.`);
}
