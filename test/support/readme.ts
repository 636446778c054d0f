import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const README = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8');

/** What stands under a heading of the README; nothing where there is no such heading. */
export function sectionOf(heading: string): string {
  return README.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
}

/** The code blocks under a heading of the README, of one language; fails where there are none. */
export function blocksOf(heading: string, language: string): readonly [string, ...string[]] {
  const found = [...sectionOf(heading).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))];
  const [first, ...others] = found.map(([, code = '']) => code);
  if (first === undefined) throw new Error(`the README shows no ${language} under “${heading}”`);
  return [first, ...others];
}
