import { z } from 'zod';
import { endpoints } from '../endpoints.ts';
import { validate } from '../refusal.ts';
import type { Fault } from './fault.ts';
import { FAULT_FORMS, KINDS_IN_CODE } from './kinds.ts';
import type { FaultForms } from './kinds.ts';

/** Word for a fault that strikes every time; JSON has no infinity. */
export const ALWAYS = 'always';

/** Takes the name of a call, or `*` for all of them. */
export const endpointField = z.enum(
  ['*', ...endpoints.map(({ name }) => name)],
  'Expected "*" or a call such as "GET /accounts/list" (GET / lists all of them).',
);

const KINDS = Object.keys(FAULT_FORMS) as (keyof FaultForms)[];
const kindField = z.enum(KINDS, {
  error: ({ input }) =>
    KINDS_IN_CODE.some((kind) => kind === input)
      ? `${JSON.stringify(input)} takes a function: add it in code, with sandbox.faults.add().`
      : `Expected one of ${KINDS.join(', ')}.`,
});

const times = z.union(
  [z.literal(ALWAYS).transform(() => Number.POSITIVE_INFINITY), z.int().min(1)],
  `Expected a whole number of at least 1, or "${ALWAYS}".`,
);

/**
 * Reads a fault from the JSON of a request.
 *
 * @param ownerNames - Names that `owner` accepts.
 * @throws Refusal with status 400, which names the first invalid field.
 */
export function readFault(value: unknown, ownerNames: readonly string[]): Fault {
  const { kind } = validate(z.looseObject({ kind: kindField }), value);
  const fault = z.strictObject({
    endpoint: endpointField,
    kind: kindField,
    owner: z.enum(ownerNames).optional(),
    times: times.optional(),
    skip: z.int().min(0).optional(),
    effect: z.enum(['done', 'none']).optional(),
    ...FAULT_FORMS[kind].fields,
  });
  // The compiler does not see that the fields are those of the kind, of which FaultForms makes sure.
  return validate(fault, value) as Fault;
}
