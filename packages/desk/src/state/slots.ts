import { computed, effect, signal, type Signal } from '@preact/signals';
import { FreeSlots } from '../../../client/src/index.ts';
import { addDays, dayOf, type Day, type LocalTime } from '../lib/local-time.ts';
import { chosenAccounts, chosenIds, draft } from './draft.ts';
import { home } from './home.ts';
import { hasChosenTime } from './outbox.ts';
import { posts, queueTotal } from './queue.ts';
import { client } from './session.ts';
import { now, today } from './clock.ts';
import { isShown } from './view.ts';

/** The most that the graph lists at once. */
const COUNT = 50;

const found = signal<readonly LocalTime[]>([]);
/** Those from a later day on, which the first ones do not reach. */
const later = signal<readonly LocalTime[]>([]);

/** The times that are free for all chosen accounts: the next ones, and those from the chosen day on. */
export const freeSlots = computed(() =>
  [...new Set([...found.value, ...later.value])].filter((slot) => slot > now.value),
);

/** The day that somebody has chosen for the post, if it is to come; null otherwise. */
const chosenDay = computed(() => {
  const { when, at } = draft.value;
  return when === 'AT' && dayOf(at) > today.value ? dayOf(at) : null;
});

/** The time after which free times are offered for the post. */
export const offeredAfter = computed(() =>
  chosenDay.value === null ? now.value : `${addDays(chosenDay.value, -1)}T23:59`,
);

/**
 * The time at which a post for the queue probably goes out: the first free time of its account after the last post that the
 * posting schedules placed. Undefined while it is not known, as for several accounts: each of them gets a time of its own,
 * and only common ones have been read.
 */
export const queuedFor = computed(() => {
  if (chosenIds.value.length !== 1 || posts.value.length < queueTotal.value) return undefined;
  const placed = posts.value.filter((post) => !hasChosenTime(post));
  const isLast = (slot: LocalTime): boolean =>
    placed.every(({ scheduledAtLocal: local }) => local !== null && local < slot);
  return freeSlots.value.find(isLast);
});

/** The same by day, for a calendar that shows one of the chosen accounts. */
export const freeSlotsByDay = computed(() => {
  const days = new Map<Day, LocalTime[]>();
  if (!chosenIds.value.some(isShown)) return days;
  for (const slot of freeSlots.value) days.set(dayOf(slot), [...(days.get(dayOf(slot)) ?? []), slot]);
  return days;
});

/** The day after which the calendar lacks free times, because the graph lists no more at once; null if it lacks none. */
export const lastListed = computed(() => {
  const last = found.value[COUNT - 1];
  return last !== undefined && freeSlotsByDay.value.size > 0 ? dayOf(last) : null;
});

const accountIds = computed(() =>
  chosenAccounts.value.flatMap(({ id, surface }) => (surface === 'CURRENT' ? [id] : [])).join(' '),
);

// Free times of some accounts are none of others.
effect(() => {
  void accountIds.value;
  [found.value, later.value] = [[], []];
});
effect(() => keepRead(found, now.peek()));
effect(() => {
  const last = found.value.at(-1);
  const isReached = last === undefined || chosenDay.value === null || dayOf(last) > chosenDay.value;
  return keepRead(later, isReached ? null : offeredAfter.peek());
});

/** Reads free times into a signal, and ends that when something has changed. */
function keepRead(slots: Signal<readonly LocalTime[]>, afterLocal: LocalTime | null): () => void {
  const graph = client.value;
  const ids = accountIds.value.split(' ').filter((id) => id !== '');
  // A post that comes or leaves changes what is free, and so may whatever happened while the server was away.
  void [queueTotal.value, home.value];
  const stopping = new AbortController();
  if (graph === null || ids.length === 0 || afterLocal === null) slots.value = [];
  else
    graph.request(FreeSlots, { accountIds: ids, afterLocal, count: COUNT }, { signal: stopping.signal }).then(
      ({ freeSlots: list }) => (slots.value = list?.map((slot) => slot.scheduledAtLocal) ?? []),
      () => {
        if (!stopping.signal.aborted) slots.value = [];
      },
    );
  return () => stopping.abort();
}
