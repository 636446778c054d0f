import { today } from './state/clock.ts';
import { compose } from './state/draft.ts';
import { goTo } from './state/view.ts';

/** T shows today and N opens the composer, unless somebody is typing. */
export function listenForShortcuts(): void {
  document.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
    const key = event.key.toLowerCase();
    if (key === 't') goTo(today.value);
    if (key === 'n') {
      event.preventDefault();
      compose();
    }
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, dialog') !== null;
}
