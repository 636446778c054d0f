import { compose } from './state/draft.ts';
import { goToToday } from './state/view.ts';

/** T shows today and N opens the composer, unless somebody is typing. */
export function listenForShortcuts(): void {
  document.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
    const key = event.key.toLowerCase();
    if (key === 't') goToToday();
    if (key === 'n') {
      event.preventDefault();
      compose();
    }
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, dialog') !== null;
}
