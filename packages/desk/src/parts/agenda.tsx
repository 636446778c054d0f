import { useRef } from 'preact/hooks';
import { longDay } from '../lib/local-time.ts';
import { today } from '../state/clock.ts';
import { composeOn } from '../state/draft.ts';
import { postsByDay, weeks } from '../state/view.ts';
import { useCalendarFocus } from './calendar-focus.ts';
import { PostRow } from './post-row.tsx';

/** The days of the month or week that are to come or have posts, under each other. */
export function Agenda() {
  const list = useRef<HTMLOListElement>(null);
  useCalendarFocus(() => list.current?.querySelector<HTMLElement>('.is-today button'));
  const days = weeks.value.flat().filter((day) => postsByDay.value.has(day) || day >= today.value);
  if (days.length === 0) return <p class="quiet">Nothing is queued for these days.</p>;
  return (
    <ol class="agenda" ref={list}>
      {days.map((day) => (
        <li key={day} class={day === today.value ? 'is-today' : ''} data-day={day} tabIndex={-1}>
          <h3>
            {longDay(day)}
            {day >= today.value && (
              <button class="small" aria-label={`New post on ${longDay(day)}`} onClick={() => composeOn(day)}>
                + Post
              </button>
            )}
          </h3>
          <ul>
            {(postsByDay.value.get(day) ?? []).map((post) => (
              <PostRow key={post.id} post={post} />
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}
