import { timeOfDay } from '../lib/local-time.ts';
import { networkClass, NETWORKS } from '../lib/networks.ts';
import type { Post } from '../state/queue.ts';
import { reasonOf } from '../state/trouble.ts';
import { hasLeft } from './post-chip.tsx';

/** A whole post, for lists. */
export function PostRow({ post }: { readonly post: Post }) {
  const { account, text, scheduledAtLocal } = post;
  const isGone = hasLeft(post);
  const reason = isGone ? null : reasonOf(post);
  const network = account?.network ?? 'UNKNOWN';
  return (
    <li
      data-post={post.id}
      tabIndex={-1}
      class={`post-row ${networkClass(network)} ${reason === null ? '' : 'is-stuck'} ${isGone ? 'is-gone' : ''}`}
    >
      <p class="post-head">
        <time>{timeOfDay(scheduledAtLocal ?? '')}</time>{' '}
        <strong>{account?.label ?? 'Unknown account'}</strong> <small>{NETWORKS[network].name}</small>
      </p>
      <p class="post-body">{text}</p>
      {reason !== null && <p class="post-why">Cannot go out: {reason}</p>}
      {isGone && <p class="post-why">Left the queue</p>}
    </li>
  );
}
