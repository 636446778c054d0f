import type { Day } from '../lib/local-time.ts';
import type { Post } from '../state/queue.ts';
import { jumpTo, postsByDay, setFilter } from '../state/view.ts';

const HIGHLIGHT: PropertyIndexedKeyframes = {
  outline: ['3px solid var(--accent)', '3px solid transparent'],
  outlineOffset: ['1px', '1px'],
};
const HIGHLIGHT_MS = 4_000;

/** Shows the day of some posts in the calendar, moves the focus there, and highlights the posts. */
export function showPosts(day: Day, posts: readonly Post[]): void {
  jumpTo(day);
  if (!posts.every((post) => postsByDay.value.get(day)?.includes(post))) setFilter('');
  // The calendar has drawn the day by then.
  requestAnimationFrame(() => setTimeout(() => highlight(day, posts)));
}

function highlight(day: Day, posts: readonly Post[]): void {
  const place = document.querySelector<HTMLElement>(`[data-day="${day}"]`);
  if (place === null) return;
  const ids = posts.map(({ id }) => id);
  const shown = [...place.querySelectorAll<HTMLElement>('[data-post]')].filter(({ dataset }) =>
    ids.includes(dataset['post'] ?? ''),
  );
  // A day may have more posts than it has room for.
  const targets = shown.length > 0 ? shown : [place];
  for (const target of targets) target.animate(HIGHLIGHT, HIGHLIGHT_MS);
  place.scrollIntoView({ block: 'nearest' });
  targets[0]?.focus();
}
