import type { Quirks } from '../quirks.ts';
import type { Refusal } from '../refusal.ts';
import { toJson } from './json.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** The envelope of the current surface around a result. */
export function succeed(response: unknown, message = 'Success'): Response {
  return reply(toJson({ message, response }), 200, JSON_TYPE);
}

/** A failed call of the current surface, in the shape selected by the quirk `errorBody`. */
export function failCurrent({ message, parameter, status }: Refusal, quirks: Quirks): Response {
  const shapes: Record<Quirks['errorBody'], () => Response> = {
    message: () => reply(toJson({ message }), status, JSON_TYPE),
    envelope: () => reply(toJson({ message, response: {} }), status, JSON_TYPE),
    'error-list': () => reply(toJson({ errors: [{ field: parameter, message }] }), status, JSON_TYPE),
    html: () => reply(`<html><body><h1>${status}</h1><p>${message}</p></body></html>`, status, 'text/html'),
    empty: () => new Response(null, { status }),
  };
  return shapes[quirks.errorBody]();
}

/** A legacy response: JSON with the content type selected by the quirk `legacyContentType`. */
export function answerLegacy(body: unknown, quirks: Quirks, status = 200): Response {
  return reply(toJson(body), status, quirks.legacyContentType);
}

/** A legacy success, with `data` if the call returns any. */
export function succeedLegacy(quirks: Quirks, data?: unknown): Response {
  const error = quirks.legacyErrorFlag === 'text' ? '0' : 0;
  return answerLegacy(data === undefined ? { error } : { error, data }, quirks);
}

/** A legacy failure: the flag and a text, which may be HTML. */
export function failLegacy({ message, status }: Refusal, quirks: Quirks): Response {
  const error = quirks.legacyErrorFlag === 'text' ? '1' : 1;
  return answerLegacy({ error, msg: message }, quirks, status);
}

function reply(text: string, status: number, contentType: string): Response {
  return new Response(text, { status, headers: { 'content-type': contentType } });
}
