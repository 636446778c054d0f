import type { OperationContext } from '../operation/operation.ts';
import { findAccount } from '../records/account.ts';
import { findAccountGroup } from '../records/account-group.ts';
import { findAiGeneration } from '../records/ai-generation.ts';
import { findLibraryItem } from '../records/library-item.ts';
import { type GlobalId, type NodeType } from '../records/global-id.ts';
import { findQueuedPost } from '../records/queued-post.ts';
import { decodeGlobalId } from './arguments.ts';
import { builder } from './builder.ts';

type FindNode = (id: GlobalId, context: OperationContext) => Promise<{ readonly type: NodeType } | null>;

const FINDERS: Readonly<Record<NodeType, FindNode>> = {
  Account: ({ surface, rawId }, context) => findAccount(surface, rawId, context),
  AccountGroup: ({ surface, rawId }, context) => findAccountGroup(surface, rawId, context),
  QueuedPost: ({ rawId }, context) => findQueuedPost(rawId, context),
  LibraryItem: ({ rawId }, context) => findLibraryItem(rawId, context),
  AiGeneration: ({ rawId }, context) => findAiGeneration(rawId, context),
};

async function findNode(id: string, argument: string, context: OperationContext) {
  const decoded = decodeGlobalId(id, argument);
  return await FINDERS[decoded.type](decoded, context);
}

builder.queryFields((t) => ({
  node: t.field({
    type: builder.nodeInterfaceRef(),
    description: 'An object by its ID; null if the service has no such object.',
    args: { id: t.arg.id({ required: true, description: 'ID of any object.' }) },
    resolve: (_root, { id }, context) => findNode(id, 'id', context),
  }),
  nodes: t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: false, items: true },
    description:
      'Objects by their IDs, in the same order; null for each that does not exist or, with an error, could not be read.',
    args: { ids: t.arg.idList({ required: true, description: 'IDs of any objects.' }) },
    // An error in place of a record affects only its own slot.
    resolve: (_root, { ids }, context) => {
      context.calls.list(ids);
      return Promise.all(
        ids.map((id, index) =>
          findNode(id, `ids[${index}]`, context).catch((error: unknown) => error as never),
        ),
      );
    },
  }),
}));
