import { ServerResponse, type IncomingMessage } from 'node:http';

/**
 * A response that tells any number of others when it is closed. A second listener of the same event would cost more than it
 * says: with two on each response, V8 kept every response until the next collection of the whole heap, once the server had
 * been slow for a moment, and spent a third of the processor's time on copying them.
 */
export class ClosingResponse extends ServerResponse {
  readonly #listeners: (() => void)[] = [];

  constructor(...parameters: [IncomingMessage]) {
    super(...parameters);
    this.once('close', tell);
  }

  /** Has `listener` called once, when the response has been sent or its connection is gone; at once if that is so already. */
  whenClosed(listener: () => void): void {
    if (this.closed) listener();
    else this.#listeners.push(listener);
  }

  /** Tells them; for the event's own listener. */
  tellClosed(): void {
    for (const listener of this.#listeners) listener();
  }
}

function tell(this: ClosingResponse): void {
  this.tellClosed();
}
