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
