/** Replaces a secret found inside a longer text. */
export const REDACTED = '[redacted]';

/** The remaining cost allowed for the search for secrets in one response, in steps of about 50 nanoseconds. */
export interface SearchBudget {
  steps: number;
}

/** Several times the cost of an 8 MiB list with 30,000 secrets; used up within 50 milliseconds. */
const STEPS_OF_AN_ANSWER = 1_000_000;
const STEPS_OF_A_RUN = 4;
/** Maximum search cost of one text that is free of charge. */
const FREE_STEPS = 16;
/** One more free step per 2 to this power characters. */
const FREE_STEP_BITS = 3;

/** Creates the budget of a response. Once it is used up, every text in which something is found is blanked entirely. */
export function searchBudget(steps: number = STEPS_OF_AN_ANSWER): SearchBudget {
  return { steps };
}

/**
 * Searches a text, with enough free steps that an ordinary text costs nothing: many readers may share a response and
 * read each of its texts many times.
 */
export function searchText<T>(text: string, budget: SearchBudget, search: () => T): T {
  const { steps } = budget;
  budget.steps = Math.max(steps, 0) + FREE_STEPS + (text.length >> FREE_STEP_BITS);
  const found = search();
  budget.steps = Math.min(steps, budget.steps);
  return found;
}

/** A secret recognised by what precedes it, or by how it begins. */
export interface Run {
  /** Finds the beginning; global. All its parts are bounded, because regular expressions overflow on megabytes. */
  readonly head: RegExp;
  /** Matches a bounded part of the rest; sticky. */
  readonly rest: RegExp;
  /** False if the head is part of the secret. */
  readonly keepsHead: boolean;
  /** Whether a match is a secret. */
  readonly isSecret?: (found: string) => boolean;
}

/** Blanks the runs of one kind in a text, or everything after the point where the budget is used up. */
export function blankRuns(text: string, run: Run, budget: SearchBudget): string {
  run.head.lastIndex = 0;
  return run.head.test(text) ? searchText(text, budget, () => withoutRuns(text, run, budget)) : text;
}

function withoutRuns(text: string, run: Run, budget: SearchBudget): string {
  const { head, keepsHead, isSecret } = run;
  let clean = '';
  let written = 0;
  head.lastIndex = 0;
  for (let found = head.exec(text); found !== null; found = head.exec(text)) {
    const from = keepsHead ? head.lastIndex : found.index;
    budget.steps -= STEPS_OF_A_RUN;
    if (budget.steps <= 0) return clean + text.slice(written, from) + REDACTED;
    const end = endOfRun(text, head.lastIndex, run.rest);
    // Text that is already blanked stays unchanged, so that a copy of a copy is the same.
    if (end === from || text.startsWith(REDACTED, from)) continue;
    if (isSecret !== undefined && !isSecret(text.slice(from, end))) continue;
    clean += text.slice(written, from) + REDACTED;
    written = end;
    head.lastIndex = end;
  }
  return written === 0 ? text : clean + text.slice(written);
}

function endOfRun(text: string, start: number, rest: RegExp): number {
  let end = start;
  rest.lastIndex = start;
  while (rest.test(text)) end = rest.lastIndex;
  return end;
}
