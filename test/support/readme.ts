import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** The text under a heading of a page, the README by default, up to the next heading; empty if there is no such heading. */
export function sectionOf(heading: string, page = 'README.md'): string {
  const text = readFileSync(resolve(ROOT, page), 'utf8');
  return text.split(/^##+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
}

/** The code blocks under a heading of a page, of one language; fails where there are none. */
export function blocksOf(
  heading: string,
  language: string,
  page = 'README.md',
): readonly [string, ...string[]] {
  const section = sectionOf(heading, page);
  const found = [...section.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))];
  const [first, ...others] = found.map(([, code = '']) => code);
  if (first === undefined) throw new Error(`${page} shows no ${language} under “${heading}”`);
  return [first, ...others];
}
