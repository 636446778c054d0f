import type { OperationContext } from '../operation/operation.ts';
import { findAccount } from '../records/account.ts';
import { findAccountGroup } from '../records/account-group.ts';
import { findAiGeneration } from '../records/ai-generation.ts';
import { findLibraryItem } from '../records/library-item.ts';
import { parseGlobalId, type GlobalId, type NodeType } from '../records/global-id.ts';
import { findQueuedPost } from '../records/queued-post.ts';
import { addAccounts } from './account-cost.ts';
import { builder } from './builder.ts';
import { costs, type CostTally, type ResultSet } from './cost.ts';
import { decodeGlobalId } from './global-id.ts';
import { addGroups } from './group-cost.ts';
import { addScan } from './list-cost.ts';

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
    ...costs<{ readonly id: string }>(({ args, tally }) => addNodes(tally, [args.id])),
  }),
  nodes: t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: false, items: true },
    description:
      'Objects by their IDs, in the same order; null for each that does not exist or, with an error, could not be read.',
    args: { ids: t.arg.idList({ required: true, description: 'IDs of any objects.' }) },
    // An error in place of a record affects only its own slot.
    resolve: (_root, { ids }, context) =>
      Promise.all(
        ids.map((id, index) =>
          findNode(id, `ids[${index}]`, context).catch((error: unknown) => error as never),
        ),
      ),
    ...costs<{ readonly ids: readonly string[] }>(({ args, tally }) => addNodes(tally, args.ids)),
  }),
}));

function addNodes(tally: CostTally, ids: readonly string[]): ResultSet[] {
  return [...addAccounts(tally, ids), ...addGroups(tally, ids), ...ids.flatMap((id) => addOther(tally, id))];
}

// Records other than accounts and groups that have a lookup by id, each returned whole.
function addOther(tally: CostTally, id: string): ResultSet[] {
  const { type } = parseGlobalId(id) ?? {};
  if (type === 'QueuedPost') addScan(tally, 'queue');
  else if (type === 'AiGeneration') addScan(tally, 'AI history');
  else if (type === 'LibraryItem') tally.add(`item ${id}`, 1);
  else return [];
  return [{ type, part: 'whole', name: id, count: 1 }];
}
