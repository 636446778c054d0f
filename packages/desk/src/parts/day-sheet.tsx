import { longDay } from '../lib/local-time.ts';
import { today } from '../state/clock.ts';
import { composeOn } from '../state/draft.ts';
import { openDay, postsByDay, showDay } from '../state/view.ts';
import { PostRow } from './post-row.tsx';
import { Sheet } from './sheet.tsx';

const close = (): void => showDay(null);

/** The posts of one day in full. */
export function DaySheet() {
  const day = openDay.value;
  if (day === null) return null;
  const posts = postsByDay.value.get(day) ?? [];
  return (
    <Sheet label={longDay(day)} className="sheet day-sheet" onClose={close}>
      <h2>{longDay(day)}</h2>
      {posts.length === 0 ? (
        <p class="quiet">Nothing is queued for this day.</p>
      ) : (
        <ul class="post-list">
          {posts.map((post) => (
            <PostRow key={post.id} post={post} />
          ))}
        </ul>
      )}
      {day >= today.value && (
        <button
          class="primary"
          onClick={() => {
            close();
            composeOn(day);
          }}
        >
          New post on this day
        </button>
      )}
    </Sheet>
  );
}
