import { ACCOUNT_CREDENTIALS } from './secret-names.ts';
import { blankValues, spellingsOf } from './secret-texts.ts';

// The documented credentials of connected accounts. They are removed once, where a response that holds accounts is
// parsed, so that whoever reads an account need not look for them.

type Account = Record<string, unknown>;

/**
 * Removes the credentials from the accounts of a response that has just been parsed: their documented fields, and their
 * values in all texts and keys of the same account. Changes the response.
 */
export function removeCredentials(answer: unknown): void {
  for (const account of accountsIn(answer)) {
    const values: string[] = [];
    for (const name of ACCOUNT_CREDENTIALS) {
      const value = account[name];
      if (value === undefined || value === null) continue;
      addTexts(value, values);
      // Absent, as JSON; deleting a property would make every later reading of the account slower.
      account[name] = undefined;
    }
    const spellings = spellingsOf(values);
    if (spellings.length > 0) blankWithin(account, spellings);
  }
}

/** Returns the accounts in a response, of either surface. Whatever may be one is taken for one. */
function accountsIn(answer: unknown): Account[] {
  const { response, data } = isContainer(answer) ? answer : {};
  const list = isContainer(response) ? response['list'] : null;
  return [answer, response, ...listed(answer), ...listed(data), ...listed(list)].filter(isContainer);
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Adds a text to a list, or all texts within a value that is damaged. */
function addTexts(value: unknown, texts: string[]): void {
  const open = [value];
  for (const one of open)
    if (typeof one === 'string') texts.push(one);
    else if (isContainer(one)) for (const child of Object.values(one)) open.push(child);
}

function blankWithin(account: Account, spellings: readonly string[]): void {
  // Most texts and keys are shorter.
  const shortest = spellings.at(-1)?.length ?? 0;
  const open: Account[] = [account];
  for (const holder of open)
    for (const key in holder) {
      const value = holder[key];
      if (isContainer(value)) open.push(value);
      else if (typeof value === 'string' && value.length >= shortest)
        holder[key] = blankValues(value, spellings);
      if (key.length >= shortest) renameKey(holder, key, blankValues(key, spellings));
    }
}

function renameKey(holder: Account, key: string, name: string): void {
  if (name === key) return;
  holder[name] = holder[key];
  delete holder[key];
}

function isContainer(value: unknown): value is Account {
  return typeof value === 'object' && value !== null;
}
