import type { Context } from 'hono';
import type { ZodType } from 'zod';
import { Refusal, badParameter } from '../refusal.ts';
import type { SandboxEnv } from '../service.ts';

/** Reads and validates the JSON body of a call; a 400 names the first invalid parameter. */
export async function readBody<T>(c: Context<SandboxEnv>, schema: ZodType<T>): Promise<T> {
  const parsed = schema.safeParse(parseJson(c.req.header('content-type') ?? '', await c.req.text()));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw badParameter(issue?.path.join('.') || 'body', `is not acceptable. ${issue?.message ?? ''}`);
}

function parseJson(contentType: string, text: string): unknown {
  if (!contentType.includes('json')) throw new Refusal(400, 'The body must be application/json.', 'body');
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'The body is not valid JSON.', 'body');
  }
}
