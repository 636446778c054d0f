import { useEffect, useRef } from 'preact/hooks';
import { AiGenerationUpdated, GenerateAiText } from '../../../client/src/index.ts';
import { counted } from '../lib/words.ts';
import { useText } from '../state/draft.ts';
import {
  asked,
  creditsLeft,
  editRequest,
  isWriting,
  lastTexts,
  readHistory,
  requestText,
  writerProblem,
  writtenText,
} from '../state/writer.ts';
import { GraphLink } from './graph-link.tsx';

const TONES = ['Friendly', 'Warm', 'Playful', 'Professional', 'Matter-of-fact'];

/** Lets the assistant write the text, which arrives live. */
export function Writer() {
  return (
    <details
      class="writer"
      onToggle={({ currentTarget }) => {
        if (currentTarget.open && lastTexts.value === null) void readHistory();
      }}
    >
      <summary>Write it for me</summary>
      <Request />
      <div aria-live="polite">
        {isWriting.value && writtenText.value === null && (
          <p class="pulse">
            <span class="hidden">The text is being written.</span>
          </p>
        )}
        {writtenText.value !== null && <Suggestion text={writtenText.value} isNew />}
        {writerProblem.value !== null && <p class="note is-error">{writerProblem.value}</p>}
      </div>
      <History />
    </details>
  );
}

function Request() {
  const { prompt, tone, id } = asked.value;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void requestText();
      }}
    >
      <label class="field">
        <span>About</span>
        <input
          value={prompt}
          placeholder="The new cardamom buns"
          onInput={({ currentTarget }) => editRequest({ prompt: currentTarget.value })}
        />
      </label>
      <label class="field">
        <span>Tone</span>
        <input
          list="tones"
          value={tone}
          onInput={({ currentTarget }) => editRequest({ tone: currentTarget.value })}
        />
        <datalist id="tones">
          {TONES.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </label>
      <p class="actions">
        <button class="small" disabled={isWriting.value || prompt.trim() === '' || tone.trim() === ''}>
          {isWriting.value ? 'Writing …' : 'Write'}
        </button>
        <GraphLink of="Write it for me" document={GenerateAiText} variables={{ input: { prompt, tone } }} />
        {id !== null && <GraphLink of="Its text" document={AiGenerationUpdated} variables={{ id }} />}
        {creditsLeft.value !== null && <small>{counted(creditsLeft.value, 'credit')} left</small>}
      </p>
    </form>
  );
}

function History() {
  const texts = (lastTexts.value ?? []).flatMap(({ id, text }) =>
    text === null || text === writtenText.value ? [] : [{ id, text }],
  );
  if (texts.length === 0) return null;
  return (
    <details>
      <summary>Earlier texts ({texts.length})</summary>
      {texts.map(({ id, text }) => (
        <Suggestion key={id} text={text} />
      ))}
    </details>
  );
}

function Suggestion({ text, isNew = false }: { readonly text: string; readonly isNew?: boolean }) {
  const part = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isNew) part.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div ref={part} class={`suggestion ${isNew ? 'is-new' : ''}`}>
      <p>{text}</p>
      <button class="small" onClick={() => useText(text)}>
        Use it
      </button>
    </div>
  );
}
