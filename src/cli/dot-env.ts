import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError, type Environment } from '../config.ts';
import { fileProblem } from '../config/file-problem.ts';

const FILE = '.env';
const BYTE_ORDER_MARK = '\uFEFF';

/** What a file named `.env` sets; nothing where there is none. Throws a ConfigError that names each line that sets nothing. */
export function readDotEnv(): Environment {
  const text = textOfFile();
  const problems = linesWithoutName(text).map(
    (line) => `${FILE}: line ${line} is not of the form NAME=value`,
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...parseEnv(text) };
}

// Editors of some systems begin a file with a mark, which is no part of the first name.
function textOfFile(): string {
  try {
    const text = readFileSync(FILE, 'utf8');
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw new ConfigError([`${FILE}: can't be read: ${fileProblem(error) ?? String(error)}`]);
  }
}

const SETS_OR_SAYS_NOTHING = /^\s*(?:#|$)|^\s*(?:export\s+)?[^\s=]+\s*=/;
const OPENS_QUOTES = /=\s*(["'`])/;

/** The numbers of the lines, from 1, that are neither blank nor a comment, nor set anything. */
function linesWithoutName(text: string): number[] {
  const wrong: number[] = [];
  let quote: string | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    if (quote !== null) {
      // A value in quotes may go on for several lines.
      if (line.includes(quote)) quote = null;
      continue;
    }
    if (!SETS_OR_SAYS_NOTHING.test(line)) wrong.push(index + 1);
    const opening = OPENS_QUOTES.exec(line);
    const mark = opening?.[1] ?? null;
    if (opening && mark !== null && !line.slice(opening.index + opening[0].length).includes(mark))
      quote = mark;
  }
  return wrong;
}
