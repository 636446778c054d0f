import type { Context } from 'hono';
import type { ZodType } from 'zod';
import { Refusal, validate } from '../refusal.ts';
import type { SandboxEnv } from '../service.ts';

/** Reads and validates the JSON body of a call; a 400 names the first invalid parameter. */
export async function readBody<T>(c: Context<SandboxEnv>, schema: ZodType<T>): Promise<T> {
  return validate(schema, parseJson(c.req.header('content-type') ?? '', await c.req.text()));
}

function parseJson(contentType: string, text: string): unknown {
  if (!contentType.includes('json')) throw new Refusal(400, 'The body must be application/json.', 'body');
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'The body is not valid JSON.', 'body');
  }
}
