import { dayOf, longDay, timeOfDay, type Day, type LocalTime } from '../lib/local-time.ts';
import { counted } from '../lib/words.ts';
import { today } from '../state/clock.ts';
import { composeAt, composeOn, draft } from '../state/draft.ts';
import type { Post } from '../state/queue.ts';
import { freeSlotsByDay } from '../state/slots.ts';
import { reasonOf } from '../state/trouble.ts';
import { anchor, focusDay, goTo, isSpent, mode, postsByDay, postsPerDay, showDay } from '../state/view.ts';
import { PostChip } from './post-chip.tsx';

const MOST_SLOTS = 2;

/** A day of the calendar. A click on it writes a post for that day. */
export function DayCell({ day }: { readonly day: Day }) {
  const posts = postsByDay.value.get(day) ?? [];
  const isWeek = mode.value === 'week';
  const most = postsPerDay.value;
  const shown = isWeek || posts.length <= most ? posts : posts.slice(0, most - 1);
  const slots = freeSlotsByDay.value.get(day) ?? [];
  const room = isWeek ? slots.length : Math.max(0, Math.min(MOST_SLOTS, most - shown.length));
  const isFocused = day === focusDay.value;
  const open = (): void => {
    goTo(day);
    showDay(day);
  };
  return (
    <div
      role="gridcell"
      tabIndex={isFocused ? 0 : -1}
      class={classOf(day)}
      aria-current={day === today.value ? 'date' : undefined}
      aria-selected={isChosenDay(day)}
      data-day={day}
      onClick={() => {
        goTo(day);
        if (day >= today.value) composeOn(day);
      }}
    >
      <span class="hidden">{nameOf(day, posts)}. </span>
      <span class="number" aria-hidden="true">
        {Number(day.slice(8))}
      </span>
      {byTime(shown, slots.slice(0, room)).map((one) =>
        typeof one === 'string' ? (
          <Slot key={one} slot={one} />
        ) : (
          <PostChip key={one.id} post={one} onOpen={open} />
        ),
      )}
      {posts.length > shown.length && <More posts={posts.slice(shown.length)} onOpen={open} />}
    </div>
  );
}

function byTime(posts: readonly Post[], slots: readonly LocalTime[]): readonly (Post | LocalTime)[] {
  return [...posts, ...slots].toSorted((one, other) => (timeOf(one) < timeOf(other) ? -1 : 1));
}

function timeOf(one: Post | LocalTime): LocalTime {
  return typeof one === 'string' ? one : (one.scheduledAtLocal ?? '');
}

function isChosenDay(day: Day): boolean {
  return draft.value.when === 'AT' && dayOf(draft.value.at) === day;
}

function classOf(day: Day): string {
  const isOutside = mode.value === 'month' && !day.startsWith(anchor.value.slice(0, 7));
  return [
    'day',
    ...(day === today.value ? ['is-today'] : []),
    ...(day < today.value ? ['is-past'] : []),
    ...(isOutside ? ['is-outside'] : []),
    ...(isSpent(day) ? ['is-spent'] : []),
    ...(isChosenDay(day) ? ['is-chosen'] : []),
  ].join(' ');
}

function nameOf(day: Day, posts: readonly Post[]): string {
  const stuck = countStuck(posts);
  const names = [longDay(day), counted(posts.length, 'post')];
  return [...names, ...(stuck > 0 ? [`${stuck} cannot go out`] : [])].join(', ');
}

function countStuck(posts: readonly Post[]): number {
  return posts.filter((post) => reasonOf(post) !== null).length;
}

/** The posts that a day has no room for. */
function More({ posts, onOpen }: { readonly posts: readonly Post[]; readonly onOpen: () => void }) {
  const stuck = countStuck(posts);
  return (
    <button
      tabIndex={-1}
      class="more"
      onClick={(event) => {
        event.stopPropagation();
        onOpen();
      }}
    >
      {posts.length} more{stuck > 0 && <em>, {stuck} cannot go out</em>}
    </button>
  );
}

/** A free time of the posting schedules; a click writes a post for it. */
function Slot({ slot }: { readonly slot: LocalTime }) {
  const isChosen = draft.value.when === 'AT' && draft.value.at === slot;
  return (
    <button
      tabIndex={-1}
      class={`slot ${isChosen ? 'is-chosen' : ''}`}
      title={`Free in the posting schedule: write a post for ${timeOfDay(slot)}`}
      onClick={(event) => {
        event.stopPropagation();
        goTo(dayOf(slot));
        composeAt(slot);
      }}
    >
      + {timeOfDay(slot)} free
    </button>
  );
}
