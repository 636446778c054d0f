import { useEffect, useRef } from 'preact/hooks';
import { FindWriteOutcome } from '../../../client/src/index.ts';
import { dayOf, shortTime } from '../lib/local-time.ts';
import { listed } from '../lib/words.ts';
import { accountById } from '../state/accounts.ts';
import {
  checkAgain,
  chosenTime,
  dismiss,
  outbox,
  postsOf,
  sendAgain,
  writeAgain,
  type Sent,
  type Standing,
} from '../state/outbox.ts';
import { posts } from '../state/queue.ts';
import { GraphLink } from './graph-link.tsx';
import { showPosts } from './show-posts.ts';

/** What was sent from this tab, and what is known of it. */
export function Outbox() {
  const all = outbox.value;
  const list = useRef<HTMLDivElement>(null);
  const latest = all[0]?.key;
  const last = useRef<readonly Sent[] | null>(null);
  // Whoever sends something sees what becomes of it. A button that was pressed may be gone, and leave the focus to nothing.
  useEffect(() => {
    const isNew = latest !== undefined && latest !== last.current?.[0]?.key;
    if (last.current !== null && (isNew || document.activeElement === document.body)) {
      const place = list.current?.querySelector('article') ?? list.current;
      // Below an open sheet, it cannot take the focus.
      place?.scrollIntoView({ block: 'nearest' });
      place?.focus();
    }
    last.current = all;
  }, [all]);
  return (
    <div ref={list} class="outbox" aria-live="polite" tabIndex={-1}>
      {all.map((one) => (
        <SentCard key={one.key} sent={one} />
      ))}
    </div>
  );
}

const TITLES: Readonly<Record<Standing, string>> = {
  SENDING: 'Sending …',
  CHECKING: 'Checking …',
  COMPLETED: '',
  PARTIAL: 'Done in part',
  REJECTED: 'Nothing was sent',
  UNKNOWN: 'The publishing service did not confirm',
  FOUND: 'It is in the queue',
  NO_RECORD: 'This server has no record of it',
};

function SentCard({ sent }: { readonly sent: Sent }) {
  const { key, standing, messages } = sent;
  const isOpen = standing === 'UNKNOWN' || standing === 'CHECKING' || standing === 'NO_RECORD';
  const isForgotten = standing === 'NO_RECORD';
  const writeItAgain = (
    <button class={isForgotten ? 'primary small' : 'small'} onClick={() => writeAgain(sent)}>
      Write it again
    </button>
  );
  return (
    <article class={`sent is-${standing.toLowerCase()}`} data-standing={standing} tabIndex={-1}>
      <h2>{titleOf(sent)}</h2>
      {sent.places.length > 0 && <p>{placesOf(sent)}</p>}
      <p class="excerpt">{textOf(sent)}</p>
      <Explanation sent={sent} />
      {[...messages, ...(sent.warnings ?? [])].map((message) => (
        <p key={message}>{message}</p>
      ))}
      <p class="actions">
        {isForgotten && writeItAgain}
        {isOpen && (
          <button
            class={isForgotten ? 'small' : 'primary small'}
            disabled={standing === 'CHECKING'}
            onClick={() => void checkAgain(key)}
          >
            Check again
          </button>
        )}
        {standing === 'UNKNOWN' && sent.isUnanswered && writeItAgain}
        {isForgotten && (
          <button class="small" onClick={() => void sendAgain(key)}>
            Send again
          </button>
        )}
        <Show sent={sent} />
        {standing !== 'SENDING' && standing !== 'CHECKING' && (
          <button class="small" onClick={() => dismiss(key)}>
            Dismiss
          </button>
        )}
        <GraphLink of="Outcome" document={FindWriteOutcome} variables={{ idempotencyKey: key }} />
      </p>
    </article>
  );
}

/** Shows the posts in the calendar, once they are in the queue. */
function Show({ sent }: { readonly sent: Sent }) {
  const found = queuedOf(sent).filter((post) => post !== undefined);
  const time = found[0]?.scheduledAtLocal;
  if (!time) return null;
  return (
    <button class="small" onClick={() => showPosts(dayOf(time), found)}>
      Show
    </button>
  );
}

function Explanation({ sent }: { readonly sent: Sent }) {
  const { standing, letter, isUnanswered } = sent;
  const queued = queuedOf(sent);
  const times = queued.flatMap((post) => post?.scheduledAtLocal ?? []);
  if (standing === 'UNKNOWN')
    return (
      <p>
        {times.length > 0 && times.length === queued.length
          ? `It seems to be in the calendar: ${listed([...new Set(times.map(shortTime))])}. Check again to be sure`
          : `${isUnanswered ? 'It may or may not have been sent' : 'It may have arrived all the same'}. Check again`}
        : nothing is sent twice.
        {isUnanswered && ' Written again, it is another post.'}
        {letter.kind === 'post' &&
          letter.input.timing.placement === 'NOW' &&
          ' A post that was to be published at once is seen on the account itself.'}
      </p>
    );
  if (standing === 'FOUND')
    return (
      <p>The publishing service did not confirm it, but a new post with the same text is in the queue.</p>
    );
  if (standing === 'NO_RECORD')
    return (
      <p>
        It never arrived, or the server has forgotten it, as after a restart. Look at the queue and at the
        account. If it is missing, write it again, or send it again as it was.
      </p>
    );
  return null;
}

function titleOf({ letter, standing, isUnanswered }: Sent): string {
  if (standing === 'UNKNOWN' && isUnanswered) return 'This server did not respond';
  if (standing !== 'COMPLETED') return TITLES[standing];
  const time = chosenTime(letter);
  if (letter.kind === 'draft') return 'Saved as a draft';
  if (letter.kind === 'library') return 'Saved to the library';
  if (time) return `Scheduled for ${shortTime(time)}`;
  const placement = letter.input.timing?.placement;
  if (placement === 'NEXT') return 'Next in the queue';
  return placement === 'NOW' ? 'Published' : 'Added to the queue';
}

/** The text of the first account, which may be its network's own; an item of the library has no accounts. */
function textOf({ letter, places }: Sent): string | null | undefined {
  return places[0]?.text ?? (letter.kind === 'library' ? letter.input.variants?.[0]?.text : null);
}

const CONFIRMED: readonly Standing[] = ['COMPLETED', 'PARTIAL', 'FOUND'];

/** Its post in the queue for each account; until it is confirmed, an equal one could be somebody else's. */
function queuedOf(sent: Sent): ReturnType<typeof postsOf> {
  const mayBeQueued =
    sent.letter.kind === 'post' && sent.standing !== 'SENDING' && sent.standing !== 'REJECTED';
  return mayBeQueued ? postsOf(sent, posts.value) : [];
}

/** The accounts, each with the time of its post in the queue once that is confirmed, unless the title names it. */
function placesOf(sent: Sent): string {
  const queued = queuedOf(sent);
  const isTitle = sent.standing === 'COMPLETED' && chosenTime(sent.letter);
  const isNamed = !isTitle && CONFIRMED.includes(sent.standing);
  const labels = sent.places.map(({ accountId }, index) => {
    const label = accountById.value.get(accountId)?.label ?? 'an account';
    const time = isNamed && queued[index]?.scheduledAtLocal;
    return time ? `${label} (${shortTime(time)})` : label;
  });
  return listed(labels);
}
