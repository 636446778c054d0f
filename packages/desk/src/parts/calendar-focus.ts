import { useLayoutEffect, useRef } from 'preact/hooks';
import { calendarFocus } from '../state/view.ts';

/** Moves the keyboard's focus to an element, whenever the calendar should take it. */
export function useCalendarFocus(find: () => HTMLElement | null | undefined): void {
  const request = calendarFocus.value;
  const last = useRef(request);
  useLayoutEffect(() => {
    if (request !== last.current) find()?.focus();
    last.current = request;
  }, [request]);
}
