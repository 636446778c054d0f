import {
  ServerResponse,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
} from 'node:http';

/**
 * A response with default headers that notifies any number of listeners when it is closed. Several `close` listeners
 * per response were too costly: with two, once the server had been slow for a moment, V8 kept every response until the
 * next full garbage collection and spent a third of the CPU time copying them.
 */
export class ClosingResponse extends ServerResponse {
  readonly #listeners: (() => void)[] = [];
  /** Headers by lower-case names, sent unless overridden. Setting each of them individually costs more. */
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

  /** Calls `listener` once the response is sent or its connection closed; immediately if that has already happened. */
  whenClosed(listener: () => void): void {
    if (this.closed) listener();
    else this.#listeners.push(listener);
  }

  /** Notifies the listeners; called by the `close` event's only listener. */
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
