import { endpoints } from '../endpoints.ts';
import { badParameter } from '../refusal.ts';
import type { Fault } from './fault.ts';
import { FAULT_FORMS, KINDS_IN_CODE, oneOfWords, required, whole } from './kinds.ts';
import type { FaultField, FaultForm } from './kinds.ts';

/** Word for a fault that strikes every time; JSON has no infinity. */
export const ALWAYS = 'always';

const ENDPOINT_NAMES: readonly string[] = endpoints.map(({ name }) => name);

/**
 * Reads a fault from the JSON of a request.
 *
 * @param ownerNames - Names that `owner` accepts.
 * @throws Refusal with status 400, which names the first invalid field.
 */
export function readFault(value: unknown, ownerNames: readonly string[]): Fault {
  const fields = new Map(Object.entries(jsonObject(value)));
  const kind = fields.get('kind');
  const form = formOf(kind);
  const known = { ...targetFields(ownerNames), ...form.fields };
  for (const name of fields.keys()) {
    if (name !== 'kind' && !Object.hasOwn(known, name)) throw unknownField(name, String(kind), known);
  }
  for (const [name, field] of Object.entries(known)) checkField(name, field, fields);
  const times = fields.get('times') === ALWAYS ? { times: Number.POSITIVE_INFINITY } : {};
  return { ...Object.fromEntries(fields), ...times } as unknown as Fault;
}

function jsonObject(value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw badParameter('body', 'must be a JSON object with "kind" and "endpoint".');
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
  throw badParameter('kind', `must be one of ${[...forms.keys()].join(', ')}${instead(kind)}.`);
}

/** The fields common to all kinds: what the fault strikes, and how often. */
function targetFields(ownerNames: readonly string[]): Readonly<Record<string, FaultField>> {
  const count = whole(1);
  return {
    endpoint: required({
      isRequired: true,
      accepts: '"*" or a call such as "GET /accounts/list" (GET / lists all of them)',
      admits: (value) => value === '*' || (typeof value === 'string' && ENDPOINT_NAMES.includes(value)),
    }),
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

function checkField(name: string, field: FaultField, fields: ReadonlyMap<string, unknown>): void {
  const value = fields.get(name);
  if (value === undefined && !field.isRequired) return;
  if (value !== undefined && field.admits(value)) return;
  throw badParameter(name, `must be ${field.accepts}${instead(value)}.`);
}

function unknownField(name: string, kind: string, known: Readonly<Record<string, FaultField>>) {
  const names = Object.keys(known).join(', ');
  return badParameter(name, `is not a field of the kind ${kind}, which takes ${names}.`);
}

/** Returns the value that was sent instead, shortened because it may be of any size. */
function instead(value: unknown): string {
  return value === undefined ? '; it is missing' : `, not ${JSON.stringify(value).slice(0, 60)}`;
}
