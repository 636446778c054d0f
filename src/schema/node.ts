import type { OperationContext } from '../context.ts';
import { findAccount } from '../records/account.ts';
import { findAccountGroup } from '../records/account-group.ts';
import { findAiGeneration } from '../records/ai-generation.ts';
import { findLibraryItem } from '../records/library-item.ts';
import type { GlobalId, NodeType } from '../records/global-id.ts';
import { findQueuedPost } from '../records/queued-post.ts';
import { builder } from './builder.ts';
import { decodeGlobalId } from './global-id.ts';

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
    description: 'Any record by its id; null when the service has no such record.',
    args: { id: t.arg.id({ required: true, description: 'The id of any record that has one.' }) },
    resolve: (_root, { id }, context) => findNode(id, 'id', context),
  }),
  nodes: t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: false, items: true },
    description:
      'Records by their ids, in the same order; null, with an error where there was one, for each that is not there.',
    args: { ids: t.arg.idList({ required: true, description: 'The ids of any records that have one.' }) },
    resolve: (_root, { ids }, context) => ids.map((id, index) => findNode(id, `ids[${index}]`, context)),
  }),
}));
