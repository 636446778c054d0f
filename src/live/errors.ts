/** A reader of live results does not keep up. The message is shown to the caller. */
export class SlowReaderError extends Error {
  override readonly name = 'SlowReaderError';

  constructor() {
    super('Too many results wait to be read here; subscribe again.');
  }
}
