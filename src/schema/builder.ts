import type { OperationContext } from '../operation/operation.ts';
import SchemaBuilder, { type InputFieldMap } from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';

/** The types of this graph, as declared to the builder. */
export interface SchemaTypes {
  Context: OperationContext;
  Connection: { totalCount: number | Promise<number> };
  DefaultEdgesNullability: { list: false; items: false };
  DefaultNodeNullability: true;
  /** The query root, which payloads expose as well. */
  Objects: { Query: object };
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    LocalDateTime: { Input: string; Output: string };
    LocalTime: { Input: string; Output: string };
    ServiceId: { Input: string; Output: string };
    URL: { Input: string; Output: string };
    JSON: { Input: unknown; Output: unknown };
  };
}

/** The same, with what Pothos adds. */
export type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>;

const NON_NULL_LIST = { list: false, items: false } as const;

/** The builder that every schema module declares its types on. */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [RelayPlugin],
  relay: {
    clientMutationId: 'omit',
    cursorType: 'String',
    nodesOnConnection: {
      description: 'Records on this page. A record that could not be read is null.',
    },
    edgesFieldOptions: {
      nullable: NON_NULL_LIST,
      description: 'Records on this page, with their cursors.',
    },
    nodeFieldOptions: {
      nullable: true,
      description: 'The record; null, with an error, if it could not be read.',
    },
    cursorFieldOptions: {
      description: 'A cursor for use in pagination.',
    },
    pageInfoFieldOptions: {
      description: 'Information to aid in pagination.',
    },
    firstArgOptions: {
      description: 'Number of records to return from the start or after `after` (0–100). Defaults to 20.',
    },
    lastArgOptions: { description: 'Number of records to return from the end or before `before` (0–100).' },
    afterArgOptions: {
      description:
        'Return records after this cursor. It must come from the same list with the same filter and order.',
    },
    beforeArgOptions: {
      description:
        'Return records before this cursor. It must come from the same list with the same filter and order.',
    },
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    nodeTypeOptions: {
      description: 'An object with a globally unique ID.',
      resolveType: (value) => (value as { readonly type: string }).type,
    },
    idFieldOptions: { description: 'Globally unique ID, the same wherever the object appears.' },
    pageInfoTypeOptions: {
      description: 'Information to aid in pagination.',
    },
    hasNextPageFieldOptions: { description: 'Whether more records follow this page.' },
    hasPreviousPageFieldOptions: {
      description: 'Whether more records precede this page.',
    },
    startCursorFieldOptions: { description: 'Cursor of the first record; null if the page is empty.' },
    endCursorFieldOptions: { description: 'Cursor of the last record; null if the page is empty.' },
  },
});

/** The description of a value, with the value in the code where that is not its name in the graph. */
type Described = string | readonly [value: string, description: string];

type ValueOf<V extends Readonly<Record<string, Described>>> = {
  readonly [N in keyof V]: {
    readonly value: V[N] extends readonly [infer Value extends string, string] ? Value : N & string;
    readonly description: string;
  };
};

/** Declares an enum by its values, in order. */
export function defineEnum<const V extends Readonly<Record<string, Described>>>(
  name: string,
  description: string,
  described: V,
) {
  const values = Object.entries<Described>(described).map(([value, told]) =>
    typeof told === 'string'
      ? ([value, { value, description: told }] as const)
      : ([value, { value: told[0], description: told[1] }] as const),
  );
  return builder.enumType(name, { description, values: Object.fromEntries(values) as ValueOf<V> });
}

/** Declares an input type by its fields, in order. */
export function defineInput<F extends InputFieldMap>(
  name: string,
  description: string,
  fields: (t: PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>) => F,
) {
  return builder.inputType(name, { description, fields });
}
