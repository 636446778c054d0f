import { useState } from 'preact/hooks';
import { networkClass, NETWORKS } from '../lib/networks.ts';
import { STATE_WORDS } from '../lib/words.ts';
import { accounts, groups, states, type Account } from '../state/accounts.ts';
import type { Finding } from '../state/check.ts';
import { draft, edit } from '../state/draft.ts';
import { filter } from '../state/view.ts';
import { Findings } from './findings.tsx';
import { OneTabStop } from './one-tab-stop.tsx';

/** More accounts than this are searched, and not all shown at first. */
const FEW = 16;

/** The accounts as chips; those that cannot publish are off, with the reason. */
export function AccountPicker({ extra }: { readonly extra: readonly Finding[] }) {
  const [search, setSearch] = useState('');
  const [isWhole, setWhole] = useState(false);
  const chosen = draft.value.accountIds;
  const wanted = search.trim().toLowerCase();
  // Those that can publish come first.
  const all = accounts.value.toSorted((one, other) => Number(isOff(one)) - Number(isOff(other)));
  const found = all.filter(({ label }) => label.toLowerCase().includes(wanted));
  const first = isWhole ? found : found.slice(0, FEW);
  // Chosen ones that would be out of sight come first. The others stay where they are when they are clicked.
  const shown = [...all.filter((one) => chosen.includes(one.id) && !first.includes(one)), ...first];
  const group = groups.value.find(({ id }) => id === filter.value);
  const ofGroup = all.flatMap((one) =>
    group?.accountIds.has(one.id) === true && !isOff(one) ? [one.id] : [],
  );
  return (
    <fieldset class="accounts-field" aria-describedby="findings-accounts">
      <legend>Accounts</legend>
      {all.length > FEW && (
        <input
          type="search"
          aria-label="Find an account to post to"
          placeholder={`Find one of ${all.length}`}
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      {group && ofGroup.length > 0 && (
        <button class="small" onClick={() => edit({ accountIds: ofGroup })}>
          Choose all of {group.name}
        </button>
      )}
      <OneTabStop label="Accounts" className="chips">
        {shown.map((account) => (
          <Chip key={account.id} account={account} />
        ))}
      </OneTabStop>
      {found.length > FEW && (
        <button class="small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${found.length}`}
        </button>
      )}
      <Findings field="accounts" extra={extra} />
    </fieldset>
  );
}

function isOff({ id }: Account): boolean {
  return STATE_WORDS[states.value.get(id) ?? 'UNKNOWN'] !== null;
}

function Chip({ account: { id, label, network } }: { readonly account: Account }) {
  const state = STATE_WORDS[states.value.get(id) ?? 'UNKNOWN'];
  const chosen = draft.value.accountIds;
  const isChosen = chosen.includes(id);
  const toggle = (): void =>
    edit({ accountIds: isChosen ? chosen.filter((one) => one !== id) : [...chosen, id] });
  return (
    <label
      class={`chip ${networkClass(network)}`}
      title={`${label}, ${NETWORKS[network].name}${state === null ? '' : `, ${state}`}`}
    >
      <input type="checkbox" checked={isChosen} disabled={state !== null && !isChosen} onChange={toggle} />
      <span>{label}</span>
      {state !== null && <em>{state}</em>}
    </label>
  );
}
