import { signal } from '@preact/signals';

const query = matchMedia('(width < 900px)');
const isNarrow = signal(query.matches);
query.addEventListener('change', ({ matches }) => (isNarrow.value = matches));

/** Whether the screen is so narrow that the parts lie under each other and the composer is a sheet. */
export function useIsNarrow(): boolean {
  return isNarrow.value;
}
