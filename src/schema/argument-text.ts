import { isObjectType, type GraphQLField, type GraphQLSchema } from 'graphql';
import { HALF_A_CHARACTER } from '../writes/problems.ts';
import { InputError } from './errors.ts';

/**
 * Makes every field with arguments refuse text that JSON can't carry, before it is sent. The problems of an `input` are
 * reported with those of its other contents.
 */
export function refuseBrokenText(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields()))
      if (field.args.some(({ name }) => name !== 'input')) refuseIn(field);
  }
  return schema;
}

type Field = GraphQLField<unknown, unknown, Readonly<Record<string, unknown>>>;

function refuseIn(field: Field): void {
  const { resolve, subscribe } = field;
  if (subscribe)
    field.subscribe = (source, args, context, info) => {
      check(args);
      return subscribe(source, args, context, info);
    };
  else if (resolve)
    field.resolve = (source, args, context, info) => {
      check(args);
      return resolve(source, args, context, info);
    };
}

function check({ input: _input, ...args }: Readonly<Record<string, unknown>>): void {
  const place = brokenTextIn(args);
  if (place !== null) throw new InputError(`${place} ${HALF_A_CHARACTER}`);
}

/** Returns the place of the first text with a lone surrogate, such as `filter.text`; null if there is none. */
function brokenTextIn(value: unknown, place = ''): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : place;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, child] of Object.entries(value)) {
    const found = brokenTextIn(child, place === '' ? name : `${place}.${name}`);
    if (found !== null) return found;
  }
  return null;
}
