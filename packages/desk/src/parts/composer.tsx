import { useState } from 'preact/hooks';
import { CreatePost, CreateStatusUpdate } from '../../../client/src/index.ts';
import { CheckPost, CheckStatusUpdate } from '../documents.ts';
import { shortTime } from '../lib/local-time.ts';
import { asFindings, findings, isChecking, type Finding } from '../state/check.ts';
import {
  chosenAccounts,
  closeComposer,
  draft,
  isLegacy,
  postInput,
  renewKey,
  startAnew,
  statusUpdateInput,
  textFor,
  variants,
} from '../state/draft.ts';
import { isSending, sameText, send, type Letter } from '../state/outbox.ts';
import { posts } from '../state/queue.ts';
import { AccountPicker } from './account-picker.tsx';
import { Findings } from './findings.tsx';
import { GraphLink } from './graph-link.tsx';
import { TextField } from './text-field.tsx';
import { WhenField } from './when-field.tsx';
import { Writer } from './writer.tsx';

const NOT_KEPT =
  'This browser keeps nothing for this page, so the post could not be found again after a lost response. Nothing was sent.';

/** Writes a post, and sends it once. */
export function Composer() {
  const [refused, setRefused] = useState<readonly Finding[]>([]);
  const submit = async (letter: Letter): Promise<void> => {
    const unfilled = missingParts(letter.kind);
    setRefused(unfilled.length > 0 ? unfilled : await sendDraft(letter));
  };
  return (
    <form
      class="composer"
      noValidate
      aria-labelledby="composer-title"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(asPost());
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
      <AccountPicker extra={refused} />
      <TextField extra={refused} />
      {!isLegacy.value && <Writer />}
      <WhenField extra={refused} />
      <Findings field="post" extra={refused} />
      <Submit onSubmit={(letter) => void submit(letter)} />
    </form>
  );
}

function Submit({ onSubmit }: { readonly onSubmit: (letter: Letter) => void }) {
  const isBusy = isSending.value;
  return (
    <div class="submit">
      <button class="primary" disabled={isBusy} aria-describedby="findings-post">
        {isBusy ? 'Sending …' : wordsOfSubmit()}
      </button>
      {!isLegacy.value && (
        <span class="save">
          <button type="button" disabled={isBusy} onClick={() => onSubmit(asDraft())}>
            Save as draft
          </button>
          <button type="button" disabled={isBusy} onClick={() => onSubmit(asLibraryItem())}>
            To the library
          </button>
        </span>
      )}
      <p class="quiet" role="status">
        {isChecking.value ? 'Checking …' : isReady() ? 'Checked: nothing to report.' : ''}{' '}
        {chosenAccounts.value.length > 0 && (
          <GraphLink
            of="Check"
            document={isLegacy.value ? CheckStatusUpdate : CheckPost}
            variables={{ input: asPost().input }}
          />
        )}
      </p>
    </div>
  );
}

function isReady(): boolean {
  const { text } = draft.value;
  return chosenAccounts.value.length > 0 && text.trim() !== '' && findings.value.length === 0;
}

function wordsOfSubmit(): string {
  const { when, at } = draft.value;
  if (when === 'NOW') return 'Publish now';
  if (when === 'NEXT') return 'Publish next';
  if (when === 'QUEUE') return 'Add to the queue';
  return at === '' ? 'Schedule' : `Schedule for ${shortTime(at)}`;
}

function missing(field: Finding['field'], message: string): Finding {
  return { field, message, isError: true, variant: null };
}

function missingParts(kind: Letter['kind']): Finding[] {
  const { text, own, when, at } = draft.value;
  const needsAccounts = kind !== 'library';
  const needsTime = kind === 'post' || kind === 'update';
  return [
    ...(needsAccounts && chosenAccounts.value.length === 0
      ? [missing('accounts', 'Choose at least one account.')]
      : []),
    ...(text.trim() === '' && Object.keys(own).length === 0 ? [missing('text', 'Write a text.')] : []),
    ...(needsTime && when === 'AT' && at === '' ? [missing('when', 'Choose a date and a time.')] : []),
  ];
}

async function sendDraft(letter: Letter): Promise<Finding[]> {
  const { key } = draft.value;
  const places = chosenAccounts.value.map(({ id, network }) => ({
    accountId: id,
    text: textFor(network, draft.value),
  }));
  const before = posts.value
    .filter(({ text }) => places.some((place) => sameText(place.text, text ?? '')))
    .map(({ id }) => id);
  const sent = await send(key, letter, { places, before });
  if (sent === null) return [missing('post', NOT_KEPT)];
  if (sent.standing === 'REJECTED') {
    const found = asFindings(sent.problems, true);
    renewKey();
    return found;
  }
  startAnew();
  closeComposer();
  return [];
}

function asPost(): Letter {
  return isLegacy.value
    ? { kind: 'update', input: statusUpdateInput.value }
    : { kind: 'post', input: postInput.value };
}

function asDraft(): Letter {
  const { accountIds } = draft.value;
  return { kind: 'draft', input: { accountIds, variants: variants.value } };
}

const TITLE_LENGTH = 60;

function asLibraryItem(): Letter {
  const [line = ''] = draft.value.text.trim().split('\n');
  const title = line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH)}…` : line;
  return { kind: 'library', input: { kind: 'POST', title, variants: variants.value } };
}
