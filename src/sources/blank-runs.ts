/** What stands where a secret was found inside a longer text. */
export const REDACTED = '[redacted]';

/** What the search for secrets in one answer may still cost, in steps of some 50 nanoseconds. */
export interface SearchBudget {
  steps: number;
}

/** Several times what a list of 8 MiB with 30,000 secrets takes, and spent within 50 milliseconds. */
const STEPS_OF_AN_ANSWER = 1_000_000;
const STEPS_OF_A_RUN = 4;
/** What the search in one text costs at most without counting. */
const FREE_STEPS = 16;
/** One more for as many characters as this power of two. */
const FREE_STEP_BITS = 3;

/** What the search in an answer may cost; what it finds when nothing is left of it is blanked as a whole. */
export function searchBudget(steps: number = STEPS_OF_AN_ANSWER): SearchBudget {
  return { steps };
}

/**
 * Searches a text. So many steps are free that an ordinary text costs nothing: many readers may share an answer, and read
 * each of its texts many times.
 */
export function searchText<T>(text: string, budget: SearchBudget, search: () => T): T {
  const { steps } = budget;
  budget.steps = Math.max(steps, 0) + FREE_STEPS + (text.length >> FREE_STEP_BITS);
  const found = search();
  budget.steps = Math.min(steps, budget.steps);
  return found;
}

/** A secret that is recognised by what stands before it, or by how it begins. */
export interface Run {
  /** Finds what comes first; global. Every part of it is bounded: regular expressions overflow within megabytes. */
  readonly head: RegExp;
  /** Matches a bounded part of what follows; sticky. */
  readonly rest: RegExp;
  /** False where the head is a part of the secret. */
  readonly keepsHead: boolean;
  /** Whether what was found is a secret. */
  readonly isSecret?: (found: string) => boolean;
}

/** A text in which the runs of one kind are blanked; all that follows, once the budget is spent. */
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
    // What is blanked already stays as it is, so that a copy of a copy is the same.
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
