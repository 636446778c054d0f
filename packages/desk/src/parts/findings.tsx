import { findings, type Field, type Finding } from '../state/check.ts';

/** What is wrong with a part of the composer, or may be; announced when it changes. */
export function Findings({
  field,
  extra = [],
}: {
  readonly field: Field;
  readonly extra?: readonly Finding[];
}) {
  const all = [...findings.value, ...extra].filter((one) => one.field === field);
  // What is found while one types is also why the server refuses it.
  const shown = new Map(all.map((one) => [one.message, one.kind]));
  return (
    <ul class="findings" id={`findings-${field}`} aria-live="polite">
      {[...shown].map(([message, kind]) => (
        <li key={message} class={`is-${kind}`}>
          {message}
        </li>
      ))}
    </ul>
  );
}
