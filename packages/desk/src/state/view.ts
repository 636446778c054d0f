import { computed, signal, type ReadonlySignal } from '@preact/signals';
import {
  addDays,
  addMonths,
  mondayOf,
  monthsBetween,
  weekOf,
  weeksOfMonth,
  type Day,
} from '../lib/local-time.ts';
import { groups } from './accounts.ts';
import { today } from './clock.ts';
import { leaving, posts, type Post } from './queue.ts';

/** How much the calendar shows. */
export type Mode = 'month' | 'week';

const shownMode = signal<Mode>('month');
const chosenDay = signal<Day | null>(null);
const shownFrom = signal<Day | null>(null);
const chosenFilter = signal('');
const shownDay = signal<Day | null>(null);
const pastIsShown = signal(false);
const focusRequests = signal(0);

/** Month or week. */
export const mode: ReadonlySignal<typeof shownMode.value> = shownMode;
/** The day that the calendar's focus is on; today until another is chosen. */
export const focusDay = computed(() => chosenDay.value ?? today.value);
/** The id of the account or group that the calendar shows; an empty text for all. */
export const filter: ReadonlySignal<typeof chosenFilter.value> = chosenFilter;
/** The day whose posts are listed in a dialog; null if it is closed. */
export const openDay: ReadonlySignal<typeof shownDay.value> = shownDay;

/** A day of the month or week that the calendar shows. */
export const anchor = computed(() => shownFrom.value ?? today.value);
/** Changes whenever the calendar should take the focus. */
export const calendarFocus: ReadonlySignal<typeof focusRequests.value> = focusRequests;

const allWeeks = computed(() =>
  shownMode.value === 'month' ? weeksOfMonth(anchor.value) : [weekOf(anchor.value)],
);
/** The weeks at the start of the current month that are over, until somebody asks for them or goes there. */
export const foldedWeeks = computed(() => {
  const isCurrent = monthsBetween(anchor.value, today.value) === 0;
  if (pastIsShown.value || !isCurrent) return [];
  const isOpen = (week: readonly Day[]): boolean => !isOver(week) || week.includes(focusDay.value);
  return allWeeks.value.slice(0, allWeeks.value.findIndex(isOpen));
});
/** The weeks that the calendar shows. */
export const weeks = computed(() => allWeeks.value.slice(foldedWeeks.value.length));

/** Whether the filter lets an account through. */
export function isShown(accountId: string): boolean {
  const group = groups.value.find(({ id }) => id === chosenFilter.value);
  return group ? group.accountIds.has(accountId) : ['', accountId].includes(chosenFilter.value);
}

/** The posts that the filter lets through by their day, also those that are leaving. */
export const postsByDay = computed(() => {
  const days = new Map<Day, Post[]>();
  for (const post of [...posts.value, ...leaving.value]) {
    if (!isShown(post.account?.id ?? '') || post.scheduledAtLocal === null) continue;
    const day = post.scheduledAtLocal.slice(0, 10);
    days.set(day, [...(days.get(day) ?? []), post]);
  }
  for (const list of days.values()) list.sort(byTime);
  return days;
});

/** Whether a week is in the past and has nothing left in the queue, so that a line is enough for it. */
export function isOver(week: readonly Day[]): boolean {
  return mode.value === 'month' && week.every((day) => day < today.value && !postsByDay.value.has(day));
}

/** Whether a day of this week is in the past and has nothing left in the queue, so that its number is enough. */
export function isSpent(day: Day): boolean {
  const isThisWeek = mode.value === 'week' && mondayOf(day) === mondayOf(today.value);
  return isThisWeek && day < today.value && !postsByDay.value.has(day);
}

const MOST_POSTS = 10;
const ROWS = 24;

/** How many posts each day of the month has room for: more where fewer weeks need it. */
export const postsPerDay = computed(() => {
  const open = weeks.value.filter((week) => !isOver(week)).length;
  return Math.min(MOST_POSTS, Math.floor(ROWS / Math.max(1, open)));
});

function byTime(one: Post, other: Post): number {
  return (one.scheduledAtLocal ?? '') < (other.scheduledAtLocal ?? '') ? -1 : 1;
}

/** Shows the month or the week of the day that the focus is on. */
export function setMode(next: Mode): void {
  if (next === shownMode.value) return;
  shownMode.value = next;
  shownFrom.value = focusDay.value;
}

/** Moves the focus to a day, and the calendar as well if it does not show that day. */
export function goTo(day: Day): void {
  chosenDay.value = day;
  if (!weeks.value.flat().includes(day)) shownFrom.value = day;
}

/** Moves the focus to a day, and the calendar to the month or week of that day. */
export function jumpTo(day: Day): void {
  [chosenDay.value, shownFrom.value] = [day, day];
}

/** Moves the calendar, and the focus with it, by so many months or weeks. */
export function turn(count: number): void {
  const from = focusInMonth();
  const day = shownMode.value === 'month' ? addMonths(from, count) : addDays(from, 7 * count);
  jumpTo(day);
}

/** Shows today. */
export function goToToday(): void {
  jumpTo(today.value);
}

/** Moves the keyboard's focus into the calendar. */
export function focusCalendar(): void {
  focusRequests.value += 1;
}

/** Shows the posts of one account or group only; an empty text shows all. */
export function setFilter(id: string): void {
  chosenFilter.value = id;
}

/** Opens the list of a day's posts, or closes it. */
export function showDay(day: Day | null): void {
  shownDay.value = day;
}

/** Shows the weeks of the current month that are over, with the focus on the last of their days. */
export function showPast(): void {
  const last = foldedWeeks.value.flat().at(-1);
  pastIsShown.value = true;
  if (last !== undefined) goTo(last);
}

// The focus may be on a day of a neighbouring month, from which turning does not count.
function focusInMonth(): Day {
  const day = focusDay.value;
  return shownMode.value === 'month' ? addMonths(day, monthsBetween(day, anchor.value)) : day;
}
