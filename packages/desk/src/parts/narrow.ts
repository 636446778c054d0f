import { signal, type ReadonlySignal } from '@preact/signals';

function matched(condition: string): ReadonlySignal<boolean> {
  const query = matchMedia(condition);
  const matches = signal(query.matches);
  query.addEventListener('change', (event) => (matches.value = event.matches));
  return matches;
}

const isNarrow = matched('(width < 900px)');
const hasGrid = matched('(width >= 700px)');

/** Whether the screen is so narrow that the parts lie under each other and the composer is a sheet. */
export function useIsNarrow(): boolean {
  return isNarrow.value;
}

/** Whether the screen is wide enough for the calendar's grid; otherwise its days are a list. */
export function useHasGrid(): boolean {
  return hasGrid.value;
}
