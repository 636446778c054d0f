import { useLayoutEffect, useRef } from 'preact/hooks';
import type { SocialNetwork } from '../../../client/src/index.ts';
import { NETWORKS } from '../lib/networks.ts';
import { listed } from '../lib/words.ts';
import { findings, type Finding } from '../state/check.ts';
import {
  canUndo,
  chosenNetworks,
  composerFocus,
  draft,
  edit,
  isLegacy,
  showText,
  textTab,
  undo,
} from '../state/draft.ts';
import { lengths } from '../state/lengths.ts';
import { Findings } from './findings.tsx';
import { moveFocus } from './one-tab-stop.tsx';

const ALL = { name: 'All', variant: null };

/** The text of all networks, a tab for each network’s own, and how long it is for each. */
export function TextField({ extra }: { readonly extra: readonly Finding[] }) {
  const chosenTab = textTab.value;
  const field = useRef<HTMLTextAreaElement>(null);
  const request = composerFocus.value;
  // At once: what is typed right after the key N belongs to the text.
  useLayoutEffect(() => {
    if (request === 0) return;
    field.current?.focus();
    // Focus alone shows the cursor, not the lines above it.
    field.current?.scrollIntoView({ block: 'nearest' });
  }, [request]);
  const tabs = isLegacy.value
    ? []
    : chosenNetworks.value.filter((network) => NETWORKS[network].variant !== null);
  const network = tabs.find((one) => NETWORKS[one].variant === chosenTab) ?? null;
  const variant = network === null ? 'ORIGINAL' : chosenTab;
  const { text, own } = draft.value;
  // A text of its own begins with the text of all.
  const value = variant === 'ORIGINAL' ? text : (own[variant] ?? text);
  const write = (next: string): void =>
    edit(variant === 'ORIGINAL' ? { text: next } : { own: { ...own, [variant]: next } });
  const label = network === null ? 'Text' : `Text for ${NETWORKS[network].name}`;
  return (
    <div class="text-field">
      {tabs.length > 0 && (
        <div
          class="tabs"
          role="tablist"
          aria-label="Text for"
          onKeyDown={(event) => moveFocus(event)?.click()}
        >
          {[null, ...tabs].map((one) => (
            <Tab key={one} network={one} isChosen={one === network} />
          ))}
        </div>
      )}
      <textarea
        ref={field}
        id="post-text"
        rows={6}
        aria-label={label}
        aria-describedby="lengths findings-text"
        placeholder={network === null ? 'What do you want to say?' : text}
        value={value}
        onInput={({ currentTarget }) => write(currentTarget.value)}
      />
      {network !== null && (
        <p class="quiet">
          {own[variant]
            ? `Only ${NETWORKS[network].name} gets this text.`
            : `${NETWORKS[network].name} gets the text of all until you change it here.`}
        </p>
      )}
      <Undo />
      <Lengths />
      {tabs.length > 0 && <SharedText />}
      <Findings field="text" extra={extra} />
    </div>
  );
}

/** Brings back a text that another one has replaced. */
function Undo() {
  return (
    <div role="status">
      {canUndo.value && (
        <p class="actions">
          <small>This text replaced what you had written.</small>
          <button class="small" onClick={undo}>
            Undo
          </button>
        </p>
      )}
    </div>
  );
}

interface TabProps {
  /** Null for the text of all. */
  readonly network: SocialNetwork | null;
  readonly isChosen: boolean;
}

function Tab({ network, isChosen }: TabProps) {
  const { name, variant } = network === null ? ALL : NETWORKS[network];
  const hasFinding =
    variant !== null && findings.value.some((one) => one.field === 'text' && one.variant === variant);
  const hasOwn = variant !== null && Boolean(draft.value.own[variant]);
  return (
    <button
      role="tab"
      aria-selected={isChosen}
      aria-controls="post-text"
      tabIndex={isChosen ? 0 : -1}
      onClick={() => showText(variant ?? 'ORIGINAL')}
    >
      {name}
      {hasOwn && <span class="own" title="Has its own text" />}
      {hasFinding && ' !'}
    </button>
  );
}

/** Which of the chosen networks have no tab, and why. */
function SharedText() {
  const names = chosenNetworks.value
    .filter((one) => NETWORKS[one].variant === null)
    .map((one) => NETWORKS[one].name);
  if (names.length === 0) return null;
  return (
    <p class="hint">
      The text under All always goes to {listed(names)}: the publishing service takes no other.
    </p>
  );
}

function Lengths() {
  return (
    <p class="lengths" id="lengths">
      {lengths.value.map((one) => (
        <span key={one.network} class={(one.length ?? 0) > one.max ? 'is-over' : ''}>
          {NETWORKS[one.network].name} {one.length}/{one.max}
        </span>
      ))}
    </p>
  );
}
