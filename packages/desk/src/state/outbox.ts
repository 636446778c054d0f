import { computed, type ReadonlySignal } from '@preact/signals';
import {
  ConnectionError,
  CreateDraft,
  CreateLibraryItem,
  CreatePost,
  CreateStatusUpdate,
  FindWriteOutcome,
  GraphError,
  QueuedPosts,
  writeOnce,
  type Client,
  type CreateDraftInput,
  type CreateDraftMutation,
  type CreateLibraryItemInput,
  type CreateLibraryItemMutation,
  type CreatePostInput,
  type CreatePostMutation,
  type CreateStatusUpdateInput,
  type CreateStatusUpdateMutation,
  type WriteOptions,
  type WriteResult,
} from '../../../client/src/index.ts';
import type { LocalTime } from '../lib/local-time.ts';
import { present } from '../lib/present.ts';
import { isStored, stored } from '../lib/stored.ts';
import { sameText, sentenceOf } from '../lib/words.ts';
import { compose, draft, startAnew, type Draft, type DraftChange, type When } from './draft.ts';
import { refresh } from './home.ts';
import type { Post } from './queue.ts';
import { client } from './session.ts';

/** What is sent, by its kind. */
export type Letter =
  | { readonly kind: 'post'; readonly input: Omit<CreatePostInput, 'idempotencyKey'> }
  | { readonly kind: 'draft'; readonly input: Omit<CreateDraftInput, 'idempotencyKey'> }
  | { readonly kind: 'library'; readonly input: Omit<CreateLibraryItemInput, 'idempotencyKey'> }
  | { readonly kind: 'update'; readonly input: Omit<CreateStatusUpdateInput, 'idempotencyKey'> };

/** What is known of something that was sent. */
export type Standing =
  | 'SENDING'
  | 'CHECKING'
  | 'COMPLETED'
  | 'PARTIAL'
  | 'REJECTED'
  /** The service did not confirm it. */
  | 'UNKNOWN'
  /** The service did not confirm it, but the queue shows it. */
  | 'FOUND'
  /** The server has no record of it: it never arrived, or was forgotten. */
  | 'NO_RECORD';

/** Something that was sent, as it is kept in this tab. */
export interface Sent {
  readonly key: string;
  readonly letter: Letter;
  /** The accounts, each with the text that it gets; looked for in the queue. */
  readonly places: readonly { readonly accountId: string; readonly text: string }[];
  /** Ids of equal posts that were in the queue before. */
  readonly before: readonly string[];
  /** What it was sent in spite of. */
  readonly warnings?: readonly string[];
  readonly standing: Standing;
  readonly messages: readonly string[];
  readonly problems: WriteResult<unknown>['userErrors'];
  /** Whether the server gave no response at all, so that it may never have been sent. */
  readonly isUnanswered: boolean;
}

/** The page asks again soon; the server keeps its own patience. */
const ATTEMPTS = 3;

const kept = stored<readonly Sent[]>('outbox', () => []);
// What was under way when the page was closed has not been confirmed.
kept.value = kept.value.map((one) =>
  one.standing === 'SENDING' || one.standing === 'CHECKING' ? { ...one, standing: 'UNKNOWN' } : one,
);
// Its text is in the outbox. Another text with its key would be taken for it.
if (kept.value.some(({ key }) => key === draft.value.key)) startAnew();

/** The accounts and times of posts that were sent with a time: they do not move the end of the queue. */
const chosen = stored<readonly string[]>('chosen', () => []);

/** Whether this tab has chosen the time of a post; the queue does not report it. */
export function hasChosenTime({ account, scheduledAtLocal }: Post): boolean {
  return chosen.value.includes(`${account?.id} ${scheduledAtLocal}`);
}

/** What was sent from this tab, the latest first. */
export const outbox: ReadonlySignal<typeof kept.value> = kept;
/** Whether something is being sent. */
export const isSending = computed(() => kept.value.some(({ standing }) => standing === 'SENDING'));

function update(key: string, change: Partial<Sent>): void {
  kept.value = kept.value.map((one) => (one.key === key ? { ...one, ...change } : one));
}

