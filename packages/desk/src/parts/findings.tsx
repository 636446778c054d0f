import { findings, type Field, type Finding } from '../state/check.ts';

/** What is wrong with a part of the composer, or may be; announced when it changes. */
export function Findings({
  field,
  extra = [],
}: {
  readonly field: Field;
  readonly extra?: readonly Finding[];
}) {
  const shown = [...findings.value, ...extra].filter((one) => one.field === field);
  return (
    <ul class="findings" id={`findings-${field}`} aria-live="polite">
      {shown.map(({ message, kind }) => (
        <li key={message} class={`is-${kind}`}>
          {message}
        </li>
      ))}
    </ul>
  );
}
