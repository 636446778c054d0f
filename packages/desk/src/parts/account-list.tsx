import { useState } from 'preact/hooks';
import { networkClass } from '../lib/networks.ts';
import { STATE_WORDS } from '../lib/words.ts';
import { accounts, groups, states } from '../state/accounts.ts';
import { filter, setFilter } from '../state/view.ts';

/** More accounts than this are searched. */
const FEW = 15;

/** The accounts, of which one can be chosen for the calendar. */
export function AccountList() {
  const [search, setSearch] = useState('');
  const all = accounts.value;
  const wanted = search.trim().toLowerCase();
  const shown = all.filter(({ label }) => label.toLowerCase().includes(wanted));
  return (
    <section class="accounts" aria-labelledby="accounts-title">
      <h2 id="accounts-title">
        Accounts <small>{all.length}</small>
      </h2>
      {all.length > FEW && (
        <input
          type="search"
          aria-label="Find an account"
          placeholder="Find an account"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      <ul>
        <Row id="" label="All accounts" />
        {shown.map(({ id, label, network }) => (
          <Row
            key={id}
            id={id}
            label={label}
            network={networkClass(network)}
            state={STATE_WORDS[states.value.get(id) ?? 'UNKNOWN']}
          />
        ))}
      </ul>
    </section>
  );
}

interface RowProps {
  readonly id: string;
  readonly label: string;
  readonly network?: string;
  /** What is wrong with the account, in a word. */
  readonly state?: string | null;
}

function Row({ id, label, network, state = null }: RowProps) {
  const isChosen = filter.value === id;
  return (
    <li>
      <button class="row" aria-pressed={isChosen} onClick={() => setFilter(isChosen ? '' : id)}>
        {network !== undefined && <i class={`dot ${network}`} />}
        <span>
          {label} {state !== null && <em>{state}</em>}
        </span>
      </button>
    </li>
  );
}

/** The same choice as a list to unfold, with the groups. */
export function FilterSelect() {
  return (
    <select
      class="filter"
      aria-label="Show posts of"
      value={filter.value}
      onChange={({ currentTarget }) => setFilter(currentTarget.value)}
    >
      <option value="">All accounts</option>
      {groups.value.length > 0 && (
        <optgroup label="Groups">
          {groups.value.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </optgroup>
      )}
      <optgroup label="Accounts">
        {accounts.value.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </optgroup>
    </select>
  );
}
