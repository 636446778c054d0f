import { computed, effect, signal } from '@preact/signals';
import { CheckPost, CheckStatusUpdate } from '../documents.ts';
import { sentenceOf } from '../lib/words.ts';
import { chosenAccounts, draft, hasText, isLegacy, postInput, statusUpdateInput, variants } from './draft.ts';
import { client } from './session.ts';

/** The part of the composer that a finding belongs to. */
export type Field = 'accounts' | 'text' | 'when' | 'post';

/** Something that is wrong with a post, or may be. */
export interface Finding {
  readonly field: Field;
  readonly isError: boolean;
  readonly message: string;
  /** The variant that is meant; null for the text of all, and for other parts. */
  readonly variant: string | null;
}

/** What the server reports. */
interface Reported {
  readonly message: string;
  readonly path: readonly string[] | null;
}

const PAUSE_MS = 300;

const found = signal<readonly Finding[]>([]);
const isRunning = signal(false);

/** What is wrong with the draft, or may be. */
export const findings = computed(() => found.value);
/** Whether the draft is being checked. */
export const isChecking = computed(() => isRunning.value);

effect(() => {
  const graph = client.value;
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
            asFindings(checkedUpdate?.userErrors ?? [], true),
          )
      : graph
          .request(CheckPost, { input: inputs.post }, { signal: stopped })
          .then(({ validatePost: check }) => [
            ...asFindings(check?.userErrors ?? [], true),
            ...asFindings(check?.warnings ?? [], false),
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
    { field: 'post', isError: false, message: `Not checked: ${sentenceOf(error)}`, variant: null },
  ]);
  if (stopped.aborted) return;
  found.value = list;
  isRunning.value = false;
}

/** Turns what the server reports into findings beside the parts that it means. */
export function asFindings(reported: readonly Reported[], isError: boolean): Finding[] {
  return reported.map(({ message, path }) => ({ ...placeOf(path), isError, message }));
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