/** Removes something from the list. */
export function dismiss(key: string): void {
  kept.value = kept.value.filter((one) => one.key !== key);
}

/**
 * Sends something once, with a key that is kept before. What it is written instead of is no longer shown if the server has
 * no record of that. Returns what is known then; null if it was not sent.
 */
export async function send(
  { key, instead }: Pick<Draft, 'key' | 'instead'>,
  letter: Letter,
  looked: Pick<Sent, 'places' | 'before' | 'warnings'>,
): Promise<Sent | null> {
  const graph = client.value;
  if (graph === null) return null;
  const entry: Sent = {
    key,
    letter,
    ...looked,
    standing: 'SENDING',
    messages: [],
    problems: [],
    isUnanswered: false,
  };
  const isReplaced = (one: Sent): boolean => one.key === instead && one.standing === 'NO_RECORD';
  const time = chosenTime(letter);
  if (time) chosen.value = [...chosen.value, ...looked.places.map(({ accountId }) => `${accountId} ${time}`)];
  // What is settled gives way to what comes next.
  kept.value = [entry, ...kept.value.filter((one) => one.key !== key && isOpen(one) && !isReplaced(one))];
  if (!isStored('outbox', key)) {
    dismiss(key);
    return null;
  }
  await sendFirst(graph, entry);
  return kept.value.find((one) => one.key === key) ?? null;
}

function isOpen({ standing }: Sent): boolean {
  return !['COMPLETED', 'REJECTED', 'FOUND'].includes(standing);
}

async function sendFirst(graph: Client, { key, letter }: Sent): Promise<void> {
  try {
    const result = await write(graph, letter, { idempotencyKey: key, attempts: ATTEMPTS });
    update(key, { ...known(result), isUnanswered: isUnanswered(result.cause) });
  } catch (error) {
    // The graph refuses before anything is sent; anything else leaves it open.
    const standing = error instanceof GraphError ? 'REJECTED' : 'UNKNOWN';
    update(key, { standing, messages: [sentenceOf(error)], isUnanswered: isUnanswered(error) });
    return;
  }
  if (letter.kind === 'post') void refresh();
}

function isUnanswered(error: unknown): boolean {
  return error instanceof ConnectionError && error.status === null;
}

function known({ outcome, userErrors }: Pick<WriteResult<unknown>, 'outcome' | 'userErrors'>): Partial<Sent> {
  // The card says itself what an unknown outcome means.
  const messages = outcome === 'UNKNOWN' ? [] : userErrors.map(({ message }) => message);
  return { standing: outcome, messages, problems: userErrors };
}

const POST = { document: CreatePost, select: (data: CreatePostMutation) => data.createPost };
const DRAFT = { document: CreateDraft, select: (data: CreateDraftMutation) => data.createDraft };
const LIBRARY_ITEM = {
  document: CreateLibraryItem,
  select: (data: CreateLibraryItemMutation) => data.createLibraryItem,
};
const STATUS_UPDATE = {
  document: CreateStatusUpdate,
  select: (data: CreateStatusUpdateMutation) => data.createStatusUpdate,
};

function write(graph: Client, { kind, input }: Letter, options: WriteOptions): Promise<WriteResult<unknown>> {
  if (kind === 'post') return writeOnce(graph, POST, input, options);
  if (kind === 'draft') return writeOnce(graph, DRAFT, input, options);
  if (kind === 'library') return writeOnce(graph, LIBRARY_ITEM, input, options);
  return writeOnce(graph, STATUS_UPDATE, input, options);
}

/** Finds out what became of something that was not confirmed. It sends nothing that the server does not know already. */
export async function checkAgain(key: string): Promise<void> {
  const graph = client.value;
  const entry = kept.value.find((one) => one.key === key);
  if (graph === null || entry === undefined) return;
  update(key, { standing: 'CHECKING' });
  try {
    const found = await lookUp(graph, entry);
    const isSettled = found.standing !== 'UNKNOWN' && found.standing !== 'NO_RECORD';
    if (!isSettled && (await isInQueue(graph, entry))) update(key, { standing: 'FOUND', messages: [] });
    else update(key, found);
  } catch (error) {
    update(key, { standing: 'UNKNOWN', messages: [sentenceOf(error)] });
  }
}

