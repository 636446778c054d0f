import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const README = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8');

/** The code blocks under a heading of the README, of one language; fails where there are none. */
export function blocksOf(heading: string, language: string): readonly [string, ...string[]] {
  const section = README.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const found = [...section.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))];
  const [first, ...others] = found.map(([, code = '']) => code);
  if (first === undefined) throw new Error(`the README shows no ${language} under “${heading}”`);
  return [first, ...others];
}
