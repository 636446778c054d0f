import { findings, type Field, type Finding } from '../state/check.ts';
import { useInSight } from './in-sight.ts';

/** What is wrong with a part of the composer, or may be; announced when it changes. */
export function Findings({
  field,
  extra = [],
}: {
  readonly field: Field;
  readonly extra?: readonly Finding[];
}) {
  const shown = [...findings.value, ...extra].filter((one) => one.field === field);
  const list = useInSight<HTMLUListElement>(shown.length);
  return (
    <ul ref={list} class="findings" id={`findings-${field}`} aria-live="polite">
      {shown.map(({ message, kind }) => (
        <li key={message} class={`is-${kind}`}>
          {message}
        </li>
      ))}
    </ul>
  );
}
