import { findKnownWrite, type KnownWrite } from '../writes/known-write.ts';
import { isKey } from '../writes/journal.ts';
import { builder } from './builder.ts';
import { costsCalls } from './cost.ts';
import { InputError } from './errors.ts';
import { payloadNameOf, WritePayload } from './write.ts';

const KeyedWrite = builder.objectRef<KnownWrite>('KeyedWrite').implement({
  description: 'A write that carried an `idempotencyKey`, as it is remembered for 24 hours.',
  fields: (t) => ({
    mutation: t.exposeString('mutation', {
      nullable: false,
      description: 'Name of the mutation, such as `createPost`.',
    }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: false,
      description: 'When it began, by the clock of this server.',
    }),
    isUnderWay: t.boolean({
      nullable: false,
      description: 'Whether the server is still waiting for the answer; if so, ask again later.',
      resolve: ({ payload }) => payload === null,
    }),
    payload: t.field({
      type: WritePayload,
      description: 'The payload of its mutation; null while it is under way.',
      resolve: ({ mutation, payload }) => payload && { ...payload, typeName: payloadNameOf(mutation) },
    }),
  }),
});

builder.queryField('writeOutcome', (t) =>
  t.field({
    type: KeyedWrite,
    description:
      'What became of a write that you sent with an `idempotencyKey` and the credentials of this request; sends no write. Null where nothing is remembered, which proves nothing: what the service never had is not remembered, nor what is older than 24 hours or was made with other credentials. Of two writes with the key, one on each surface, it tells the later one.',
    args: {
      idempotencyKey: t.arg.string({ required: true, description: 'The key that the write was sent with.' }),
    },
    resolve: (_root, { idempotencyKey }, context) => {
      if (!isKey(idempotencyKey))
        throw new InputError('idempotencyKey must be 1 to 255 visible ASCII characters.');
      return findKnownWrite(context, idempotencyKey);
    },
    ...costsCalls(0),
  }),
);
