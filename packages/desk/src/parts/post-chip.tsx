import { shortTime, timeOfDay } from '../lib/local-time.ts';
import { networkClass } from '../lib/networks.ts';
import { leaving, type Post } from '../state/queue.ts';
import { reasonOf } from '../state/trouble.ts';

/** Names a post for people who do not see it. */
function describePost(post: Post): string {
  const { account, text, scheduledAtLocal } = post;
  const reason = reasonOf(post);
  const state = hasLeft(post) ? ', left the queue' : reason === null ? '' : `, cannot go out: ${reason}`;
  const time = scheduledAtLocal === null ? '' : shortTime(scheduledAtLocal);
  return `${time}, ${account?.label ?? 'unknown account'}: ${text ?? 'no text'}${state}`;
}

/** Whether a post left the queue a moment ago. */
export function hasLeft({ id }: Post): boolean {
  return leaving.value.some((post) => post.id === id);
}

/** A post in the calendar: its time and first words in the colour of its network. */
export function PostChip({ post, onOpen }: { readonly post: Post; readonly onOpen: () => void }) {
  const { account, text, scheduledAtLocal } = post;
  const isGone = hasLeft(post);
  const reason = isGone ? null : reasonOf(post);
  const classes = [
    'post',
    networkClass(account?.network ?? 'UNKNOWN'),
    reason !== null && 'is-stuck',
    isGone && 'is-gone',
  ];
  return (
    <button
      tabIndex={-1}
      class={classes.filter((one) => one !== false).join(' ')}
      title={describePost(post)}
      data-post={post.id}
      onClick={(event) => {
        event.stopPropagation();
        onOpen();
      }}
    >
      <time>{timeOfDay(scheduledAtLocal ?? '')}</time>{' '}
      <span class="post-account">{account?.label ?? 'Unknown account'}</span>{' '}
      <span class="post-text">{isGone ? 'left the queue' : text}</span>
      {reason !== null && <span class="post-reason">{reason}</span>}
    </button>
  );
}
