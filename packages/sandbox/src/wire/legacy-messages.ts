/** The legacy surface's message when a toggle or a deletion fails, for any reason. */
export const tryAgainLater = 'Something went wrong. Please try again later.';

/** A problem with a form field, as the legacy surface writes it: HTML with an `errorSummary` container. */
export function errorSummary(problem: string): string {
  return `<div class="errorSummary"><p>Please fix the following input errors:</p>\n<ul><li>${problem}</li></ul></div>`;
}
