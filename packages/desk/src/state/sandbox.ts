import { effect, signal, type ReadonlySignal } from '@preact/signals';
import { UNREACHABLE } from '../lib/words.ts';
import { SANDBOX_EVENTS_PATH, type SandboxEvent } from '../options.ts';
import { home, refresh } from './home.ts';
import { isSending } from './outbox.ts';

const message = signal('');

/** What happened in the sandbox last, in a sentence. */
export const happened: ReadonlySignal<typeof message.value> = message;

effect(() => {
  // A server that is read again can be reached, and its sandbox may be another.
  void home.value;
  // The card of what is sent says what has become of it.
  void isSending.value;
  message.value = '';
});

/** Makes something happen in the embedded sandbox. The graph knows nothing of it: it belongs to the stand-in. */
export async function makeHappen(event: SandboxEvent): Promise<void> {
  try {
    const response = await fetch(SANDBOX_EVENTS_PATH + event, { method: 'POST' });
    const answer = (await response.json()) as { readonly message?: string };
    message.value =
      event === 'lose-answer'
        ? 'The response to the next post will be lost.'
        : (answer.message ?? 'The sandbox did not do that.');
    if (event !== 'lose-answer') await refresh();
  } catch {
    message.value = UNREACHABLE;
  }
}
