import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError, type Environment } from '../config.ts';
import { fileProblem } from '../config/file-problem.ts';

const FILE = '.env';

/** Reads the variables set in `.env`, if it exists. Throws a ConfigError that names each line that sets nothing. */
export function readDotEnv(): Environment {
  const text = textOfFile();
  const problems = linesWithoutName(text).map(
    (line) => `${FILE}: line ${line} is not of the form NAME=value`,
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...parseEnv(text) };
}

function textOfFile(): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(FILE);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw new ConfigError([`${FILE}: cannot be read: ${fileProblem(error) ?? String(error)}`]);
  }
  const text = textOf(bytes);
  if (text === null) throw new ConfigError([`${FILE}: is not valid UTF-8; save it in that encoding`]);
  return text;
}

// Windows PowerShell writes UTF-16. The decoder removes the byte order mark, which is not part of the first name.
function textOf(bytes: Buffer): string | null {
  const mark = bytes.toString('hex', 0, 2);
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

const SETS_OR_SAYS_NOTHING = /^\s*(?:#|$)|^\s*(?:export\s+)?[^\s=]+\s*=/;
const OPENS_QUOTES = /=\s*(["'`])/;

/** Returns the numbers, from 1, of lines that set nothing but are neither blank nor comments. */
function linesWithoutName(text: string): number[] {
  const wrong: number[] = [];
  let quote: string | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    if (quote !== null) {
      // A quoted value may span several lines.
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
