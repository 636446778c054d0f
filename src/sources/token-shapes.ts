import { blankRuns, searchBudget, type Run } from './blank-runs.ts';

// Tokens that are recognisable by their form in the service's failure messages.

const MORE = /[\w.~+/=|-]{1,1024}/y;

/** How the tokens of well-known services begin, followed by enough characters that no ordinary word matches. */
const BEGINNINGS = [
  String.raw`[srp]k_(?:live|test)_\w{8}`,
  String.raw`whsec_\w{8}`,
  String.raw`xox[a-z]-[\w-]{8}|xapp-[\w-]{8}`,
  String.raw`gh[a-z]_\w{16}|github_pat_\w{16}|glpat-[\w-]{16}`,
  String.raw`npm_\w{16}|shp[a-z]{2}_\w{16}|dop_v1_\w{16}`,
  String.raw`(?:AKIA|ASIA)[A-Z\d]{12}|AIza[\w-]{16}|ya29\.[\w-]{8}|1//0[\w-]{16}`,
  String.raw`EAA[A-Za-z\d]{9}|IGQ[A-Za-z\d]{9}`,
  String.raw`sk-[\w-]{16}|SG\.[\w-]{16}|AQ[A-Z][\w-]{29}`,
  String.raw`(?<![\w-])eyJ[\w-]{5,512}\.[\w-]{4}`,
];
const WELL_KNOWN: Run = {
  head: new RegExp(String.raw`(?<![A-Za-z\d])(?:${BEGINNINGS.join('|')})`, 'g'),
  rest: MORE,
  keepsHead: false,
  isSecret: (found) => found.length >= 12 && (/\d/.test(found) || looksRandom(found)),
};

const PRIVATE_KEY: Run = {
  head: /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----/g,
  rest: /[\w+/=\s-]{1,1024}/y,
  keepsHead: false,
};

// `Bearer 4f2a…`, `Invalid token 4f2a…`, `the key "4f2a…" has expired`, `secret is 4f2a…`
const NAMED: Run = {
  head: /\b(?:oauth|token|key|secret|password|passwd|pwd|credential|signature|session)s?(?: (?:is|was|of|for|value|id)\b)?[\s:='"`´‘’“”([<-]{1,8}/gi,
  rest: MORE,
  keepsHead: true,
  isSecret: isLongRun,
};

// `Bearer 4f2a…`, followed only by a token, or by parameters such as `error="…"`
const AUTHORIZATION: Run = {
  head: /\b(?:bearer|basic)[\s:='"`´‘’“”([<-]{1,8}/gi,
  rest: MORE,
  keepsHead: true,
  isSecret: (found) => isLongRun(found) || (found.length >= 8 && /\d/.test(found) && looksRandom(found)),
};

/** Distinguishes tokens from ordinary names: tokens are long and have digits, or are longer than any name. */
function isLongRun(found: string): boolean {
  if (!looksRandom(found)) return false;
  return found.length >= 32 || (found.length >= 16 && /\d/.test(found));
}

/** Blanks whatever looks like a token: by its form, or as letters and digits after a word for one. */
export function blankTokens(words: string): string {
  const budget = searchBudget();
  return [WELL_KNOWN, PRIVATE_KEY, AUTHORIZATION, NAMED].reduce(
    (clean, run) => blankRuns(clean, run, budget),
    words,
  );
}

const ADDRESS_OR_DATE = /^(?:https?:\/\/|\d{4}-\d\d-\d\d)/i;
const PLAIN_WORDS = /^[A-Z]?[a-z]{0,24}(?:[-_./][A-Z]?[a-z]{1,24}){0,6}[.:!?]?$|^[A-Z]{1,24}$/;
const SHORTEST_RANDOM = 6;

/** Whether a text is a single word that belongs to no language: with digits, or inner capitals. */
export function looksRandom(word: string): boolean {
  if (word.length < SHORTEST_RANDOM || /\s/.test(word)) return false;
  return !PLAIN_WORDS.test(word) && !ADDRESS_OR_DATE.test(word);
}
