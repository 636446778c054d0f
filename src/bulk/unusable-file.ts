import { fileProblem } from '../config/file-problem.ts';

/** A file that can't be used; the message tells a person what to do. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
}

/** Runs a file operation; throws an UnusableFile that explains why it failed. */
export function using<T>(path: string, done: 'read' | 'written', task: () => T): T {
  try {
    return task();
  } catch (error) {
    const reason = fileProblem(error) ?? (error instanceof Error ? error.message : String(error));
    throw new UnusableFile(`${path}: cannot be ${done}: ${reason}.`, { cause: error });
  }
}
