import { effect, signal, untracked, type ReadonlySignal } from '@preact/signals';
import { GraphError, repeat, type Client } from '../../../client/src/index.ts';
import { DeskHome, type DeskHomeQuery } from '../documents.ts';
import { sentenceOf } from '../lib/words.ts';
import { followHealth, showAccounts } from './accounts.ts';
import { setTimeZone } from './clock.ts';
import { followQueue, showQueue } from './queue.ts';
import { askAgain, client, surfaces } from './session.ts';
import { forgetAttempts } from './trouble.ts';

/** What the page knows of its connection. */
export type Connection = 'connecting' | 'live' | 'lost' | 'off';

const answer = signal<DeskHomeQuery | null>(null);
const problems = signal<readonly string[]>([]);
const link = signal<Connection>('connecting');

/** What the first query returned; null until it has. */
export const home: ReadonlySignal<typeof answer.value> = answer;
/** What of it could not be read, in sentences. */
export const homeProblems: ReadonlySignal<typeof problems.value> = problems;
/** Whether changes arrive. */
export const connection: ReadonlySignal<typeof link.value> = link;

/** With their pauses, the attempts of the first reading take a few seconds, and those after a reconnection a minute. */
const ATTEMPTS = { first: 3, again: 7 };

let reading = new AbortController();
let following = new AbortController();

effect(() => {
  const current = client.value;
  if (current) untracked(() => void open(current, ATTEMPTS.first));
});

/** Loads everything again. */
export function reload(): void {
  const current = client.value;
  if (current) void open(current, ATTEMPTS.first);
}

async function open(current: Client, attempts: number): Promise<void> {
  reading.abort();
  reading = new AbortController();
  const { signal: stopped } = reading;
  problems.value = [];
  link.value = 'connecting';
  const result = await load(current, attempts, stopped);
  if (stopped.aborted) return;
  if (result === null) {
    // The next event of a subscription, if there is one, reads again.
    link.value = answer.value === null ? 'off' : 'lost';
    return;
  }
  // Subscriptions begin with the current state, so they are only followed from what has been read.
  following.abort();
  following = new AbortController();
  setTimeZone(result.viewer.timeZone);
  forgetAttempts();
  answer.value = result;
  const shown = show(current, result);
  if (surfaces.value.current) follow(current, following.signal);
  else link.value = 'off';
  await shown;
}

/** Reads again what is shown, after something that has changed it; the subscriptions would show it a little later. */
export async function refresh(): Promise<void> {
  const current = client.value;
  const result = current && (await load(current, 1, reading.signal));
  if (result) await show(current, result);
}

async function show(current: Client, { accounts, accountGroups, queuedPosts }: DeskHomeQuery): Promise<void> {
  const shown = [
    ...(accounts ? [showAccounts(current, accounts, accountGroups)] : []),
    ...(queuedPosts ? [showQueue(current, queuedPosts)] : []),
  ];
  await Promise.all(shown).catch(addProblem);
}

async function load(current: Client, attempts: number, stopped: AbortSignal): Promise<DeskHomeQuery | null> {
  const variables = { current: surfaces.value.current };
  try {
    const ask = () => current.request(DeskHome, variables, { signal: stopped });
    return await repeat(ask, { attempts, signal: stopped });
  } catch (error) {
    if (stopped.aborted) return null;
    if (error instanceof GraphError && isRefused(error)) {
      askAgain(error.errors[0]?.message);
      // The next credentials may be somebody else's, who sees nothing of this.
      if (answer.value !== null) location.reload();
    } else if (error instanceof GraphError && error.data) {
      problems.value = [...new Set(error.errors.map(({ message }) => message))];
      return error.data as DeskHomeQuery;
    } else problems.value = [sentenceOf(error)];
    return null;
  }
}

// A refused key takes the whole surface away; the other surface alone would look like an empty page.
function isRefused({ errors, status }: GraphError): boolean {
  return status === 401 || errors.some(({ extensions }) => extensions?.code === 'CREDENTIAL_REJECTED');
}

function follow(current: Client, stopped: AbortSignal): void {
  const opened = reading;
  const options = {
    signal: stopped,
    onConnection: (isOpen: boolean) => {
      if (stopped.aborted) return;
      if (!isOpen) link.value = 'lost';
      // The service may have changed in any way, and the server may be another one: what is shown is read again.
      else if (link.value === 'lost') void open(current, ATTEMPTS.again);
      else if (opened === reading) link.value = 'live';
    },
  };
  const fail = (error: unknown): void => {
    if (stopped.aborted) return;
    link.value = 'off';
    addProblem(error);
  };
  followQueue(current, options).catch(fail);
  followHealth(current, options).catch(fail);
}

function addProblem(error: unknown): void {
  problems.value = [...new Set([...problems.value, sentenceOf(error)])];
}
