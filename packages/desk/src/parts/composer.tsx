import { useState } from 'preact/hooks';
import { CreatePost, CreateStatusUpdate } from '../../../client/src/index.ts';
import { CheckPost, CheckStatusUpdate } from '../documents.ts';
import { shortTime } from '../lib/local-time.ts';
import { counted, listed, sameText } from '../lib/words.ts';
import { now } from '../state/clock.ts';
import { asFindings, canPublish, findings, isChecking, type Finding } from '../state/check.ts';
import {
  chosenAccounts,
  chosenIds,
  closeComposer,
  draft,
  isLegacy,
  postInput,
  renewKey,
  startAnew,
  statusUpdateInput,
  textFor,
  variants,
  type Draft,
} from '../state/draft.ts';
import { tooLong, whenCounted } from '../state/lengths.ts';
import { isSending, send, type Letter } from '../state/outbox.ts';
import { posts } from '../state/queue.ts';
import { queuedFor } from '../state/slots.ts';
import { noteWritten } from '../state/trouble.ts';
import { AccountPicker } from './account-picker.tsx';
import { Findings } from './findings.tsx';
import { GraphLink } from './graph-link.tsx';
import { TextField } from './text-field.tsx';
import { WhenField } from './when-field.tsx';
import { Writer } from './writer.tsx';

const NOT_KEPT =
  'Nothing was sent: this browser stores nothing for this page, so a lost post could not be found again.';

/** How long a press of the button waits for the length of the text. */
const COUNTING_MS = 3_000;

/** What was pressed last, and what came of it. */
interface Attempt {
  /** What was to be sent, while a part of it is missing; null if nothing was. */
  readonly kind: Letter['kind'] | null;
  /** Why the server refused it. */
  readonly problems: readonly Finding[];
  /** The draft that was refused. */
  readonly of: Draft | null;
}

const NO_ATTEMPT: Attempt = { kind: null, problems: [], of: null };

/** Writes a post, and sends it once. */
export function Composer() {
  const [attempt, setAttempt] = useState<Attempt>(NO_ATTEMPT);
  const submit = async (make: () => Letter): Promise<void> => {
    const { kind } = make();
    const words = wordsOfSubmit();
    const isIncomplete = missingParts(kind).length > 0;
    setAttempt(isIncomplete ? { ...NO_ATTEMPT, kind } : NO_ATTEMPT);
    if (isIncomplete || (goesOut(kind) && !canPublish.value)) {
      requestAnimationFrame(showProblem);
      return;
    }
    // A text that was pasted a moment ago may turn out to be too long: then the button says so, and is pressed once more.
    await Promise.race([whenCounted(), new Promise((resolve) => setTimeout(resolve, COUNTING_MS))]);
    if (goesOut(kind) && wordsOfSubmit() !== words) return;
    const problems = await sendDraft(make());
    setAttempt({ kind: null, problems, of: draft.peek() });
    if (problems.length > 0) requestAnimationFrame(showProblem);
  };
  const { kind, problems, of } = attempt;
  // What has been filled in, or changed, is not complained about any longer.
  const extra = [...(kind === null ? [] : missingParts(kind)), ...(of === draft.value ? problems : [])];
  return (
    // Not a form, which the Enter key in any of its fields would send.
    <section
      class="composer"
      aria-labelledby="composer-title"
      // Whoever has the text written need not be told that it is missing.
      onClick={({ target }) => {
        if (target instanceof Element && target.closest('.writer')) setAttempt(NO_ATTEMPT);
      }}
    >
      <h2 id="composer-title">
        New post
        <GraphLink
          of="New post"
          document={isLegacy.value ? CreateStatusUpdate : CreatePost}
          variables={{ input: { ...asPost().input, idempotencyKey: draft.value.key } }}
        />
      </h2>
      <AccountPicker extra={extra} />
      <TextField extra={extra} />
      {!isLegacy.value && <Writer />}
      <WhenField extra={extra} />
      <Findings field="post" extra={extra} />
      <Submit onSubmit={(make) => void submit(make)} />
    </section>
  );
}

function Submit({ onSubmit }: { readonly onSubmit: (make: () => Letter) => void }) {
  const isBusy = isSending.value;
  return (
    <div class="submit">
      {!isLegacy.value && (
        <span class="save">
          <button disabled={isBusy} onClick={() => onSubmit(asDraft)}>
            Save as draft
          </button>
          <button disabled={isBusy} onClick={() => onSubmit(asLibraryItem)}>
            To the library
          </button>
        </span>
      )}
      {!isLegacy.value && (
        <p class="quiet">Both continue in the publishing service; drafts are not listed here.</p>
      )}
      <p class="quiet" role="status">
        {isChecking.value ? 'Checking …' : isReady() ? 'Checked: no problems found.' : ''}{' '}
        {chosenAccounts.value.length > 0 && (
          <GraphLink
            of="Check"
            document={isLegacy.value ? CheckStatusUpdate : CheckPost}
            variables={{ input: asPost().input }}
          />
        )}
      </p>
      <button
        class={tooLong.value.length > 0 || !canPublish.value ? 'primary is-warned' : 'primary'}
        disabled={isBusy}
        aria-describedby="findings-post"
        onClick={() => onSubmit(asPost)}
      >
        {isBusy
          ? 'Sending …'
          : canPublish.value
            ? wordsOfSubmit() + forecast()
            : 'A chosen account cannot publish'}
      </button>
    </div>
  );
}

