import { useState } from 'preact/hooks';
import { networkClass, NETWORKS } from '../lib/networks.ts';
import { STATE_WORDS } from '../lib/words.ts';
import { accounts, states, type Account } from '../state/accounts.ts';
import type { Finding } from '../state/check.ts';
import { draft, edit } from '../state/draft.ts';
import { Findings } from './findings.tsx';

/** More accounts than this are searched. */
const FEW = 24;

/** The accounts as chips; those that cannot publish are off, with the reason. */
export function AccountPicker({ extra }: { readonly extra: readonly Finding[] }) {
  const [search, setSearch] = useState('');
  const chosen = draft.value.accountIds;
  const wanted = search.trim().toLowerCase();
  // Those that can publish come first.
  const all = accounts.value.toSorted((one, other) => Number(isOff(one)) - Number(isOff(other)));
  const found = all.filter(({ label, id }) => chosen.includes(id) || label.toLowerCase().includes(wanted));
  const shown = [
    ...found.filter(({ id }) => chosen.includes(id)),
    ...found.filter(({ id }) => !chosen.includes(id)).slice(0, FEW),
  ];
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
      <div class="chips">
        {(all.length > FEW ? shown : all).map((account) => (
          <Chip key={account.id} account={account} />
        ))}
      </div>
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
      title={`${NETWORKS[network].name}${state === null ? '' : `, ${state}`}`}
    >
      <input type="checkbox" checked={isChosen} disabled={state !== null && !isChosen} onChange={toggle} />
      <span>{label}</span>
      {state !== null && <em>{state}</em>}
    </label>
  );
}
