import { useEffect, useRef } from 'preact/hooks';
import { FreeSlots } from '../../../client/src/index.ts';
import { addDays, clockIn, dayOf, instantOf, shortTime } from '../lib/local-time.ts';
import { now, timeZone, today } from '../state/clock.ts';
import type { Finding } from '../state/check.ts';
import { chosenIds, draft, edit, isLegacy, type When } from '../state/draft.ts';
import { freeSlots, offeredAfter } from '../state/slots.ts';
import { goTo } from '../state/view.ts';
import { Findings } from './findings.tsx';
import { GraphLink } from './graph-link.tsx';
import { OneTabStop } from './one-tab-stop.tsx';

const CHOICES: readonly (readonly [When, string, string])[] = [
  ['QUEUE', 'Queue', 'After the last queued post, at the next time of each account’s posting schedule.'],
  ['NEXT', 'Next', 'Before all other posts in the queue.'],
  ['NOW', 'Now', 'Published at once.'],
  ['AT', 'At a time', 'At exactly this time, even outside the posting schedule.'],
];
const SHOWN = 4;
/** A year of four digits; one that is being typed begins with zeros, and may have six. */
const YEARS = /^[1-9]\d{3}-/;

/** When the post is published, with the next free times of the posting schedules. */
export function WhenField({ extra }: { readonly extra: readonly Finding[] }) {
  const { when, at } = draft.value;
  const field = useRef<HTMLFieldSetElement>(null);
  const lastWhen = useRef(when);
  // What belongs to a choice that is made here comes into sight with it.
  useEffect(() => {
    if (when !== lastWhen.current && field.current?.contains(document.activeElement))
      field.current.scrollIntoView({ block: 'nearest' });
    lastWhen.current = when;
  }, [when]);
  const choices = isLegacy.value ? CHOICES.filter(([choice]) => choice !== 'NEXT') : CHOICES;
  return (
    <fieldset ref={field} class="when-field" aria-describedby="findings-when">
      <legend>When</legend>
      <div class="segments">
        {choices.map(([choice, label]) => (
          <label key={choice}>
            <input
              type="radio"
              name="when"
              checked={when === choice}
              onChange={() =>
                edit({ when: choice, ...(choice === 'AT' && at === '' && { at: firstTime() }) })
              }
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
      <p class="hint" aria-live="polite">
        {choices.find(([choice]) => choice === when)?.[2]}
      </p>
      {when === 'AT' && (
        <>
          <label class="field">
            <small>Date and time on the service’s clock{timeZone.value && ` (${timeZone.value})`}</small>
            <input
              type="datetime-local"
              // While it is incomplete, the field keeps what has been typed.
              value={at || undefined}
              min={now.value}
              onInput={({ currentTarget: { value } }) => {
                const typed = YEARS.test(value) ? value.slice(0, 16) : '';
                edit({ at: typed });
                if (typed !== '') goTo(dayOf(typed));
              }}
            />
          </label>
          <OwnTime />
          <FreeTimes />
        </>
      )}
      <Findings field="when" extra={extra} />
    </fieldset>
  );
}

/** The next free times of the posting schedules, as buttons. */
function FreeTimes() {
  const { when, at } = draft.value;
  const after = offeredAfter.value;
  const offered = freeSlots.value.filter((slot) => slot > after).slice(0, SHOWN);
  if (offered.length === 0) return null;
  return (
    <OneTabStop label="Next free times" className="slots">
      <span>Next free</span>
      {offered.map((slot) => (
        <button
          key={slot}
          class="small"
          aria-pressed={when === 'AT' && at === slot}
          onClick={() => {
            edit({ when: 'AT', at: slot });
            goTo(dayOf(slot));
          }}
        >
          {shortTime(slot)}
        </button>
      ))}
      <GraphLink
        of="Next free times"
        document={FreeSlots}
        variables={{ accountIds: chosenIds.value, afterLocal: after, count: SHOWN }}
      />
    </OneTabStop>
  );
}

/** The first free time, or tomorrow morning while none is known. */
function firstTime(): string {
  const [slot = `${addDays(today.value, 1)}T09:00`] = freeSlots.value;
  return slot;
}

/** What the reader's own clock will show, where it differs from the service's. */
function OwnTime() {
  const zone = timeZone.value;
  const { at } = draft.value;
  if (zone === null || at === '') return null;
  const instant = instantOf(at, zone);
  if (instant === null) return <p class="quiet">{zone} skips this time: the clocks go forward that night.</p>;
  const own = clockIn(null, instant);
  if (own === at) return null;
  return (
    <p class="quiet">
      {shortTime(at)} in {zone} is {shortTime(own)} for you.
    </p>
  );
}
