/** An error that GraphiQL shows without a stack. */
export function failure(message: string, cause: unknown): Error {
  const error = new Error(message, { cause });
  delete error.stack;
  return error;
}
