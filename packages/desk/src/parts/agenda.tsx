import { longDay } from '../lib/local-time.ts';
import { today } from '../state/clock.ts';
import { composeOn } from '../state/draft.ts';
import { anchor, mode, postsByDay, weeks } from '../state/view.ts';
import { PostRow } from './post-row.tsx';

/** The days of the month or week that have posts, and today, under each other. */
export function Agenda() {
  const month = anchor.value.slice(0, 7);
  const days = weeks.value
    .flat()
    .filter((day) => mode.value === 'week' || day.startsWith(month))
    .filter((day) => postsByDay.value.has(day) || day === today.value || mode.value === 'week');
  if (days.length === 0) return <p class="quiet">Nothing is queued for this month.</p>;
  return (
    <ol class="agenda">
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
