import type { ZodType } from 'zod';

/** A call that the sandbox rejects: thrown by a route, and written by its surface. */
export class Refusal extends Error {
  readonly status: number;
  readonly parameter: string | null;

  /** `message` is for people and names the offending parameter, if any. */
  constructor(status: number, message: string, parameter: string | null = null) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.parameter = parameter;
  }
}

/** Creates a 400 for a parameter; the text begins with its name. */
export function badParameter(parameter: string, problem: string): Refusal {
  return new Refusal(400, `${parameter} ${problem}`, parameter);
}

/** Validates a value that was sent; a 400 names the first invalid parameter. */
export function validate<T>(schema: ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  throw badParameter(
    issue?.path.join('.') || unknown || 'body',
    `is not acceptable. ${issue?.message ?? ''}`,
  );
}
