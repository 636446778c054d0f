import {
  ServerResponse,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
} from 'node:http';

/**
 * A response with headers that every one has, which tells any number of others when it is closed. A second listener of the
 * same event would cost more than it says: with two on each response, V8 kept every response until the next collection of
 * the whole heap, once the server had been slow for a moment, and spent a third of the processor's time on copying them.
 */
export class ClosingResponse extends ServerResponse {
  readonly #listeners: (() => void)[] = [];
  /** Headers by names in small letters, sent unless others of their names are. To set each of them costs more. */
  readonly standing: Record<string, string> = {};

  constructor(...parameters: [IncomingMessage]) {
    super(...parameters);
    this.once('close', tell);
  }

  override writeHead(status: number, headers?: string | Headers, others?: Headers): this {
    const { standing } = this;
    if (isRecord(headers) && this.getHeaderNames().length === 0)
      return super.writeHead(status, Object.assign(standing, headers));
    for (const [name, value] of Object.entries(standing))
      if (!this.hasHeader(name)) this.setHeader(name, value);
    return typeof headers === 'string'
      ? super.writeHead(status, headers, others)
      : super.writeHead(status, headers);
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

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

function isRecord(headers: string | Headers | undefined): headers is OutgoingHttpHeaders {
  return typeof headers === 'object' && !Array.isArray(headers);
}

function tell(this: ClosingResponse): void {
  this.tellClosed();
}
