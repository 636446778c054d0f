import { convert } from 'html-to-text';

/** Longest message of the service that is passed on, in characters. */
export const MAX_MESSAGE_CHARS = 300;
const MAX_INPUT_CHARS = 16_384;
const LOOKS_LIKE_HTML = /<[a-z!/]|&(?:#\d+|#x[\da-f]+|[a-z]+);/i;

/**
 * The service's words as plain text of at most MAX_MESSAGE_CHARS characters: markup gone, entities decoded, white
 * space folded, never a `<` or `>`.
 */
export function plainText(words: string): string {
  const input = words.slice(0, MAX_INPUT_CHARS);
  const text = LOOKS_LIKE_HTML.test(input) ? convertHtml(input) : input;
  const folded = text
    .replaceAll(/[<>]/g, ' ')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return folded.length > MAX_MESSAGE_CHARS ? `${folded.slice(0, MAX_MESSAGE_CHARS - 1)}…` : folded;
}

function convertHtml(html: string): string {
  return convert(html, {
    wordwrap: false,
    limits: { maxInputLength: MAX_INPUT_CHARS, maxDepth: 20, maxChildNodes: 200 },
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'skip' },
      { selector: 'ul', options: { itemPrefix: ' ' } },
      { selector: 'script', format: 'skip' },
      { selector: 'style', format: 'skip' },
    ],
  });
}
