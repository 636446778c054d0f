import type { SandboxEvent } from '../options.ts';
import { happened, makeHappen } from '../state/sandbox.ts';
import { options } from '../state/session.ts';
import { isNarrow } from './narrow.ts';

const EVENTS: readonly (readonly [SandboxEvent, string])[] = [
  ['lose-answer', 'Lose the next answer'],
  ['disconnect', 'Disconnect an account'],
  ['publish', 'Publish the next post'],
  ['fail', 'Fail the next post'],
];

const TITLE = 'Sandbox: see what happens';

/** Makes things go wrong in the sandbox; no other service has this. */
export function SandboxBar() {
  if (options.credentials === null) return null;
  return (
    <aside class="sandbox-bar" aria-label="Sandbox">
      {isNarrow.value ? (
        <details>
          <summary>{TITLE}</summary>
          <Events />
        </details>
      ) : (
        <>
          <strong>{TITLE}</strong>
          <Events />
        </>
      )}
    </aside>
  );
}

function Events() {
  return (
    <>
      <span class="events">
        {EVENTS.map(([event, label]) => (
          <button key={event} class="small" onClick={() => void makeHappen(event)}>
            {label}
          </button>
        ))}
      </span>
      <output title={happened.value}>{happened.value}</output>
    </>
  );
}
