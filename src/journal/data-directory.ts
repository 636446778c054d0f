import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  linkSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from '../config.ts';
import { fileProblem } from '../config/file-problem.ts';
import type { Log } from '../observability/log.ts';
import { JournalInUse } from './journal.ts';
import { openDiskJournal, type DiskJournal } from './disk.ts';
import { StoreDamaged, StoreOfAnotherFormat } from './store.ts';

// The data directory of a process: the file `secret`, from which names of callers are derived, and the folder `journal`
// with the writes that had a key.

/** The version of the folder's contents. */
const VERSION = 1;

/** A folder used by this process alone. */
export interface DataDirectory {
  /** The secret from which names of callers are derived; the same at each start. */
  readonly secret: string;
  /** Rejects with a ConfigError if the journal cannot be used: JournalInUse if another process holds it. */
  readonly openJournal: () => Promise<DiskJournal>;
}

/**
 * Opens the folder, creating it if it is missing.
 *
 * @throws ConfigError if it cannot be used
 */
export function openDataDirectory(path: string, log: Log): DataDirectory {
  const secret = openSecret(path);
  return { secret, openJournal: () => openJournal(path, secret, log) };
}

/**
 * Returns the secret of a folder, creating it if it is missing; processes may share it.
 *
 * @throws ConfigError if it cannot be used
 */
export function openSecret(path: string): string {
  return explaining(path, () => secretIn(path));
}

async function openJournal(path: string, secret: string, log: Log): Promise<DiskJournal> {
  const folder = join(path, 'journal');
  const format = JSON.stringify({ version: VERSION, secret: hashOf(secret) });
  let isNew = true;
  try {
    // The database would otherwise start empty beside its remaining files.
    isNew = !existsSync(folder) || readdirSync(folder).length === 0;
    return await openDiskJournal({ path: folder, format }, log, isNew);
  } catch (error) {
    // Another process may be creating it at the moment.
    const isDamaged = !isNew && !isLocked(error) && !existsSync(join(folder, 'CURRENT'));
    throw problem(path, isDamaged ? new StoreDamaged('the file CURRENT is missing') : error);
  }
}

// Node's own recursive mode never returns if an existing folder cannot contain others, as in /proc.
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(resolve(path));
  if (!existsSync(parent)) makeFolder(parent);
  mkdirSync(path, { mode: 0o700 });
}

const SECRET_BYTES = 32;
const SECRET_FORM = /^[\w-]{43}$/;

function secretIn(path: string): string {
  makeFolder(path);
  const file = join(path, 'secret');
  if (!existsSync(file)) createSecret(file);
  const secret = readFileSync(file, 'utf8');
  if (SECRET_FORM.test(secret)) return secret;
  throw new StoreDamaged('the file "secret" is corrupt');
}

// Written completely or not at all, even if the process ends; if two processes create one, both read the first.
function createSecret(file: string): void {
  // Processes of two containers may have the same id.
  const draft = `${file}.${randomUUID()}`;
  const descriptor = openSync(draft, 'w', 0o600);
  try {
    writeSync(descriptor, randomBytes(SECRET_BYTES).toString('base64url'));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    unlinkSync(draft);
  }
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

function explaining<T>(path: string, task: () => T): T {
  try {
    return task();
  } catch (error) {
    throw problem(path, error);
  }
}

function problem(path: string, error: unknown): ConfigError {
  const problems = [`DATA_DIR: ${JSON.stringify(path)} ${explained(error)}`];
  return isLocked(error) ? new JournalInUse(problems) : new ConfigError(problems);
}

function isLocked(error: unknown): boolean {
  return codesOf(error).includes('LEVEL_LOCKED');
}

const START_ANEW =
  'Restore it from a backup, or delete its folder "journal"; the keys of the last 24 hours are then lost, and a repeated write would be sent again';

function explained(error: unknown): string {
  if (error instanceof StoreOfAnotherFormat) {
    return versionIn(error.format) > VERSION
      ? 'was written by a later version of this program; use that version or another folder'
      : `contains a journal that does not match its "secret" file. ${START_ANEW}`;
  }
  if (isLocked(error))
    return 'is in use by another process; give each process its own folder, or share a Redis (REDIS_URL)';
  if (error instanceof StoreDamaged || codesOf(error).includes('LEVEL_CORRUPTION'))
    return `is corrupt (${reasonOf(error)}). ${START_ANEW}`;
  return `cannot be used: ${reasonOf(error)}. Choose a folder that this process may write, or DATA_DIR=off to keep idempotency keys in memory only`;
}

function versionIn(format: string): number {
  const [, version = '0'] = /"version":(\d+)/.exec(format) ?? [];
  return Number(version);
}

function codesOf(error: unknown): unknown[] {
  if (!(error instanceof Error)) return [];
  return [...('code' in error ? [error.code] : []), ...codesOf(error.cause)];
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (codesOf(error).includes('LEVEL_IO_ERROR')) return 'no permission to write to its "journal" folder';
  return fileProblem(error) ?? fileProblem(cause) ?? (cause instanceof Error ? cause.message : error.message);
}
