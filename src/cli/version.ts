import { readFileSync } from 'node:fs';
import { OWN_PACKAGE } from '../own-files.ts';

/** Returns the version of this package. */
export function ownVersion(): string {
  return (JSON.parse(readFileSync(OWN_PACKAGE, 'utf8')) as { readonly version: string }).version;
}
