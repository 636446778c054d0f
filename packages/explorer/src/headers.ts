import type { StartingHeaders } from './options.ts';

/** Headers as text for their editor, which takes comments. */
export function textOfHeaders({ note, values }: StartingHeaders): string {
  const comments = note.map((line) => `  // ${line}\n`);
  const entries = Object.entries(values).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `{\n${comments.join('')}${entries.join(',\n')}\n}`;
}

/** Headers as they are sent, by their names in lower case; the editor lets any JSON be a value. */
export function asSent(headers: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}
