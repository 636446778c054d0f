import { compose } from './state/draft.ts';
import { focusCalendar, goToToday } from './state/view.ts';

/** T shows today and N opens the composer, unless somebody is typing. Escape leaves the text for the calendar. */
export function listenForShortcuts(): void {
  document.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Escape' && isText(event.target)) focusCalendar();
    if (isTyping(event.target)) return;
    const key = event.key.toLowerCase();
    if (key === 't') {
      goToToday();
      focusCalendar();
    }
    if (key === 'n') {
      event.preventDefault();
      compose();
    }
  });
}

function isTyping(target: EventTarget | null): boolean {
  const fields = 'input:not([type="checkbox"], [type="radio"]), textarea, select, dialog';
  return target instanceof Element && target.closest(fields) !== null;
}

// In a dialog, Escape closes the dialog.
function isText(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement && target.closest('dialog') === null;
}
