// HTTP/1.1 in its plainest form, for both ends of the bench: the load and the service share a core, and are to be as
// light as they can be, so that the contestants and nothing else are measured.

const EMPTY = Buffer.alloc(0);
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;

/** A reader of what a connection brings: cuts it into messages `{ head, body }`, each with a content-length or no body. */
export function readMessages(onMessage) {
  let held = EMPTY;
  return (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    for (let message = firstIn(held); message !== null; message = firstIn(held)) {
      held = held.subarray(message.end);
      onMessage(message);
    }
  };
}

function firstIn(bytes) {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const head = bytes.latin1Slice(0, headEnd);
  const start = headEnd + 4;
  const end = start + Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0);
  return end > bytes.length ? null : { head, body: bytes.subarray(start, end), end };
}

/** A request that posts JSON, with the API key of one user. */
export function postRequest(path, apiKey, json) {
  return [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    'content-type: application/json',
    'accept: application/json',
    `x-api-key: ${apiKey}`,
    `content-length: ${Buffer.byteLength(json)}`,
    '',
    json,
  ].join('\r\n');
}

/** An answer 200 with JSON. */
export function jsonAnswer(json) {
  const head = [
    'HTTP/1.1 200 OK',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(json)}`,
    '',
    '',
  ];
  return Buffer.from(head.join('\r\n') + json);
}
