import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { GraphFailure, isData, rootField, type Data, type Graph } from './graph.ts';
import { complete, type Change, type FollowedList, type Seen } from './lists.ts';
import type { Outbox } from './outbox.ts';

/** Maximum number of pending messages; changes beyond it are recorded once there is room again. */
const MAX_PENDING = 10_000;

/** What following needs. */
export interface FollowOptions {
  readonly graph: Graph;
  readonly outbox: Outbox;
  /** Called when messages have been added to the outbox. */
  readonly onAdded: () => void;
  /** Ends the following. */
  readonly signal: AbortSignal;
}

/**
 * Records each change of a list in the outbox, starting with the changes since it was last followed. Ends with the
 * signal or the subscription, or when the list has to be compared as a whole again: follow it again then.
 *
 * @throws GraphFailure if the list can't be followed or read, an error while too many messages are pending, and what the
 * graph and the outbox throw
 */
export async function follow(list: FollowedList, options: FollowOptions): Promise<void> {
  const { graph, signal } = options;
  const events = await graph.subscribe({ query: list.events }, { signal });
  if (!(Symbol.asyncIterator in events)) throw new GraphFailure(events);
  let isInDoubt = false;
  for await (const result of events) {
    const event = rootField(result, 'event');
    if (!Array.isArray(event['ids'])) {
      await recordUpdates(list, event, single(list, event, options), options);
      if (isInDoubt) return;
    } else if (event['isFollowedByChanges'] !== true) {
      const compared = await compare(list, event, options);
      await recordUpdates(list, event, compared.updates, options);
      ({ isInDoubt } = compared);
    }
  }
}

/** What becomes of a record: its new state, null if it is gone; and the change to report, if there is one. */
interface Update {
  readonly id: string;
  readonly record: Seen | null;
  readonly change: Change | null;
}

function seen(list: FollowedList, record: Seen, before: Seen | undefined): Update[] {
  const id = list.idOf(record);
  if (before === undefined) return [{ id, record, change: { kind: 'added', after: record } }];
  const after = complete(before, record);
  if (isDeepStrictEqual(before, after)) return [];
  const fields = list.changedFields(before, after);
  return [
    { id, record: after, change: fields.length > 0 ? { kind: 'changed', before, after, fields } : null },
  ];
}

function gone(id: string, before: Seen): Update {
  return { id, record: null, change: { kind: 'left', before } };
}

// An event may report what the comparison at the start has shown already, so it is compared with what is known, too.
function single(list: FollowedList, event: Data, { outbox }: FollowOptions): Update[] {
  const shown = list.recordIn(event);
  if (shown === null) return [];
  const id = list.idOf(shown);
  const before = outbox.known(list.name)?.records.get(id);
  if (event['kind'] !== 'LEFT') return seen(list, shown, before);
  return before === undefined ? [] : [gone(id, complete(before, shown))];
}

/** Compares all of a list with what is known of it; in doubt, a record may be gone or one whose id can't be read. */
async function compare(list: FollowedList, event: Data, options: FollowOptions) {
  const { nodes, isComplete } = await readPages(list, options);
  const known = options.outbox.known(list.name)?.records ?? new Map<string, Seen>();
  const records = new Map(list.recordsIn(event, nodes).map((one) => [list.idOf(one), one]));
  const ids = Array.isArray(event['ids']) ? event['ids'].map(String) : [];
  // What has come or gone between the event and the reading is reported by a later event.
  const present = new Set([...ids, ...nodes.map((node) => list.idOf(node))]);
  const missing = [...known].filter(([id]) => !present.has(id));
  const left = isComplete ? missing.map(([id, before]) => gone(id, before)) : [];
  const others = ids.flatMap((id) => {
    const shown = records.get(id);
    return shown === undefined ? [] : seen(list, shown, known.get(id));
  });
  return { updates: [...left, ...others], isInDoubt: !isComplete && missing.length > 0 };
}

/** Reads all pages of a list; they are incomplete if a node could not be read, or if the list changed too much. */
async function readPages(list: FollowedList, { graph, signal }: FollowOptions) {
  const nodes: Data[] = [];
  let isComplete = true;
  for (let after: unknown = null; ;) {
    const page = rootField(
      await graph.execute({ query: list.page, variables: { after } }, { signal }),
      'list',
    );
    const entries: unknown[] = Array.isArray(page['nodes']) ? page['nodes'] : [];
    nodes.push(...entries.filter(isData));
    const { hasNextPage, endCursor, drifted } = isData(page['pageInfo']) ? page['pageInfo'] : {};
    isComplete &&= drifted !== true && entries.every(isData);
    if (hasNextPage !== true) return { nodes, isComplete };
    after = endCursor;
  }
}

async function recordUpdates(
  list: FollowedList,
  event: Data,
  updates: readonly Update[],
  { outbox, onAdded }: FollowOptions,
): Promise<void> {
  const known = outbox.known(list.name);
  const observedAt = timeOf(event['observedAt']);
  const lastSeenAt = timeOf(event['lastSeenAt'] ?? known?.observedAt ?? observedAt);
  const messages = updates.flatMap(({ id, change }) => {
    // The first time, there is nothing that could have changed.
    if (change === null || known === null) return [];
    const data = { observedAt, lastSeenAt, ...list.describe(change) };
    const type = `${list.name}.${change.kind}`;
    const message = { id: `msg_${randomUUID()}`, type, timestamp: observedAt, data };
    return [{ record: `${list.name} ${id}`, message }];
  });
  if (messages.length > 0 && outbox.size >= MAX_PENDING)
    throw new Error(`${MAX_PENDING} messages are waiting to be delivered`);
  const records = new Map(updates.map((update) => [update.id, update.record]));
  await outbox.record(list.name, { observedAt, records }, messages);
  if (messages.length > 0) onAdded();
}

const timeOf = (time: unknown): string => new Date(String(time)).toISOString();
