import { useLayoutEffect, useRef } from 'preact/hooks';
import { QueueChanged } from '../../../client/src/index.ts';
import { addDays, monthName, shortDay, weekdayName, weekOf, type Day } from '../lib/local-time.ts';
import { timeZone } from '../state/clock.ts';
import {
  anchor,
  focusDay,
  foldedWeeks,
  goTo,
  goToToday,
  isOver,
  isSpent,
  mode,
  type Mode,
  setMode,
  showDay,
  showPast,
  turn,
  weeks,
} from '../state/view.ts';
import { surfaces } from '../state/session.ts';
import { lastListed } from '../state/slots.ts';
import { composeOn } from '../state/draft.ts';
import { FilterSelect } from './account-list.tsx';
import { Agenda } from './agenda.tsx';
import { useCalendarFocus } from './calendar-focus.ts';
import { DayCell } from './day-cell.tsx';
import { GraphLink } from './graph-link.tsx';
import { hasGrid } from './narrow.ts';

/** The queue by days: a grid of a month or a week, or a list on a narrow screen. */
export function Calendar() {
  return (
    <section class="calendar" aria-labelledby="calendar-title">
      <Toolbar />
      {surfaces.value.current ? (
        <>
          {hasGrid.value ? <Grid /> : <Agenda />}
          <Legend />
        </>
      ) : (
        <p class="note">The queue belongs to the current surface: open Desk with an API key to see it.</p>
      )}
    </section>
  );
}

function Legend() {
  return (
    <>
      <p class="quiet legend">
        {hasGrid.value && 'Click a day to write a post. '}
        {hasGrid.value &&
          lastListed.value &&
          `Free times are listed up to ${shortDay(lastListed.value)}; click a later day for its own. `}
        Read-only: the publishing service can neither move nor delete a queued post. Times are on its clock
        {timeZone.value === null ? '' : ` (${timeZone.value})`}. Changes made elsewhere appear within a
        minute.
      </p>
      <p id="keys" class="quiet legend keys">
        Keys: <kbd>N</kbd> new post, <kbd>T</kbd> today
        {hasGrid.value && (
          <>
            , <kbd>↑ ↓ ← →</kbd> move by a day or a week, <kbd>Page Up</kbd> <kbd>Page Down</kbd> by a{' '}
            {mode.value}, <kbd>Enter</kbd> writes a post for the day, <kbd>Space</kbd> lists its posts
          </>
        )}
        , <kbd>Esc</kbd> leaves the text.
      </p>
    </>
  );
}

function Toolbar() {
  const month = mode.value === 'month';
  const days = weekOf(anchor.value);
  const title = month
    ? monthName(anchor.value)
    : `${dateOf(days[0] ?? anchor.value)} – ${dateOf(days[6] ?? anchor.value)}`;
  const step = month ? 'month' : 'week';
  return (
    <div class="toolbar">
      <h2 id="calendar-title" aria-live="polite">
        {title}
      </h2>
      <GraphLink of="Calendar" document={QueueChanged} />
      <span class="turn">
        <button aria-label={`Previous ${step}`} onClick={() => turn(-1)}>
          ‹
        </button>
        <button onClick={goToToday} aria-keyshortcuts="T">
          Today
        </button>
        <button aria-label={`Next ${step}`} onClick={() => turn(1)}>
          ›
        </button>
      </span>
      <span class="modes" role="group" aria-label="Show a">
        <ModeButton of="month" label="Month" />
        <ModeButton of="week" label="Week" />
      </span>
      <FilterSelect />
    </div>
  );
}

/** Without the day of the week, so that the toolbar keeps to one line. */
function dateOf(day: Day): string {
  return shortDay(day).slice(4);
}

function ModeButton({ of, label }: { readonly of: Mode; readonly label: string }) {
  return (
    <button aria-pressed={mode.value === of} onClick={() => setMode(of)}>
      {label}
    </button>
  );
}

function Grid() {
  const grid = useRef<HTMLDivElement>(null);
  const hasFocus = useRef(false);
  const day = focusDay.value;
  // The focus follows the day, once somebody has moved it into the grid.
  useLayoutEffect(() => {
    if (hasFocus.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  }, [day, mode.value]);
  useCalendarFocus(() => grid.current?.querySelector<HTMLElement>('[tabindex="0"]'));
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const action = actionOf(event.key);
    if (action === null) return;
    event.preventDefault();
    action();
  };
  return (
    <div
      ref={grid}
      class={`grid is-${mode.value}`}
      role="grid"
      aria-labelledby="calendar-title"
      aria-describedby="keys"
      onFocusIn={() => (hasFocus.current = true)}
      onFocusOut={({ relatedTarget }) => {
        const isInside = relatedTarget instanceof Node && grid.current?.contains(relatedTarget) === true;
        // Focus is also lost, to nothing, when the cell that has it is replaced.
        if (relatedTarget !== null && !isInside) hasFocus.current = false;
      }}
      onKeyDown={onKeyDown}
    >
      <div role="row" class="weekdays">
        {weekOf(anchor.value).map((one) => (
          <div
            key={one}
            role="columnheader"
            class={isSpent(one) ? 'is-spent' : ''}
            aria-label={weekdayName(one)}
          >
            {weekdayName(one).slice(0, 3)}
          </div>
        ))}
      </div>
      <Past />
      {weeks.value.map((week) => (
        <div key={week[0]} role="row" class={`week ${isOver(week) ? 'is-over' : ''}`}>
          {week.map((one) => (
            <DayCell key={one} day={one} />
          ))}
        </div>
      ))}
    </div>
  );
}

/** One thin row for the weeks of this month that are over. */
function Past() {
  const days = foldedWeeks.value.flat();
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined) return null;
  return (
    <div role="row" class="past">
      <div role="gridcell">
        <button tabIndex={-1} onClick={showPast}>
          {shortDay(first)} – {shortDay(last)}: past, nothing left in the queue
        </button>
      </div>
    </div>
  );
}

/** The keys of ARIA's grid pattern, for days. */
function actionOf(key: string): (() => void) | null {
  const day = focusDay.value;
  const week = weekOf(day);
  const actions: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => goTo(addDays(day, -1)),
    ArrowRight: () => goTo(addDays(day, 1)),
    ArrowUp: () => goTo(addDays(day, -7)),
    ArrowDown: () => goTo(addDays(day, 7)),
    Home: () => goTo(week[0] ?? day),
    End: () => goTo(week[6] ?? day),
    PageUp: () => turn(-1),
    PageDown: () => turn(1),
    Enter: () => composeOn(day),
    ' ': () => showDay(day),
  };
  return actions[key] ?? null;
}
