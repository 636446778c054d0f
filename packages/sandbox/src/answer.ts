import type { ServerResponse } from 'node:http';

/** A complete response of the app, not yet sent. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/** Reads a response of the app completely. */
export async function readAnswer(response: Response): Promise<Answer> {
  return {
    status: response.status,
    headers: [...response.headers],
    body: Buffer.from(await response.arrayBuffer()),
  };
}

/** Writes the head without any framing, so that the caller decides on length or chunks. */
export function writeHead(
  res: ServerResponse,
  answer: Answer,
  framing: Readonly<Record<string, string>>,
): void {
  const own = Object.keys(framing);
  for (const [name, value] of answer.headers) {
    if (!own.includes(name) && name !== 'content-length') res.appendHeader(name, value);
  }
  for (const [name, value] of Object.entries(framing)) res.setHeader(name, value);
  res.writeHead(answer.status);
}

/** Writes a response as a well-behaved server does. */
export function writeAnswer(res: ServerResponse, answer: Answer): void {
  writeHead(res, answer, { 'content-length': String(answer.body.length) });
  res.end(answer.body);
}
