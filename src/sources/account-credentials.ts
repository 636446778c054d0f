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
    const values = ACCOUNT_CREDENTIALS.flatMap((name) => textsIn(account[name]));
    // Without them, as JSON; deleting a property would make every later reading of the account slower.
    for (const name of ACCOUNT_CREDENTIALS) if (name in account) account[name] = undefined;
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

/** Returns all texts in a value, at any depth. */
function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const open = [value];
  for (const one of open)
    if (typeof one === 'string') texts.push(one);
    else if (isContainer(one)) for (const child of Object.values(one)) open.push(child);
  return texts;
}

function blankWithin(account: Account, spellings: readonly string[]): void {
  const shortest = spellings.at(-1)?.length ?? 0;
  // Most texts and all ordinary keys are shorter than a credential.
  const cleanOf = (text: string): string => (text.length < shortest ? text : blankValues(text, spellings));
  const open: Account[] = [account];
  for (const holder of open)
    for (const key of Object.keys(holder)) {
      const value = holder[key];
      const clean = typeof value === 'string' ? cleanOf(value) : value;
      const name = cleanOf(key);
      if (isContainer(value)) open.push(value);
      if (name !== key) delete holder[key];
      if (name !== key || clean !== value) holder[name] = clean;
    }
}

function isContainer(value: unknown): value is Account {
  return typeof value === 'object' && value !== null;
}
