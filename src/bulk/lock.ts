import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { UnusableFile } from './unusable-file.ts';

/** A lock held by this process. */
export interface Lock {
  release(): Promise<void>;
}

/**
 * Acquires the lock of a results file: an empty database in a folder next to it, since Node has no lock that is
 * released with its process, however that ends. The folder is kept.
 *
 * @throws UnusableFile if another process holds it, or the folder can't be used
 */
export async function takeLock(resultsPath: string): Promise<Lock> {
  // The database would create missing folders, even for a misspelt path.
  if (!existsSync(dirname(resultsPath))) throw new UnusableFile(`${resultsPath}: its folder does not exist.`);
  const { ClassicLevel } = await import('classic-level');
  const database = new ClassicLevel(`${resultsPath}.lock`);
  try {
    await database.open();
  } catch (error) {
    throw new UnusableFile(`${resultsPath}: ${reasonOf(error)}`);
  }
  return { release: () => database.close() };
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_LOCKED')
    return 'another process is sending this file; wait until it has finished.';
  return `cannot be locked: ${cause instanceof Error ? cause.message : String(error)}. The folder must be writable.`;
}
