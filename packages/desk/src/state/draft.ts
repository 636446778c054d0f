import { computed, signal, type ReadonlySignal } from '@preact/signals';
import {
  newIdempotencyKey,
  type CreatePostInput,
  type CreateStatusUpdateInput,
  type PostVariant,
} from '../../../client/src/index.ts';
import type { Day, LocalTime } from '../lib/local-time.ts';
import { NETWORKS } from '../lib/networks.ts';
import { stored } from '../lib/stored.ts';
import { accountById } from './accounts.ts';
import { now, today } from './clock.ts';
import { surfaces } from './session.ts';
import { filter } from './view.ts';

/** What of a draft is edited. */
export type DraftChange = Partial<Omit<Draft, 'key'>>;

/** When a post is published. */
export type When = 'QUEUE' | 'NEXT' | 'NOW' | 'AT';

/** A post that is being written. */
export interface Draft {
  /** Made with the draft and kept before anything is sent, so that it is sent once. */
  readonly key: string;
  readonly accountIds: readonly string[];
  /** The text of all networks without their own. */
  readonly text: string;
  /** Texts for one network each; an empty one does not count. */
  readonly own: Readonly<Partial<Record<PostVariant, string>>>;
  readonly when: When;
  /** The time, for `AT`; may be empty. */
  readonly at: LocalTime;
  /** The key of what was sent before and is written again here; null for a new post. */
  readonly instead: string | null;
}

const blank = (): Draft => ({
  key: newIdempotencyKey(),
  accountIds: [],
  text: '',
  own: {},
  when: 'QUEUE',
  at: '',
  instead: null,
});

const kept = stored('draft', blank);
const replaced = stored<DraftChange | null>('replaced', () => null);
const shownText = signal<PostVariant>('ORIGINAL');
const composerIsOpen = signal(false);
const focusRequests = signal(0);

/** The post that is being written. */
export const draft: ReadonlySignal<typeof kept.value> = kept;
/** Whether there is a text that was replaced by another, and can come back. */
export const canUndo = computed(() => replaced.value !== null);
/** The variant whose text is shown. */
export const textTab: ReadonlySignal<typeof shownText.value> = shownText;
/** Whether anything has been written. */
export const hasText = computed(() =>
  [kept.value.text, ...Object.values(kept.value.own)].some((text) => text.trim() !== ''),
);
/** Whether the composer is open as a sheet, on a narrow screen. */
export const isComposerOpen: ReadonlySignal<typeof composerIsOpen.value> = composerIsOpen;
/** Changes whenever the composer should take the focus. */
export const composerFocus: ReadonlySignal<typeof focusRequests.value> = focusRequests;

/** The chosen accounts that are known. */
export const chosenAccounts = computed(() =>
  kept.value.accountIds.flatMap((id) => accountById.value.get(id) ?? []),
);
/** Their ids. Others may have been chosen with other credentials, or have gone. */
export const chosenIds = computed(() => chosenAccounts.value.map(({ id }) => id));
/** The networks of the chosen accounts, each once. */
export const chosenNetworks = computed(() => [
  ...new Set(chosenAccounts.value.map(({ network }) => network)),
]);
/** Whether the post is for the legacy surface, which takes a text and a time only. */
export const isLegacy = computed(
  () => !surfaces.value.current || chosenAccounts.value.some(({ surface }) => surface === 'LEGACY'),
);

/** Changes the draft. */
export function edit(change: DraftChange): void {
  kept.value = { ...kept.value, ...change };
}

/** Shows the text of a variant. */
export function showText(variant: PostVariant): void {
  shownText.value = variant;
}

/** Takes a text for all networks and shows it. What was written before can come back. */
export function useText(text: string): void {
  const { own } = kept.value;
  replaced.value = hasText.value ? { text: kept.value.text, own } : null;
  edit({ text });
  showText('ORIGINAL');
  compose();
}

/** Takes back what was replaced. */
export function undo(): void {
  const before = replaced.value;
  if (before === null) return;
  replaced.value = null;
  edit(before);
  showText('ORIGINAL');
  compose();
}

/** Opens the composer. */
export function compose(): void {
  if (chosenIds.value.length === 0 && accountById.value.has(filter.value))
    edit({ accountIds: [filter.value] });
  composerIsOpen.value = true;
  focusRequests.value += 1;
}

/** Opens the composer for a time. */
export function composeAt(at: LocalTime): void {
  edit({ when: 'AT', at });
  compose();
}

const MORNING = 'T09:00';

/** Opens the composer for a day: at nine, or at the next full hour if that has passed, at the latest at 23:59. */
export function composeOn(day: Day): void {
  const morning = day + MORNING;
  const hour = Number(now.value.slice(11, 13)) + 1;
  const isLate = day === today.value && morning <= now.value;
  composeAt(isLate ? `${day}T${hour < 24 ? `${hour}:00` : '23:59'}` : morning);
}

/** Closes the composer; the draft stays. */
export function closeComposer(): void {
  composerIsOpen.value = false;
}

/** Begins another draft. A text that another one replaces can come back. */
export function startAnew(change: DraftChange = {}): void {
  const { key: _key, ...before } = kept.value;
  replaced.value = change.text !== undefined && hasText.value ? before : null;
  showText('ORIGINAL');
  kept.value = { ...blank(), ...change };
}

/** Gives the draft another key: what was sent with the last one is not to be confused with what is sent next. */
export function renewKey(): void {
  kept.value = { ...kept.value, key: newIdempotencyKey() };
}

/** Returns the text that an account of a network gets. */
export function textFor(network: keyof typeof NETWORKS, { text, own }: Pick<Draft, 'text' | 'own'>): string {
  const { variant } = NETWORKS[network];
  return (variant === null ? '' : own[variant]) || text;
}

/** The variants of a post: the text of all, and the own texts of chosen networks. */
export const variants = computed(() => {
  const { text, own } = kept.value;
  const chosen = chosenNetworks.value.flatMap((network) => NETWORKS[network].variant ?? []);
  const others = chosen.flatMap((variant) => {
    const ownText = own[variant];
    return ownText ? [{ variant, text: ownText }] : [];
  });
  return [{ variant: 'ORIGINAL' as const, text }, ...others];
});

/** The draft as a post. */
export const postInput = computed((): Omit<CreatePostInput, 'idempotencyKey'> => {
  const { when, at } = kept.value;
  return {
    accountIds: chosenIds.value,
    timing: when === 'AT' ? { scheduledAtLocal: [at] } : { placement: when },
    variants: variants.value,
  };
});

/** The draft as a status update, for the legacy surface. */
export const statusUpdateInput = computed((): Omit<CreateStatusUpdateInput, 'idempotencyKey'> => {
  const { when, at, text } = kept.value;
  return {
    accountIds: chosenIds.value,
    text,
    timing: when === 'AT' ? { scheduledAtLocal: at } : { placement: when === 'NOW' ? 'NOW' : 'QUEUE' },
  };
});
