import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { AccountHealthChanged, ResumeAccount } from '../../../client/src/index.ts';
import { AccountTrouble } from '../documents.ts';
import { shortTime } from '../lib/local-time.ts';
import { networkClass, NETWORKS } from '../lib/networks.ts';
import { CANNOT_PUBLISH_WORDS, counted } from '../lib/words.ts';
import { states } from '../state/accounts.ts';
import { compose, startAnew } from '../state/draft.ts';
import { refresh } from '../state/home.ts';
import type { Post } from '../state/queue.ts';
import {
  attemptFor,
  lookInto,
  reasonOf,
  resume,
  resumed,
  troubles,
  writtenAgain,
  type TroubledAccount,
} from '../state/trouble.ts';
import { GraphLink } from './graph-link.tsx';
import { isNarrow } from './narrow.ts';

/** How many are shown at first; on a narrow screen none, so that the calendar is in sight. */
const MOST = 5;

/** The accounts and posts that cannot go out, each with the reason and one button. */
export function NeedsYou() {
  const count = troubles.value.length;
  const [isWhole, setWhole] = useState(false);
  const few = isNarrow.value ? 0 : MOST;
  const most = isWhole ? count : few;
  const done = useRef<HTMLParagraphElement>(null);
  // The card that had the focus is gone.
  useEffect(() => {
    if (resumed.value !== '') done.current?.focus();
  }, [resumed.value]);
  return (
    <section class="needs" aria-labelledby="needs-title">
      <div class="actions">
        <h2 id="needs-title">
          Needs you <small>{count}</small>
          <GraphLink of="Needs you" document={AccountHealthChanged} />
        </h2>
        {count > few && (
          <button class="small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Show fewer' : `Show all ${count}`}
          </button>
        )}
      </div>
      <p ref={done} class="quiet" role="status" tabIndex={-1}>
        {resumed.value}
      </p>
      {count === 0 && <p class="quiet">Everything can go out.</p>}
      <ul class="cards">
        {troubles.value
          .slice(0, most)
          .map(([id, one]) =>
            'waiting' in one ? (
              <TroubledAccountCard key={id} {...one} />
            ) : (
              <TroubledPostCard key={id} post={one} />
            ),
          )}
      </ul>
    </section>
  );
}

function TroubledAccountCard({ account, reason, waiting }: TroubledAccount) {
  const state = states.value.get(account.id) ?? 'UNKNOWN';
  const { message } = attemptFor(account.id);
  const isPaused = state === 'PAUSED';
  const rest = waiting > 0 && <small>{counted(waiting, 'post')} waiting</small>;
  return (
    <li class={`need ${networkClass(account.network)}`}>
      <strong>{account.label}</strong>
      <p>{reason ?? `It ${CANNOT_PUBLISH_WORDS[state]}.`}</p>
      {isPaused ? <Resume account={account}>{rest}</Resume> : <WhatToDo account={account}>{rest}</WhatToDo>}
      {message !== null && (
        <p class="note" role="status">
          {message}
        </p>
      )}
    </li>
  );
}

interface ActionProps {
  readonly account: TroubledAccount['account'];
  /** What is said beside the button. */
  readonly children: ComponentChildren;
}

function Resume({ account: { id: accountId, label }, children }: ActionProps) {
  return (
    <span class="actions">
      <button
        class="small"
        aria-busy={attemptFor(accountId).isBusy}
        aria-label={`Resume ${label}`}
        onClick={() => void resume(accountId).then(refresh)}
      >
        Resume
      </button>
      <GraphLink of={`Resume ${label}`} document={ResumeAccount} variables={{ input: { accountId } }} />
      {children}
    </span>
  );
}

function WhatToDo({ account, children }: ActionProps) {
  const { detail, isBusy } = attemptFor(account.id);
  const isDisconnected = states.value.get(account.id) === 'NEEDS_RECONNECT';
  const button = isDisconnected ? 'Where to reconnect' : 'What to do';
  const [isOpen, setOpen] = useState(true);
  const isShown = isOpen && detail !== null;
  const toggle = (): void => {
    setOpen(!isShown);
    if (detail === null && !isBusy) void lookInto(account.id);
  };
  // It stays where it is, so that it keeps the focus.
  return (
    <>
      <span class="actions">
        <button
          class="small"
          aria-busy={isBusy}
          aria-expanded={isShown}
          aria-label={`${button}: ${account.label}`}
          onClick={toggle}
        >
          {button}
        </button>
        {children}
      </span>
      {isShown && <Detail account={account} detail={detail} isDisconnected={isDisconnected} />}
    </>
  );
}

interface DetailProps {
  readonly account: TroubledAccount['account'];
  readonly detail: NonNullable<ReturnType<typeof attemptFor>['detail']>;
  readonly isDisconnected: boolean;
}

function Detail({ account, detail, isDisconnected }: DetailProps) {
  const { disconnectReason } = detail.health;
  return (
    <div class="detail">
      {disconnectReason !== null && <p>{disconnectReason}</p>}
      <p>
        {isDisconnected
          ? 'Sign in to the publishing service and reconnect the account there. This card then disappears by itself.'
          : 'Sign in to the publishing service, or open the profile, to see the reason.'}
      </p>
      {detail.profileUrl?.startsWith('http') === true && (
        <a href={detail.profileUrl} target="_blank" rel="noopener noreferrer">
          Profile on {NETWORKS[account.network].name}
        </a>
      )}{' '}
      <GraphLink of={account.label} document={AccountTrouble} variables={{ id: account.id }} />
    </div>
  );
}

function TroubledPostCard({ post }: { readonly post: Post }) {
  const { account, text, scheduledAtLocal } = post;
  const at = writtenAgain(post);
  const again = (): void => {
    startAnew({ text: text ?? '', accountIds: account ? [account.id] : [], instead: post.id });
    compose();
  };
  return (
    <li class={`need ${networkClass(account?.network ?? 'UNKNOWN')}`}>
      <strong>{account?.label ?? 'A post'}</strong>
      <p class="excerpt">{text}</p>
      <p>
        {reasonOf(post)} {scheduledAtLocal !== null && <small>{shortTime(scheduledAtLocal)}</small>}
      </p>
      {at ? (
        <p class="quiet">Written again on {shortTime(at)}. This one stays in the queue.</p>
      ) : (
        <button class="small" onClick={again}>
          Write it again
        </button>
      )}
    </li>
  );
}
