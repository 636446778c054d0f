const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EEXIST: 'it is a file, not a folder',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'the disk quota of this user is exceeded',
  ENAMETOOLONG: 'its path is too long',
  ELOOP: 'its path contains a loop of links',
  EMFILE: 'this process has too many open files',
};

/** Explains why a file or a folder can't be used; returns null if the error is not from the operating system. */
export function fileProblem(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return null;
  return WORDS[String(error.code)] ?? `the operating system reported ${String(error.code)}`;
}
