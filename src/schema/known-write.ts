import { findKnownWrite, type KnownWrite } from '../writes/write.ts';
import { isKey } from '../journal/journal.ts';
import { builder } from './builder.ts';
import { dateTime, nonNull, shown, string } from './data.ts';
import { InputError } from './errors.ts';
import { typeNameOf, WritePayload } from './write.ts';

const KeyedWrite = builder.objectRef<KnownWrite>('KeyedWrite').implement({
  description: 'A write with an `idempotencyKey`, remembered for 24 hours by default.',
  fields: (t) =>
    shown(t, {
      mutation: nonNull(string('Name of the mutation, such as `createPost`.')),
      startedAt: nonNull(dateTime('When the write began, on this server’s clock.')),
      isUnderWay: t.boolean({
        nullable: false,
        description: 'Whether the write is still in progress; if so, ask again later.',
        resolve: ({ payload }) => payload === null,
      }),
      payload: t.field({
        type: WritePayload,
        description: 'Payload of the mutation; null while it is in progress.',
        resolve: ({ mutation, payload }) =>
          payload && { ...payload, typeName: typeNameOf(mutation, 'Payload') },
      }),
    }),
});

builder.queryField('writeOutcome', (t) =>
  t.field({
    type: KeyedWrite,
    description:
      'The result of an earlier write with this `idempotencyKey` and the same credentials. Sends no write. Null if unknown, which does not mean that nothing was sent: writes are remembered for 24 hours by default. If the key was used on both surfaces, returns the most recent.',
    args: {
      idempotencyKey: t.arg.string({ required: true, description: 'Key that the write was sent with.' }),
    },
    resolve: (_root, { idempotencyKey }, context) => {
      if (!isKey(idempotencyKey))
        throw new InputError('idempotencyKey must be 1 to 255 visible ASCII characters.');
      return findKnownWrite(context, idempotencyKey);
    },
  }),
);
