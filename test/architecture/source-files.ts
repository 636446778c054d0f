import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** An import of a file. */
export interface Import {
  /** The file that imports, from its folder, with slashes. */
  readonly from: string;
  /** The file that is imported, from the same folder, or the name of a package. */
  readonly to: string;
  readonly isPackage: boolean;
  /** True when nothing of it is left once types are gone. */
  readonly isTypeOnly: boolean;
}

/** Files under a folder of the repository, as paths from that folder, with slashes. */
export function filesUnder(folder: string, ending: string): string[] {
  const base = join(ROOT, folder);
  return readdirSync(base, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(base, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .toSorted();
}

/** The text of a file under `src`, or another folder. */
export const sourceOf = (file: string, folder = 'src'): string =>
  readFileSync(join(ROOT, folder, file), 'utf8');

const STATEMENT = /^(?:import|export)\s+(type\s)?([\w*{][^;'"=()]*?\s+from\s+)?['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;
/** A package that is loaded as CommonJS. */
const REQUIRED = /\bload\(\s*['"]([^'"]+)['"]/g;

/** Every import of a file under a folder, dynamic ones and what is loaded as CommonJS too. */
export function importsOf(file: string, folder = 'src'): Import[] {
  const text = sourceOf(file, folder);
  const stated = [...text.matchAll(STATEMENT)].map(([, type, names = '', target = '']) =>
    importOf(file, target, type !== undefined || namesTypesOnly(names)),
  );
  const dynamic = [DYNAMIC, REQUIRED]
    .flatMap((form) => [...text.matchAll(form)])
    .map(([, target = '']) => importOf(file, target, false));
  return [...stated, ...dynamic];
}

function namesTypesOnly(names: string): boolean {
  const listed = /^\{(.*)\}\s+from$/s
    .exec(names.trim())?.[1]
    ?.split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return listed !== undefined && listed.length > 0 && listed.every((name) => name.startsWith('type '));
}

function importOf(from: string, target: string, isTypeOnly: boolean): Import {
  const isPackage = !target.startsWith('.');
  const to = isPackage ? target : normalize(join(dirname(from), target));
  return { from, to: to.split(sep).join('/'), isPackage, isTypeOnly };
}
