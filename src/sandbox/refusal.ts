/** A call that the sandbox refuses: thrown by a route, written by the surface it belongs to. */
export class Refusal extends Error {
  readonly status: number;
  readonly parameter: string | null;

  /** `message` is for people and names the parameter that is at fault, if one is. */
  constructor(status: number, message: string, parameter: string | null = null) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.parameter = parameter;
  }
}

/** 400 for a parameter; the text begins with its name. */
export function badParameter(parameter: string, problem: string): Refusal {
  return new Refusal(400, `${parameter} ${problem}`, parameter);
}
