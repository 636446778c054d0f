import { effect, signal, type ReadonlySignal } from '@preact/signals';
import { UNREACHABLE } from '../lib/words.ts';
import { SANDBOX_EVENTS_PATH, type SandboxEvent } from '../options.ts';
import { home, refresh } from './home.ts';
import { outbox, type Standing } from './outbox.ts';

/** A post of these has reached the service. */
const WAS_SENT: readonly Standing[] = ['COMPLETED', 'PARTIAL', 'UNKNOWN', 'FOUND'];

const message = signal('');

/** What happened in the sandbox last, in a sentence. */
export const happened: ReadonlySignal<typeof message.value> = message;

/** When the next response was to be lost; null if none is. */
let losesSince: number | null = null;

effect(() => {
  // A server that is read again can be reached, and its sandbox may be another.
  if (home.value !== null) message.value = '';
});

effect(() => {
  const isLost = outbox.value.some(
    ({ letter, standing, sentAt, isUnanswered }) =>
      letter.kind === 'post' &&
      !isUnanswered &&
      WAS_SENT.includes(standing) &&
      sentAt >= (losesSince ?? Infinity),
  );
  if (!isLost) return;
  losesSince = null;
  message.value = 'The response to that post was lost.';
});

/** Makes something happen in the embedded sandbox. The graph knows nothing of it: it belongs to the stand-in. */
export async function makeHappen(event: SandboxEvent): Promise<void> {
  try {
    const response = await fetch(SANDBOX_EVENTS_PATH + event, { method: 'POST' });
    const answer = (await response.json()) as { readonly message?: string };
    losesSince = event === 'lose-answer' ? Date.now() : losesSince;
    message.value =
      event === 'lose-answer'
        ? 'The response to the next post will be lost.'
        : (answer.message ?? 'The sandbox did not do that.');
    if (event !== 'lose-answer') await refresh();
  } catch {
    message.value = UNREACHABLE;
  }
}
