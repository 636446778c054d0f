/** What is wrong with a file that is null to `decodeText`. */
export const NOT_TEXT = 'is not valid UTF-8; save it in that encoding';

/**
 * Decodes a file that an operator wrote: UTF-8, or UTF-16 with a byte order mark, as Windows PowerShell writes it. The mark
 * is removed. Returns null if it is neither.
 */
export function decodeText(bytes: Buffer): string | null {
  const mark = bytes.toString('hex', 0, 2);
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}
