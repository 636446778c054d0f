/** A reader of live results that does not keep up; the message is shown to the caller. */
export class SlowReaderError extends Error {
  override readonly name = 'SlowReaderError';

  constructor() {
    super('Too many results wait to be read here; subscribe again.');
  }
}
