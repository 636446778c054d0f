import type { FieldMap, InputObjectRef } from '@pothos/core';
import type { GraphQLSchema } from 'graphql';
import type { KeyedResult } from '../writes/write.ts';
import type { UserError as UserErrorView, WriteResult } from '../writes/outcome.ts';
import type { OperationContext } from '../operation/operation.ts';
import { builder, defineEnum, type Types } from './builder.ts';
import { boolean, field, nonNull, shown, string } from './data.ts';

// Shared by the payloads of all mutations.

export const WriteOutcome = defineEnum(
  'WriteOutcome',
  'The result of a write. Every write is sent at most once.',
  {
    COMPLETED: 'The write succeeded.',
    PARTIAL: 'Part of the write succeeded; see `userErrors` for what is missing.',
    REJECTED: 'Nothing was done; see `userErrors` for the reason.',
    UNKNOWN: 'The write may or may not have succeeded; `userErrors` explains how to find out.',
  },
);

const UserErrorCode = defineEnum('UserErrorCode', 'Reasons for a problem with a write.', {
  INVALID_INPUT: 'An argument is invalid; nothing was sent.',
  UNKNOWN_ACCOUNT: 'No such account or group; nothing was sent.',
  ACCOUNT_NOT_LINKED:
    'Only the other surface supports this, and it does not have the account; nothing was sent.',
  ACCOUNT_UNAVAILABLE: 'The account is known not to be `HEALTHY`.',
  LIMIT_REACHED: 'The scheduling limit was exceeded, or fewer posts were created than there are accounts.',
  CONFLICT: 'Another caller may have made a conflicting change at the same time; see the message.',
  UPSTREAM_REJECTED: 'The service rejected the write; the message contains its reason.',
  OUTCOME_UNKNOWN: 'The service did not confirm the write; it may have succeeded.',
  RATE_LIMITED: 'Rate limited by the service; nothing was done.',
  SURFACE_UNAVAILABLE:
    'The service is unavailable, or did not return data that the write depends on; nothing was done.',
  SURFACE_NOT_CONFIGURED: 'This server has no URL for the surface.',
  CREDENTIAL_MISSING: 'No credential was sent for this surface.',
  CREDENTIAL_REJECTED: 'The service rejected the credential.',
  IDEMPOTENCY_KEY_REUSED: 'The idempotency key was already used with a different input; nothing was sent.',
  IDEMPOTENCY_IN_PROGRESS: 'An earlier call with this key is still in progress. Retry with the same key.',
  IDEMPOTENCY_UNAVAILABLE:
    'Idempotency keys cannot be recorded at the moment; this call sent nothing. An earlier one with the same key may have.',
});

/** The largest `Int`; as a pause in milliseconds, 24 days. */
const MAX_INT = 2 ** 31 - 1;

export const UserError = builder.objectRef<UserErrorView>('UserError').implement({
  description: 'A problem with a write.',
  fields: (t) =>
    shown(t, {
      code: nonNull(field(UserErrorCode, 'Machine-readable code.')),
      message: nonNull(string('A human-readable message.')),
      path: field(
        ['String'],
        'Path to the invalid argument, starting at `input`; null if no argument caused the problem.',
      ),
      retryable: nonNull(
        boolean(
          'Whether the same call, with the same key if it has one, may succeed later and is safe to repeat.',
        ),
      ),
      retryAfterMs: t.int({
        description:
          'How long the surface asks to wait before a retry, in milliseconds; null if it does not say.',
        resolve: ({ retryAfterMs }) => (retryAfterMs == null ? null : Math.min(retryAfterMs, MAX_INT)),
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

/**
 * Makes every mutation count as a call before anything is sent, and drop earlier reads when it ends, so its payload and
 * the next mutation read fresh data.
 */
export function forgetAfterWrites(schema: GraphQLSchema): GraphQLSchema {
  for (const mutation of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve } = mutation;
    mutation.resolve = async (root, args, context: OperationContext, info) => {
      context.calls.begin();
      try {
        return await resolve?.(root, args, context, info);
      } finally {
        context.forgetReads();
      }
    };
  }
  return schema;
}

/** The name of a mutation's input or payload. */
export function typeNameOf(mutation: string, kind: 'Input' | 'Payload'): string {
  return `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}${kind}`;
}

/** The argument of a mutation, and of the query that validates its input. */
export function inputOf<T extends object>(type: InputObjectRef<Types, T>, description: string) {
  return builder.args((t) => ({ input: t.field({ type, required: true, description }) }));
}

export const WritePayload = builder.interfaceRef<Payload<unknown>>('WritePayload').implement({
  description: 'Fields shared by the payloads of all mutations.',
  resolveType: ({ typeName }) => typeName,
  fields: (t) => ({
    outcome: t.field({
      type: WriteOutcome,
      nullable: false,
      description: 'Outcome of the write.',
      resolve: ({ result }) => result.outcome,
    }),
    userErrors: t.field({
      type: [UserError],
      nullable: false,
      description: 'Problems with the write; empty on success.',
      resolve: ({ result }) => result.userErrors,
    }),
    query: t.field({
      type: 'Query',
      nullable: false,
      description:
        'The query root, for reading data as it is after this write. Nothing read before the write is reused.',
      resolve: () => ({}),
    }),
  }),
});

type PayloadFields<D> = PothosSchemaTypes.ObjectFieldBuilder<Types, Payload<D>>;

/** Declares the payload of a mutation: its own fields and the shared ones. */
export function definePayload<D>(mutation: string, fields: (t: PayloadFields<D>) => FieldMap) {
  return builder.objectRef<Payload<D>>(typeNameOf(mutation, 'Payload')).implement({
    description: `Result of \`${mutation}\`.`,
    interfaces: [WritePayload],
    fields,
  });
}

/** Declares the payload of a mutation that takes a key. */
export function defineKeyedPayload<D>(mutation: string, fields: (t: PayloadFields<D>) => FieldMap) {
  return definePayload<D>(mutation, (t) => ({
    replayed: t.boolean({
      nullable: false,
      description: 'Whether this is the stored result of an earlier call with the same key.',
      resolve: ({ replayed }) => replayed,
    }),
    ...fields(t),
  }));
}

/** Describes the idempotency key on every input that takes one. */
export const KEY_DESCRIPTION =
  'A client-generated key that identifies this write (1–255 visible ASCII characters). Calls repeated with the same key within 24 hours (by default) are performed at most once.';

export const InputValidation = builder.objectRef<readonly UserErrorView[]>('InputValidation').implement({
  description: 'The result of validating an input without sending it.',
  fields: (t) => ({
    isValid: t.boolean({
      nullable: false,
      description: 'Whether `userErrors` is empty. The service may still reject the write.',
      resolve: (userErrors) => userErrors.length === 0,
    }),
    userErrors: t.field({
      type: [UserError],
      nullable: false,
      description: 'Problems that would make the mutation reject the input before sending anything.',
      resolve: (userErrors) => userErrors,
    }),
  }),
});
