import { computed, effect, signal } from '@preact/signals';
import { FreeSlots } from '../../../client/src/index.ts';
import { dayOf, type Day, type LocalTime } from '../lib/local-time.ts';
import { accountById } from './accounts.ts';
import { draft } from './draft.ts';
import { home } from './home.ts';
import { queueTotal } from './queue.ts';
import { client } from './session.ts';
import { now } from './clock.ts';

const COUNT = 50;

const found = signal<readonly LocalTime[]>([]);

/** The next times that are free for all chosen accounts. */
export const freeSlots = computed(() => found.value);

/** The same by day. */
export const freeSlotsByDay = computed(() => {
  const days = new Map<Day, LocalTime[]>();
  for (const slot of found.value) days.set(dayOf(slot), [...(days.get(dayOf(slot)) ?? []), slot]);
  return days;
});

const accountIds = computed(() =>
  draft.value.accountIds.filter((id) => accountById.value.get(id)?.surface === 'CURRENT').join(' '),
);

effect(() => {
  const graph = client.value;
  const ids = accountIds.value.split(' ').filter((id) => id !== '');
  // A post that comes or leaves changes what is free, and so may whatever happened while the server was away.
  void [queueTotal.value, home.value];
  if (graph === null || ids.length === 0) {
    found.value = [];
    return undefined;
  }
  const stopping = new AbortController();
  const variables = { accountIds: ids, afterLocal: now.peek(), count: COUNT };
  graph.request(FreeSlots, variables, { signal: stopping.signal }).then(
    ({ freeSlots: slots }) => (found.value = slots?.map((slot) => slot.scheduledAtLocal) ?? []),
    () => {
      if (!stopping.signal.aborted) found.value = [];
    },
  );
  return () => stopping.abort();
});
