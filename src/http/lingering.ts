import type { ServerResponse } from 'node:http';
import { MAX_REQUEST_BYTES } from './admission.ts';

/** Largest part of a rejected body that is read and discarded, in bytes. */
const MAX_DISCARDED_BYTES = 32 * MAX_REQUEST_BYTES;
const MAX_PAUSE_MS = 1_000;

/**
 * Sends a response at once, but ends it, which closes its connection, only when its caller has sent the whole request
 * or pauses. Closing a connection resets it if there is data to read, and a caller that is still sending would get that
 * error instead of the response.
 */
export function endAfterRequest(response: ServerResponse, text: string): void {
  const { req: request } = response;
  if (request.readableEnded || request.destroyed) return void response.end(text);
  response.write(text);
  const end = (): void => {
    clearTimeout(pause);
    request.off('data', discard);
    response.end();
  };
  const pause = setTimeout(end, MAX_PAUSE_MS);
  let discardedBytes = 0;
  const discard = (chunk: Buffer): void => {
    discardedBytes += chunk.length;
    if (discardedBytes > MAX_DISCARDED_BYTES) end();
    else pause.refresh();
  };
  request.on('data', discard).once('close', end);
}