// A server without a record is never sent the key: it may have forgotten it, or know it from other credentials. One that
// remembers an unknown outcome sends nothing for the key, and may look for the result again.
async function lookUp(graph: Client, { key, letter }: Sent): Promise<Partial<Sent>> {
  const { writeOutcome } = await graph.request(FindWriteOutcome, { idempotencyKey: key });
  if (writeOutcome === null) return { standing: 'NO_RECORD', messages: [] };
  const { payload } = writeOutcome;
  if (payload && payload.outcome !== 'UNKNOWN') return known(payload);
  // Without a payload, the server is still waiting for the service.
  const again = payload && (await write(graph, letter, { idempotencyKey: key, attempts: 1 }));
  if (again?.outcome === 'COMPLETED' || again?.outcome === 'PARTIAL') return known(again);
  return { standing: 'UNKNOWN', messages: ['The last check found nothing.'] };
}

/** Puts something that was sent back into the composer, as a new post. */
export function writeAgain({ key, letter }: Sent): void {
  startAnew({ ...partsOf(letter), instead: key });
  compose();
}

/** Returns the time that was chosen for something; undefined if none was. */
export function chosenTime({ kind, input }: Letter): LocalTime | null | undefined {
  if (kind === 'post') return input.timing.scheduledAtLocal?.[0];
  return kind === 'update' ? input.timing?.scheduledAtLocal : undefined;
}

function partsOf(letter: Letter): DraftChange {
  if (letter.kind === 'update') {
    const { accountIds, text, timing } = letter.input;
    return {
      ...timeOf(timing?.scheduledAtLocal, timing?.placement),
      accountIds: accountIds ?? [],
      text: text ?? '',
      own: {},
    };
  }
  const written = letter.input.variants ?? [];
  const original = written.find(({ variant }) => variant === 'ORIGINAL');
  const others = written.filter(({ variant }) => variant !== 'ORIGINAL');
  const texts = {
    text: original?.text ?? '',
    own: Object.fromEntries(others.map(({ variant, text }) => [variant, text ?? ''])),
  };
  if (letter.kind === 'library') return texts;
  const accounts = { accountIds: letter.input.accountIds ?? [] };
  if (letter.kind === 'draft') return { ...texts, ...accounts };
  const { scheduledAtLocal, placement } = letter.input.timing;
  return { ...texts, ...accounts, ...timeOf(scheduledAtLocal?.[0], placement) };
}

function timeOf(
  time: string | null | undefined,
  placement: When | null | undefined,
): Pick<DraftChange, 'when' | 'at'> {
  return time ? { when: 'AT', at: time } : { when: placement ?? 'QUEUE' };
}

/** Sends something of which the server has no record, with its key; for somebody who has looked whether it is missing. */
export async function sendAgain(key: string): Promise<void> {
  const graph = client.value;
  const entry = kept.value.find((one) => one.key === key);
  if (graph === null || entry === undefined) return;
  update(key, { standing: 'SENDING' });
  await sendFirst(graph, entry);
}

// Another person could have written the same.
async function isInQueue(graph: Client, sent: Sent): Promise<boolean> {
  if (sent.letter.kind !== 'post') return false;
  const { accountIds } = sent.letter.input;
  const result = await graph.request(QueuedPosts, { first: 100, filter: { accountIds } });
  return postsOf(sent, present(result.queuedPosts?.nodes ?? [])).every((post) => post !== undefined);
}

/** Finds an equal post for each account that was not there before. */
export function postsOf({ letter, places, before }: Sent, queue: readonly Post[]): (Post | undefined)[] {
  const time = chosenTime(letter);
  const queued = queue.filter(({ id }) => !before.includes(id));
  return places.map(({ accountId, text }) =>
    queued.find(
      (post) =>
        post.account?.id === accountId &&
        sameText(post.text ?? '', text) &&
        (!time || post.scheduledAtLocal === time),
    ),
  );
}
