import { computed, signal } from '@preact/signals';
import { SANDBOX_EVENTS_PATH, type SandboxEvent } from '../options.ts';

const message = signal('');

/** What happened in the sandbox last, in a sentence. */
export const happened = computed(() => message.value);

/** Makes something happen in the embedded sandbox. The graph knows nothing of it: it belongs to the stand-in. */
export async function makeHappen(event: SandboxEvent): Promise<void> {
  try {
    const response = await fetch(SANDBOX_EVENTS_PATH + event, { method: 'POST' });
    const answer = (await response.json()) as { readonly message?: string };
    message.value = answer.message ?? 'The sandbox did not do that.';
  } catch {
    message.value = 'This server cannot be reached.';
  }
}
