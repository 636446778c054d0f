import type { OperationContext } from '../operation/operation.ts';
import { RelayPlugin, SchemaBuilder } from './pothos.ts';

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

const NON_NULL_LIST = { list: false, items: false } as const;

/** The builder that every schema module declares its types on. */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [RelayPlugin],
  relay: {
    clientMutationId: 'omit',
    cursorType: 'String',
    nodesOnConnection: {
      description: 'The records of the page, in order; one that could not be read is null.',
    },
    edgesFieldOptions: {
      nullable: NON_NULL_LIST,
      description: 'The records of the page with their cursors, in order.',
    },
    nodeFieldOptions: {
      nullable: true,
      description: 'The record; null, with an error, where it could not be read.',
    },
    cursorFieldOptions: {
      description: 'Where the record stands; pass it as `after` or `before` to go on from it.',
    },
    pageInfoFieldOptions: {
      description: 'Where the page begins and ends, and whether there are more pages.',
    },
    firstArgOptions: {
      description: 'How many records from the start, or after `after`: 0 to 100, 20 if nothing is said.',
    },
    lastArgOptions: { description: 'How many records from the end, or before `before`: 0 to 100.' },
    afterArgOptions: {
      description: 'A cursor of this list, with the same filter and order, after which the page begins.',
    },
    beforeArgOptions: {
      description: 'A cursor of this list, with the same filter and order, to go back from.',
    },
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    nodeTypeOptions: {
      description: 'A record that can be read again by its id.',
      resolveType: (value) => (value as { readonly type: string }).type,
    },
    idFieldOptions: { description: 'Opaque id of the record, the same wherever the record appears.' },
    pageInfoTypeOptions: {
      description: 'Where a page of a list begins and ends, and whether there are more pages.',
    },
    hasNextPageFieldOptions: { description: 'Whether more records follow this page.' },
    hasPreviousPageFieldOptions: {
      description: 'Whether more records precede this page.',
    },
    startCursorFieldOptions: { description: 'Cursor of the first record; null if the page is empty.' },
    endCursorFieldOptions: { description: 'Cursor of the last record; null if the page is empty.' },
  },
});
