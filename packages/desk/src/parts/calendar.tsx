import { useLayoutEffect, useRef } from 'preact/hooks';
import { QueueChanged } from '../../../client/src/index.ts';
import { addDays, monthName, shortDay, weekOf } from '../lib/local-time.ts';
import { timeZone } from '../state/clock.ts';
import {
  anchor,
  focusDay,
  goTo,
  goToToday,
  isOver,
  mode,
  type Mode,
  setMode,
  showDay,
  turn,
  weeks,
} from '../state/view.ts';
import { surfaces } from '../state/session.ts';
import { composeOn } from '../state/draft.ts';
import { FilterSelect } from './account-list.tsx';
import { Agenda } from './agenda.tsx';
import { DayCell } from './day-cell.tsx';
import { GraphLink } from './graph-link.tsx';
import { useIsNarrow } from './narrow.ts';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** The queue by days: a grid of a month or a week, or a list on a narrow screen. */
export function Calendar() {
  const isNarrow = useIsNarrow();
  return (
    <section class="calendar" aria-labelledby="calendar-title">
      <Toolbar />
      {!surfaces.value.current ? (
        <p class="note">The queue belongs to the current surface: open Desk with an API key to see it.</p>
      ) : isNarrow ? (
        <Agenda />
      ) : (
        <Grid />
      )}
      <p class="quiet legend">
        {!isNarrow && 'Click a day, or press N, to write a post. '}
        Read-only: the service can neither move nor delete a queued post. A post with a dashed border cannot
        go out. Times are on the service’s clock{timeZone.value === null ? '' : ` (${timeZone.value})`}.
      </p>
    </section>
  );
}

function Toolbar() {
  const month = mode.value === 'month';
  const days = weekOf(anchor.value);
  const title = month
    ? monthName(anchor.value)
    : `${shortDay(days[0] ?? anchor.value)} – ${shortDay(days[6] ?? anchor.value)}`;
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
      aria-describedby="grid-keys"
      onFocusIn={() => (hasFocus.current = true)}
      onFocusOut={({ relatedTarget }) => {
        const isInside = relatedTarget instanceof Node && grid.current?.contains(relatedTarget) === true;
        // Focus is also lost, to nothing, when the cell that has it is replaced.
        if (relatedTarget !== null && !isInside) hasFocus.current = false;
      }}
      onKeyDown={onKeyDown}
    >
      <div role="row" class="weekdays">
        {WEEKDAYS.map((name) => (
          <div key={name} role="columnheader" aria-label={name}>
            {name.slice(0, 3)}
          </div>
        ))}
      </div>
      {weeks.value.map((week) => (
        <div key={week[0]} role="row" class={`week ${isOver(week) ? 'is-over' : ''}`}>
          {week.map((one) => (
            <DayCell key={one} day={one} />
          ))}
        </div>
      ))}
      <p id="grid-keys" class="hidden">
        Arrow keys move by a day or a week, Page Up and Page Down by a {mode.value}. Enter writes a post for
        the day, Space lists its posts.
      </p>
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
