/** Maximum length of a message that is passed on, in characters, whatever its source. */
export const MAX_MESSAGE_CHARS = 300;

/** Cuts a text to a maximum length, ending it with an ellipsis and without splitting a surrogate pair. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
