import { computed, effect, signal, type ReadonlySignal } from '@preact/signals';
import { CheckPost, CheckStatusUpdate, type CheckPostQuery } from '../documents.ts';
import { CANNOT_PUBLISH_WORDS, sameText, sentenceOf } from '../lib/words.ts';
import { accountById, states } from './accounts.ts';
import {
  chosenAccounts,
  draft,
  hasText,
  isLegacy,
  postInput,
  statusUpdateInput,
  textFor,
  variants,
} from './draft.ts';
import { home } from './home.ts';
import { posts } from './queue.ts';
import { client } from './session.ts';

/** The part of the composer that a finding belongs to. */
export type Field = 'accounts' | 'text' | 'when' | 'post';

/** Something that is wrong with a post, or may be. */
export interface Finding {
  readonly field: Field;
  /** A note is about something that may be meant. */
  readonly kind: 'error' | 'warning' | 'note';
  readonly message: string;
  /** The variant that is meant; null for the text of all, and for other parts. */
  readonly variant: string | null;
}

/** What the server reports. */
interface Reported {
  readonly code?: string | null;
  readonly message: string;
  readonly path: readonly string[] | null;
}

type Warning = NonNullable<CheckPostQuery['validatePost']>['warnings'][number];

const PAUSE_MS = 300;

/** What is wrong with the chosen accounts: one of them may lose its connection while somebody writes. */
const ofAccounts = computed(() =>
  chosenAccounts.value.flatMap(({ id, label }): Finding[] => {
    const state = states.value.get(id) ?? 'UNKNOWN';
    const reason = CANNOT_PUBLISH_WORDS[state];
    if (reason === null) return [];
    const message = `${label} cannot publish because it ${reason}.`;
    return [{ field: 'accounts', kind: 'error', message, variant: null }];
  }),
);
const found = signal<readonly Finding[]>([]);
const isRunning = signal(false);
/** Whether what was found is about the draft as it is now. */
const isFresh = signal(false);

/** What is wrong with the draft, or may be. */
export const findings = computed(() => [...ofAccounts.value, ...found.value]);
/** Whether all chosen accounts can publish, as far as is known; otherwise nothing may be sent. */
export const canPublish = computed(() => {
  const known = isFresh.value ? findings.value : ofAccounts.value;
  return !known.some(({ field, kind }) => field === 'accounts' && kind === 'error');
});
/** Whether the draft is being checked. */
export const isChecking: ReadonlySignal<typeof isRunning.value> = isRunning;

effect(() => {
  const graph = client.value;
  // Checks again what could not be checked while the server was away, and when an account changes.
  void [home.value, ofAccounts.value];
  isFresh.value = false;
  const isComplete = draft.value.when !== 'AT' || draft.value.at !== '';
  // Nobody has to be told what is still to be filled in.
  if (graph === null || chosenAccounts.value.length === 0 || !hasText.value || !isComplete) {
    found.value = [];
    return undefined;
  }
  const legacy = isLegacy.value;
  const inputs = { post: postInput.value, update: statusUpdateInput.value };
  const stopping = new AbortController();
  const { signal: stopped } = stopping;
  const timer = setTimeout(() => {
    isRunning.value = true;
    const checked = legacy
      ? graph
          .request(CheckStatusUpdate, { input: inputs.update }, { signal: stopped })
          .then(({ validateStatusUpdate: checkedUpdate }) =>
            asFindings(checkedUpdate?.userErrors ?? [], 'error'),
          )
      : graph
          .request(CheckPost, { input: inputs.post }, { signal: stopped })
          .then(({ validatePost: check }) => [
            ...asFindings(check?.userErrors ?? [], 'error'),
            ...asFindings((check?.warnings ?? []).filter(isNews), 'warning'),
          ]);
    void show(checked, stopped);
  }, PAUSE_MS);
  return () => {
    clearTimeout(timer);
    stopping.abort();
    isRunning.value = false;
  };
});

async function show(checked: Promise<readonly Finding[]>, stopped: AbortSignal): Promise<void> {
  const list = await checked.catch((error: unknown): Finding[] => [
    { field: 'post', kind: 'error', message: `Not checked: ${sentenceOf(error)}`, variant: null },
  ]);
  if (stopped.aborted) return;
  found.value = list;
  isFresh.value = true;
  isRunning.value = false;
}

/** Turns what the server reports into findings beside the parts that it means. */
export function asFindings(reported: readonly Reported[], kind: Finding['kind']): Finding[] {
  return reported.map(({ code, message, path }) => ({
    ...placeOf(path),
    kind: code === 'TIME_OUTSIDE_SCHEDULE' ? 'note' : kind,
    message,
  }));
}

/** Whether a warning is not just about a post that failed, and that is written again for that reason. */
function isNews({ code, accountIds }: Warning): boolean {
  if (code !== 'SAME_TEXT_IN_QUEUE') return true;
  const alike = posts.peek().filter((post) => {
    const account = accountById.peek().get(post.account?.id ?? '');
    if (account === undefined || !accountIds.includes(account.id)) return false;
    return sameText(post.text ?? '', textFor(account.network, draft.peek()));
  });
  return alike.length === 0 || alike.some(({ failureText }) => failureText === null);
}

function placeOf(path: readonly string[] | null): Pick<Finding, 'field' | 'variant'> {
  const [, part, index] = path ?? [];
  if (part === 'accountIds' || part === 'accountGroupIds') return { field: 'accounts', variant: null };
  if (part === 'timing') return { field: 'when', variant: null };
  if (part === 'text') return { field: 'text', variant: null };
  if (part !== 'variants') return { field: 'post', variant: null };
  const variant = variants.peek()[Number(index)]?.variant ?? 'ORIGINAL';
  return { field: 'text', variant: variant === 'ORIGINAL' ? null : variant };
}
