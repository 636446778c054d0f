import { endpoints } from '../endpoints.ts';
import { oneOfWords, readFieldsOf, required, unknownKind, whole } from '../fields.ts';
import type { Field, Fields } from '../fields.ts';
import { badParameter } from '../refusal.ts';
import type { Fault } from './fault.ts';
import { FAULT_FORMS, KINDS_IN_CODE } from './kinds.ts';
import type { FaultForm } from './kinds.ts';

/** Word for a fault that strikes every time; JSON has no infinity. */
export const ALWAYS = 'always';

const ENDPOINT_NAMES: readonly string[] = endpoints.map(({ name }) => name);

/** Takes the name of a call, or `*` for all of them. */
export const endpointField: Field = {
  isRequired: false,
  accepts: '"*" or a call such as "GET /accounts/list" (GET / lists all of them)',
  admits: (value) => value === '*' || (typeof value === 'string' && ENDPOINT_NAMES.includes(value)),
};

/**
 * Reads a fault from the JSON of a request.
 *
 * @param ownerNames - Names that `owner` accepts.
 * @throws Refusal with status 400, which names the first invalid field.
 */
export function readFault(value: unknown, ownerNames: readonly string[]): Fault {
  const given = readFieldsOf(value, (kind) => ({ ...targetFields(ownerNames), ...formOf(kind).fields }));
  const times = given.get('times') === ALWAYS ? { times: Number.POSITIVE_INFINITY } : {};
  return { ...Object.fromEntries(given), ...times } as unknown as Fault;
}

function formOf(kind: unknown): FaultForm {
  const forms = new Map<unknown, FaultForm>(Object.entries(FAULT_FORMS));
  const form = forms.get(kind);
  if (form) return form;
  if (typeof kind === 'string' && KINDS_IN_CODE.includes(kind)) {
    throw badParameter(
      'kind',
      `${JSON.stringify(kind)} takes a function: add it in code, with sandbox.faults.add().`,
    );
  }
  throw unknownKind(kind, Object.keys(FAULT_FORMS));
}

/** The fields common to all kinds: what the fault strikes, and how often. */
function targetFields(ownerNames: readonly string[]): Fields {
  const count = whole(1);
  return {
    endpoint: required(endpointField),
    owner: oneOfWords(ownerNames),
    times: {
      ...count,
      accepts: `${count.accepts}, or "${ALWAYS}"`,
      admits: (value) => value === ALWAYS || count.admits(value),
    },
    skip: whole(0),
    effect: oneOfWords(['done', 'none']),
  };
}
