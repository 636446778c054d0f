/** What a number, a boolean or null takes, in bytes; most are shorter. */
const SCALAR_BYTES = 8;

/**
 * Estimates the size of a value as JSON, in bytes of UTF-8, to within its escape sequences. Stops counting soon after
 * `most`, so that a huge value costs no more than one of that size.
 */
export function jsonBytes(value: unknown, most: number): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2;
  if (typeof value !== 'object' || value === null) return SCALAR_BYTES;
  return Array.isArray(value) ? listBytes(value, most) : objectBytes(value, most);
}

function listBytes(values: readonly unknown[], most: number): number {
  let bytes = 2;
  for (const value of values) {
    bytes += jsonBytes(value, most - bytes) + 1;
    if (bytes > most) return bytes;
  }
  return bytes;
}

function objectBytes(object: object, most: number): number {
  let bytes = 2;
  for (const name in object) {
    bytes += name.length + 4 + jsonBytes((object as Readonly<Record<string, unknown>>)[name], most - bytes);
    if (bytes > most) return bytes;
  }
  return bytes;
}
