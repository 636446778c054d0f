import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { createClient } from '../../../client/src/index.ts';
import { stored } from '../lib/stored.ts';
import { DESK_HANDOVER_KEY, type DeskOptions } from '../options.ts';

/** Who uses the page. Kept in memory only: a reload forgets it. */
export interface Held {
  readonly apiKey: string;
  readonly accessToken: string;
  readonly clientToken: string;
}

const NOTHING: Held = { apiKey: '', accessToken: '', clientToken: '' };

/** The options that the server has embedded in the page. */
export const options = JSON.parse(document.getElementById('options')?.textContent ?? '{}') as DeskOptions;

const { missing } = options;
const refusalText = stored<string | null>('refusal', () => null);
const held = signal<Held>({ ...NOTHING, ...options.credentials, ...handedOver() });
/** Whether somebody is asked for credentials: at first if any are needed, later if one was refused. */
const isAsked = signal(!isEnough(held.value));

/** The surfaces that can be used with what is held. */
export const surfaces = computed(() => ({
  current: !missing.apiKey || held.value.apiKey !== '',
  legacy: !missing.accessToken || held.value.accessToken !== '',
}));

/** The client of the graph; null while somebody is asked for credentials. */
export const client = computed(() => {
  if (isAsked.value) return null;
  const { apiKey, accessToken, clientToken } = held.value;
  return createClient({
    url: options.endpoint,
    credentials: { ...(apiKey && { apiKey }), ...(accessToken && { accessToken }) },
    ...(missing.clientToken !== null && { headers: { [missing.clientToken]: clientToken } }),
  });
});

/** What is held, also while somebody is asked for more. */
export const credentials: ReadonlySignal<Held> = held;
/** Why the last credentials were refused; null if they were not. */
export const refusal: ReadonlySignal<typeof refusalText.value> = refusalText;

/** Takes credentials; returns false if they are not enough. */
export function signIn(given: Held): boolean {
  if (!isEnough(given)) return false;
  held.value = given;
  refusalText.value = null;
  isAsked.value = false;
  return true;
}

/** Asks for credentials again, because some were refused. */
export function askAgain(why: string | null = null): void {
  refusalText.value = why;
  isAsked.value = true;
}

function isEnough({ apiKey, accessToken, clientToken }: Held): boolean {
  const hasSurface = !missing.apiKey || !missing.accessToken || apiKey !== '' || accessToken !== '';
  return hasSurface && (missing.clientToken === null || clientToken !== '');
}

// Another page of this server leaves a token here once.
function handedOver(): Partial<Held> {
  try {
    const text = sessionStorage.getItem(DESK_HANDOVER_KEY);
    sessionStorage.removeItem(DESK_HANDOVER_KEY);
    const { authorization } = JSON.parse(String(text)) as { readonly authorization: string };
    // Whatever was refused is no longer held.
    refusalText.value = null;
    return { accessToken: authorization.replace(/^Bearer /i, '') };
  } catch {
    // Nothing was left, or the browser allows no storage.
    return {};
  }
}
