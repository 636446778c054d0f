import { signal, type ReadonlySignal } from '@preact/signals';

function matched(condition: string): ReadonlySignal<boolean> {
  const query = matchMedia(condition);
  const matches = signal(query.matches);
  query.addEventListener('change', (event) => (matches.value = event.matches));
  return matches;
}

/** Whether the screen is so narrow that the parts lie under each other and the composer is a sheet. */
export const isNarrow = matched('(width < 900px)');

/** Whether the screen is wide enough for the calendar's grid; otherwise its days are a list. */
export const hasGrid = matched('(width >= 700px)');
