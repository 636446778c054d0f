/** Longest message that is passed on, in characters, whoever wrote it. */
export const MAX_MESSAGE_CHARS = 300;

/** A text of at most so many characters; what was cut ends in an ellipsis, behind a whole character. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
