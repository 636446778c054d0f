import { hash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from '../config.ts';
import { fileProblem } from '../config/file-problem.ts';
import type { Log } from '../observability/log.ts';
import { DiskJournal } from './disk.ts';
import { JournalInUse } from './journal.ts';
import { codesOf, isLocked, openStore, StoreDamaged, StoreOfAnotherFormat } from './store.ts';

// The data directory of a process: the file `secret`, from which names of callers are derived, and the folder `journal`
// with the writes that had a key.

/** The version of the journal's format. Version 2 stored the expiry of each record, and indexes beside the records. */
const VERSION = 3;

/** A folder used by this process alone. */
interface DataDirectory {
  /** The secret from which names of callers are derived; the same at each start. */
  readonly secret: string;
  /** Its methods reject with a ConfigError if the journal cannot be used: JournalInUse if another process holds it. */
  readonly journal: DiskJournal;
}

/**
 * Opens the folder, creating it if it is missing.
 *
 * @param keptMs How long a write is remembered, in milliseconds.
 * @throws ConfigError if it cannot be used
 */
export function openDataDirectory(path: string, keptMs: number, log: Log): DataDirectory {
  const secret = openSecret(path);
  const secretHash = hash('sha256', secret, 'base64url');
  const formatOf = (version: number): string => JSON.stringify({ version, secret: secretHash });
  const earlierFormats = [1, 2].map(formatOf);
  const place = { path: join(path, 'journal'), format: formatOf(VERSION), earlierFormats };
  const journal = new DiskJournal({
    folder: path,
    openStore: async (visit) => {
      try {
        return await openStore(place, visit);
      } catch (error) {
        throw folderProblem(path, error);
      }
    },
    keptMs,
    log,
  });
  return { secret, journal };
}

/**
 * Returns the secret of a folder, creating it if it is missing; processes may share it.
 *
 * @param part What it is for.
 * @throws ConfigError if it cannot be used
 */
export function openSecret(path: string, part: FolderPart = JOURNAL): string {
  try {
    makeFolder(path);
    const file = join(path, 'secret');
    if (!existsSync(file)) createSecret(file);
    const secret = readFileSync(file, 'utf8');
    if (SECRET_FORM.test(secret)) return secret;
    throw new SecretDamaged();
  } catch (error) {
    throw folderProblem(path, error, part);
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

// Written completely or not at all, even if the process ends; if two processes create one, both read the first.
function createSecret(file: string): void {
  // Processes of two containers may have the same id.
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, randomBytes(SECRET_BYTES).toString('base64url'), { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    unlinkSync(draft);
  }
}

/** A store in a data directory, for messages about it. */
export interface FolderPart {
  /** The name of its folder. */
  readonly name: string;
  /** The version of its format. */
  readonly version: number;
  /** What is lost if the folder is deleted. */
  readonly loss: string;
  /** What to do if another process uses it. */
  readonly ifInUse: string;
  /** What to do if it can't be used. */
  readonly otherwise: string;
}

const JOURNAL: FolderPart = {
  name: 'journal',
  version: VERSION,
  loss: 'the remembered keys are then lost, and a repeated write would be sent again',
  ifInUse: 'give each process its own folder, or share a Redis (REDIS_URL)',
  otherwise:
    'Choose a folder that this process may write to, or DATA_DIR=off to keep idempotency keys in memory only',
};

/** Thrown if the secret is not one that this program wrote: nothing in the folder can be read any more. */
class SecretDamaged extends Error {
  override readonly name = 'SecretDamaged';
}

/** A data directory can't be used. */
export class FolderUnusable extends ConfigError {
  /** Why, without advice. */
  readonly reason: string;

  constructor(problem: string, reason: string) {
    super([problem]);
    this.reason = reason;
  }
}

/** Explains to the operator why a data directory can't be used: a JournalInUse if another process uses it. */
export function folderProblem(path: string, error: unknown, part: FolderPart = JOURNAL): ConfigError {
  const { reason, advice } = explained(error, part);
  const problem = `DATA_DIR: ${JSON.stringify(path)} ${reason}${advice}`;
  return isLocked(error) ? new JournalInUse([problem]) : new FolderUnusable(problem, reason);
}

function explained(error: unknown, { name, version, loss, ifInUse, otherwise }: FolderPart) {
  const startAnew = `. Restore it from a backup, or delete its folder "${name}"; ${loss}`;
  if (error instanceof StoreOfAnotherFormat) {
    const [, found = '0'] = /"version":(\d+)/.exec(error.format) ?? [];
    return Number(found) > version
      ? {
          reason: 'was written by a later version of this program',
          advice: '; use that version or another folder',
        }
      : { reason: `contains a folder "${name}" that does not match its "secret" file`, advice: startAnew };
  }
  if (error instanceof SecretDamaged)
    return {
      reason: 'is corrupt (its file "secret" is)',
      advice: `. Restore it from a backup, or delete the whole folder; ${loss}`,
    };
  if (isLocked(error)) return { reason: 'is in use by another process', advice: `; ${ifInUse}` };
  if (error instanceof StoreDamaged || codesOf(error).includes('LEVEL_CORRUPTION'))
    return { reason: `is corrupt (${reasonOf(error, name)})`, advice: startAnew };
  return { reason: `cannot be used: ${reasonOf(error, name)}`, advice: `. ${otherwise}` };
}

function reasonOf(error: unknown, folder: string): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (codesOf(error).includes('LEVEL_IO_ERROR'))
    return `${reasonOfDatabase(cause instanceof Error ? cause : error)} in its "${folder}" folder`;
  return fileProblem(error) ?? fileProblem(cause) ?? (cause instanceof Error ? cause.message : error.message);
}

/** Returns the end of a message such as `IO error: /data/journal/LOCK: Permission denied`. */
function reasonOfDatabase({ message }: Error): string {
  const reason = message.slice(message.lastIndexOf(': ') + 2);
  return `${reason.charAt(0).toLowerCase()}${reason.slice(1)}`;
}
