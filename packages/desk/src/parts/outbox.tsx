import { useEffect, useRef } from 'preact/hooks';
import { FindWriteOutcome } from '../../../client/src/index.ts';
import { dayOf, shortTime } from '../lib/local-time.ts';
import { accountById } from '../state/accounts.ts';
import {
  checkAgain,
  dismiss,
  outbox,
  sendAgain,
  type Letter,
  type Sent,
  type Standing,
} from '../state/outbox.ts';
import { goTo } from '../state/view.ts';
import { GraphLink } from './graph-link.tsx';

/** What was sent from this tab, and what is known of it. */
export function Outbox() {
  const all = outbox.value;
  const list = useRef<HTMLDivElement>(null);
  const latest = all[0]?.key;
  const isFirst = useRef(true);
  // Whoever sends something sees what becomes of it, wherever the page was scrolled to.
  useEffect(() => {
    if (!isFirst.current && latest !== undefined) list.current?.scrollIntoView({ block: 'nearest' });
    isFirst.current = false;
  }, [latest]);
  return (
    <div ref={list} class="outbox" aria-live="polite">
      {all.map((one) => (
        <SentCard key={one.key} sent={one} />
      ))}
    </div>
  );
}

const TITLES: Readonly<Record<Standing, string>> = {
  SENDING: 'Sending …',
  CHECKING: 'Checking …',
  COMPLETED: 'Done',
  PARTIAL: 'Done in part',
  REJECTED: 'Nothing was sent',
  UNKNOWN: 'The service did not confirm',
  FOUND: 'It is in the queue',
  NO_RECORD: 'The server has no record of it',
};

function SentCard({ sent }: { readonly sent: Sent }) {
  const { key, letter, standing, messages } = sent;
  const time = timeOf(letter);
  const isOpen = standing === 'UNKNOWN' || standing === 'CHECKING' || standing === 'NO_RECORD';
  return (
    <article class={`sent is-${standing.toLowerCase()}`} data-standing={standing}>
      <h3>{standing === 'COMPLETED' ? doneWords(letter) : TITLES[standing]}</h3>
      <p class="excerpt">
        {placesOf(sent)}: {textOf(letter)}
      </p>
      <Explanation sent={sent} />
      {!isOpen && messages.map((message) => <p key={message}>{message}</p>)}
      <p class="actions">
        {isOpen && (
          <button
            class="primary small"
            disabled={standing === 'CHECKING'}
            onClick={() => void checkAgain(key)}
          >
            Check again
          </button>
        )}
        {standing === 'NO_RECORD' && (
          <button class="small" onClick={() => void sendAgain(key)}>
            Send again
          </button>
        )}
        {(standing === 'COMPLETED' || standing === 'FOUND') && time !== null && (
          <button class="small" onClick={() => goTo(dayOf(time))}>
            Show
          </button>
        )}
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

function Explanation({ sent: { standing, letter } }: { readonly sent: Sent }) {
  if (standing === 'UNKNOWN')
    return (
      <p>
        It may have arrived all the same. Check again: nothing is sent twice.
        {letter.kind === 'post' &&
          letter.input.timing.placement === 'NOW' &&
          ' A post that was to be published at once is seen on the account itself.'}
      </p>
    );
  if (standing === 'FOUND')
    return (
      <p>The service never confirmed it, but an equal post that was not there before is in the queue.</p>
    );
  if (standing === 'NO_RECORD')
    return (
      <p>
        It never arrived, or the server has forgotten it, as after a restart. Look at the queue and at the
        account: if it is missing, send it again.
      </p>
    );
  return null;
}

function doneWords(letter: Letter): string {
  const time = timeOf(letter);
  if (letter.kind === 'draft') return 'Saved as a draft';
  if (letter.kind === 'library') return 'Saved to the library';
  if (time !== null) return `Scheduled for ${shortTime(time)}`;
  return letter.input.timing?.placement === 'NOW' ? 'Published' : 'Added to the queue';
}

function timeOf(letter: Letter): string | null {
  if (letter.kind === 'post') return letter.input.timing.scheduledAtLocal?.[0] ?? null;
  return letter.kind === 'update' ? (letter.input.timing?.scheduledAtLocal ?? null) : null;
}

function textOf(letter: Letter): string {
  return (letter.kind === 'update' ? letter.input.text : letter.input.variants?.[0]?.text) ?? '';
}

function placesOf({ places }: Sent): string {
  const labels = places.map(({ accountId }) => accountById.value.get(accountId)?.label ?? 'an account');
  return labels.length === 0 ? 'Library' : new Intl.ListFormat('en').format(labels);
}
