import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Controls among which the arrow keys move, with one stop for the Tab key: ARIA's toolbar pattern. */
export function OneTabStop({
  label,
  className,
  children,
}: {
  readonly label: string;
  readonly className: string;
  readonly children: ComponentChildren;
}) {
  const bar = useRef<HTMLDivElement>(null);
  const last = useRef<EventTarget | null>(null);
  const keepOneStop = (): void => {
    const all = controlsOf(bar.current);
    // The one that had the focus last may have gone, or be off.
    const stop = all.find((one) => one === last.current) ?? all[0];
    for (const one of all) one.tabIndex = one === stop ? 0 : -1;
  };
  useLayoutEffect(keepOneStop);
  return (
    <div
      ref={bar}
      class={className}
      role="toolbar"
      aria-label={label}
      onFocusIn={({ target }) => {
        last.current = target;
        keepOneStop();
      }}
      onKeyDown={moveFocus}
    >
      {children}
    </div>
  );
}

/** Moves the focus within a group by the arrow keys, and returns the control that has it then. */
export function moveFocus(event: KeyboardEvent): HTMLElement | undefined {
  const { key, target, currentTarget } = event;
  const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[key] ?? 0;
  const all = controlsOf(currentTarget);
  const next = all[all.findIndex((one) => one === target) + step];
  if (step === 0 || next === undefined) return undefined;
  event.preventDefault();
  next.focus();
  return next;
}

function controlsOf(group: EventTarget | null): HTMLElement[] {
  return group instanceof Element
    ? [...group.querySelectorAll<HTMLElement>(':is(input, button):enabled, a')]
    : [];
}
