import { readFileSync } from 'node:fs';

const OWN_PACKAGE = new URL('../../package.json', import.meta.url);

/** The version of this package. */
export function ownVersion(): string {
  return (JSON.parse(readFileSync(OWN_PACKAGE, 'utf8')) as { readonly version: string }).version;
}
