import type { KeyedResult } from '../writes/keyed-write.ts';
import type { UserError as UserErrorView, UserErrorCode as Code, WriteResult } from '../writes/outcome.ts';
import type { FieldMap } from '@pothos/core';
import type { GraphQLSchema } from 'graphql';
import type { OperationContext } from '../operation/operation.ts';
import { builder, type SchemaTypes } from './builder.ts';
import { costs } from './cost.ts';

// Shared by the payloads of all mutations.

export const WriteOutcome = builder.enumType('WriteOutcome', {
  description: 'What became of a write. Every write is sent at most once.',
  values: {
    COMPLETED: { description: 'It was done.' },
    PARTIAL: {
      description: 'Something was done, and not all that was asked for; `userErrors` says what is missing.',
    },
    REJECTED: { description: 'It was not done; `userErrors` says why.' },
    UNKNOWN: { description: 'It may or may not have been done; `userErrors` says how to find out.' },
  } as const,
});

const CODE_DESCRIPTIONS: Readonly<Record<Code, string>> = {
  INVALID_INPUT: 'An argument can’t be used; nothing was sent.',
  UNKNOWN_ACCOUNT: 'An account or group is not there; nothing was sent.',
  ACCOUNT_NOT_LINKED:
    'Only the other surface can do this, and the account is not known there; nothing was sent.',
  ACCOUNT_UNAVAILABLE: 'The account’s state is not `HEALTHY`, as far as it is known.',
  LIMIT_REACHED: 'The scheduling limit was exceeded, or fewer posts were made than there are accounts.',
  CONFLICT:
    'Another caller may have changed the same thing at the same time; the message says what is known.',
  UPSTREAM_REJECTED: 'The service refused; its words are in the message.',
  OUTCOME_UNKNOWN: 'The service did not confirm; it may have happened.',
  RATE_LIMITED: 'The service asks for a pause; it did nothing.',
  SURFACE_UNAVAILABLE:
    'The service can’t be reached, or did not tell what has to be known first; nothing was done.',
  SURFACE_NOT_CONFIGURED: 'This server is not configured for this surface.',
  CREDENTIAL_MISSING: 'No credential was sent for this surface.',
  CREDENTIAL_REJECTED: 'The service does not accept the credential.',
  IDEMPOTENCY_KEY_REUSED: 'The key was used for something else; nothing was sent.',
  IDEMPOTENCY_IN_PROGRESS:
    'An earlier call with this key is under way, and its outcome is not known yet; ask again with the same key.',
  IDEMPOTENCY_UNAVAILABLE: 'Keys cannot be recorded at the moment; this call sent nothing.',
};

const UserErrorCode = builder.enumType('UserErrorCode', {
  description: 'Why a write was not done, or not for certain.',
  values: Object.fromEntries(
    Object.entries(CODE_DESCRIPTIONS).map(([code, description]) => [code, { description }]),
  ) as Readonly<Record<Code, { description: string }>>,
});

export const UserError = builder.objectRef<UserErrorView>('UserError').implement({
  description: 'One thing that stands in the way of a write.',
  fields: (t) => ({
    code: t.expose('code', {
      type: UserErrorCode,
      nullable: false,
      description: 'What it is, for programs.',
    }),
    message: t.exposeString('message', { nullable: false, description: 'What it is, for people.' }),
    path: t.field({
      type: ['String'],
      nullable: { list: true, items: false },
      description: 'The argument that is to blame, step by step from `input`; null where none is.',
      resolve: ({ path }) => path,
    }),
    retryable: t.exposeBoolean('retryable', {
      nullable: false,
      description:
        'Whether the same call, with the same key where it has one, may succeed a little later and is safe to repeat.',
    }),
  }),
});

/** The payload of a write: its result, and whether it was remembered from an earlier call. */
export interface Payload<D> extends KeyedResult<D> {
  /** The payload's type name, where several are possible. */
  readonly typeName?: string;
}

/** The payload of a write that takes no key. */
export function unkeyed<D>(result: WriteResult<D>): Payload<D> {
  return { result, replayed: false };
}

/** Makes every mutation drop earlier reads when it ends, so its payload and the next mutation read fresh data. */
export function forgetAfterWrites(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve } = field;
    field.resolve = async (root, args, context: OperationContext, info) => {
      try {
        return await resolve?.(root, args, context, info);
      } finally {
        context.loaders.forget();
      }
    };
  }
  return schema;
}

/** The name of a mutation's payload. */
export function payloadNameOf(mutation: string): string {
  return `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Payload`;
}

export const WritePayload = builder.interfaceRef<Payload<unknown>>('WritePayload').implement({
  description: 'What the payloads of all mutations have in common.',
  resolveType: ({ typeName }) => typeName,
  fields: (t) => ({
    outcome: t.field({
      type: WriteOutcome,
      nullable: false,
      description: 'The outcome of the write.',
      resolve: ({ result }) => result.outcome,
    }),
    userErrors: t.field({
      type: [UserError],
      nullable: { list: false, items: false },
      description: 'The problems with the write; empty if it was done.',
      resolve: ({ result }) => result.userErrors,
    }),
    query: t.field({
      type: 'Query',
      nullable: false,
      description:
        'Everything that can be read, as it is after this write: for lists and counts that a client shows. Nothing that was read before the write is used.',
      resolve: () => ({}),
      ...costs(() => []),
    }),
  }),
});

type PayloadFields<D> = PothosSchemaTypes.ObjectFieldBuilder<
  PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>,
  Payload<D>
>;

/** Declares the payload of a mutation: its own fields and the shared ones. */
export function definePayload<D>(
  name: string,
  { takesKey }: { readonly takesKey: boolean },
  fields: (t: PayloadFields<D>) => FieldMap,
) {
  return builder.objectRef<Payload<D>>(name).implement({
    description: `Result of \`${name.charAt(0).toLowerCase()}${name.slice(1).replace(/Payload$/, '')}\`.`,
    interfaces: [WritePayload],
    fields: (t) => ({
      ...(takesKey
        ? {
            replayed: t.boolean({
              nullable: false,
              description: 'Whether this is the remembered result of an earlier call with the same key.',
              resolve: ({ replayed }) => replayed,
            }),
          }
        : {}),
      ...fields(t),
    }),
  });
}

/** Describes the idempotency key on every input that takes one. */
export const KEY_DESCRIPTION =
  'A name of your own for this very write, 1 to 255 visible ASCII characters: the same call with the same key is done at most once, however often it is sent within 24 hours.';

/** Converts enum values that are the service's own words. */
export function enumOf<N extends string, V extends string>(
  values: Readonly<Record<N, readonly [value: V, description: string]>>,
): Readonly<Record<N, { readonly value: V; readonly description: string }>> {
  const entries = (Object.entries(values) as [N, readonly [V, string]][]).map(
    ([name, [value, description]]) => [name, { value, description }] as const,
  );
  return Object.fromEntries(entries) as Readonly<
    Record<N, { readonly value: V; readonly description: string }>
  >;
}
