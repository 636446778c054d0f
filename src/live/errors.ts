/** A reader of live results does not keep up. The message is shown to the caller. */
export class SlowReaderError extends Error {
  override readonly name = 'SlowReaderError';

  constructor() {
    super('Too many events are waiting to be read; subscribe again.');
  }
}
