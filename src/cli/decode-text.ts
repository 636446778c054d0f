/**
 * Decodes a file that an operator wrote: UTF-8, or UTF-16 with a byte order mark, as Windows PowerShell writes it. The mark
 * is removed. Throws an Error that names the file if it is neither.
 */
export function decodeText(bytes: Buffer, name: string): string {
  const mark = bytes.toString('hex', 0, 2);
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Explained below.
  }
  throw new Error(`${name} is not valid UTF-8; save it in that encoding`);
}
