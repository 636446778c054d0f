import { convert } from 'html-to-text';
import { cutText, MAX_MESSAGE_CHARS } from '../cut-text.ts';

const MAX_INPUT_CHARS = 16_384;
const MAX_ATTRIBUTES_CHARS = 500;

const TAGS =
  'a|b|body|br|button|center|code|div|em|font|form|h[1-6]|head|hr|html|i|img|input|label|li|ol|p|pre|script|small|span|strong|style|sub|sup|table|tbody|td|th|thead|title|tr|u|ul';
const HTML = new RegExp(
  `</?(?:${TAGS})(?:\\s[^<>]{0,${MAX_ATTRIBUTES_CHARS}})?/?>|<!doctype|&(?:#\\d+|#x[\\da-f]+|[a-z]{2,8});`,
  'i',
);

/** Converts the service's words to plain text: if they are HTML, removes markup and decodes entities. */
export function plainText(words: string): string {
  return HTML.test(words) ? convertHtml(startOf(words)) : words;
}

/**
 * Formats the service's words as a one-line message: plain text of at most MAX_MESSAGE_CHARS characters, with white
 * space collapsed and without `<` and `>`. `clean` receives the whole text, before it is cut.
 */
export function messageText(words: string, clean: (text: string) => string = (text) => text): string {
  const text = clean(plainText(startOf(words)));
  const folded = text
    .replaceAll(/[<>]/g, ' ')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return cutText(folded, MAX_MESSAGE_CHARS);
}

// Cutting a text may split a character.
function startOf(words: string): string {
  return words.slice(0, MAX_INPUT_CHARS).toWellFormed();
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
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
        selector,
        options: { uppercase: false },
      })),
    ],
  }).trim();
}
