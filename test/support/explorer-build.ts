import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

/** Builds GraphiQL before any test, where that was not done since its sources changed. */
export async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, [resolve(import.meta.dirname, '../../explorer/build.js')]);
}
