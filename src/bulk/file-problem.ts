/** A file that can't be used; the message tells a person what to do. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';
}
