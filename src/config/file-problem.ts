import { getSystemErrorMap } from 'node:util';

/** Explains why a file or a folder can't be used; returns null if the error is not from the operating system. */
export function fileProblem(error: unknown): string | null {
  if (!(error instanceof Error) || !('errno' in error) || !('syscall' in error)) return null;
  const [, words] = getSystemErrorMap().get(Number(error.errno)) ?? [];
  return words ?? error.message;
}

/** Explains why the content of a file or a folder can't be used. */
export function reasonOf(error: unknown): string {
  return fileProblem(error) ?? (error instanceof Error ? error.message : String(error));
}