function isReady(): boolean {
  const { text } = draft.value;
  return (
    chosenAccounts.value.length > 0 &&
    text.trim() !== '' &&
    findings.value.every(({ kind }) => kind === 'note')
  );
}

const VERBS = { QUEUE: 'add', NEXT: 'add', NOW: 'publish', AT: 'schedule' } as const;
const WORDS = {
  QUEUE: 'Add to the queue',
  NEXT: 'Publish next',
  NOW: 'Publish now',
  AT: 'Schedule',
} as const;

/** What the button says, and therefore does. */
function wordsOfSubmit(): string {
  const { when, at } = draft.value;
  const [networks, [first, ...others]] = [tooLong.value, chosenAccounts.value];
  const names = others.length > 0 ? counted(others.length + 1, 'account') : first?.label;
  const whom = names === undefined ? '' : ` for ${names}`;
  if (networks.length > 0) return `Too long for ${listed(networks)}: ${VERBS[when]} anyway${whom}`;
  const time = when === 'AT' && at !== '' ? `${whom === '' ? ' for ' : ', '}${shortTime(at)}` : '';
  return WORDS[when] + whom + time;
}

/** When a post for the queue probably goes out; empty while that is not known. */
function forecast(): string {
  const time = draft.value.when === 'QUEUE' && queuedFor.value;
  return time ? `, probably ${shortTime(time)}` : '';
}

function missing(field: Finding['field'], message: string): Finding {
  return { field, message, kind: 'error', variant: null };
}

function missingParts(kind: Letter['kind']): Finding[] {
  const { when, at } = draft.value;
  const needsAccounts = kind !== 'library';
  return [
    ...(needsAccounts && chosenAccounts.value.length === 0
      ? [missing('accounts', 'Choose at least one account.')]
      : []),
    ...(writtenTexts().length > 0 ? [] : [missing('text', 'Write a text.')]),
    ...(goesOut(kind) && when === 'AT' && at === '' ? [missing('when', 'Choose a date and a time.')] : []),
  ];
}

/** What has been written for the chosen accounts. */
function writtenTexts(): string[] {
  return variants.value.map(({ text }) => text.trim()).filter((text) => text !== '');
}

function goesOut(kind: Letter['kind']): boolean {
  return kind === 'post' || kind === 'update';
}

/** Shows the first part with an error, and moves the focus there: the button was pressed, and did not send. */
function showProblem(): void {
  const problem = document.querySelector('.findings .is-error');
  const part = problem?.closest('fieldset, .text-field');
  part
    ?.querySelector<HTMLElement>('[type=checkbox]:enabled, textarea, [type=datetime-local]')
    ?.focus({ preventScroll: true });
  (part ?? problem)?.scrollIntoView({ block: 'nearest' });
}

async function sendDraft(letter: Letter): Promise<Finding[]> {
  const written = draft.value;
  const { instead } = written;
  const accounts = letter.kind === 'library' ? [] : chosenAccounts.value;
  const places = accounts.map(({ id, network }) => ({
    accountId: id,
    text: textFor(network, draft.value),
  }));
  const before = posts.value
    .filter(({ text }) => places.some((place) => sameText(place.text, text ?? '')))
    .map(({ id }) => id);
  const inSpiteOf = goesOut(letter.kind) ? findings.value.filter(({ kind }) => kind === 'warning') : [];
  const warnings = inSpiteOf.map(({ message }) => message);
  const isWrittenAgain = instead !== null && goesOut(letter.kind);
  // Before it is sent, so that a reload in between does not lose it.
  if (isWrittenAgain) noteWritten(instead, now.peek());
  const sent = await send(written, letter, { places, before, warnings });
  const isRejected = sent?.standing === 'REJECTED';
  if (isWrittenAgain && (sent === null || isRejected)) noteWritten(instead, '');
  if (sent === null) return [missing('post', NOT_KEPT)];
  // What was written meanwhile is another post.
  if (isRejected || draft.value !== written) renewKey();
  else {
    startAnew();
    closeComposer();
  }
  return isRejected ? asFindings(sent.problems, 'error') : [];
}

function asPost(): Letter {
  return isLegacy.value
    ? { kind: 'update', input: statusUpdateInput.value }
    : { kind: 'post', input: postInput.value };
}

function asDraft(): Letter {
  return { kind: 'draft', input: { accountIds: chosenIds.value, variants: variants.value } };
}

const TITLE_LENGTH = 60;

function asLibraryItem(): Letter {
  const [line = ''] = writtenTexts()[0]?.split('\n') ?? [];
  const title = line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH)}…` : line;
  return { kind: 'library', input: { kind: 'POST', title, variants: variants.value } };
}
