import { computed, effect, signal, untracked } from '@preact/signals';
import { ConnectionError, GraphError, repeat, type Client } from '../../../client/src/index.ts';
import { DeskHome, type DeskHomeQuery } from '../documents.ts';
import { sentenceOf } from '../lib/words.ts';
import { followHealth, showAccounts } from './accounts.ts';
import { setTimeZone } from './clock.ts';
import { followQueue, showQueue } from './queue.ts';
import { askAgain, client, surfaces } from './session.ts';

/** What the page knows of its connection. */
export type Connection = 'connecting' | 'live' | 'lost' | 'off';

const answer = signal<DeskHomeQuery | null>(null);
const problems = signal<readonly string[]>([]);
const link = signal<Connection>('connecting');

/** What the first query returned; null until it has. */
export const home = computed(() => answer.value);
/** What of it could not be read, in sentences. */
export const homeProblems = computed(() => problems.value);
/** Whether changes arrive. */
export const connection = computed(() => link.value);

let running = new AbortController();

// Everything begins again with another client.
effect(() => {
  const current = client.value;
  if (current) untracked(() => void open(current));
});

/** Loads everything again. */
export function reload(): void {
  const current = client.value;
  if (current) void open(current);
}

async function open(current: Client): Promise<void> {
  running.abort();
  running = new AbortController();
  const { signal: stopped } = running;
  problems.value = [];
  const result = await load(current, stopped);
  if (stopped.aborted || result === null) return;
  setTimeZone(result.viewer.timeZone);
  answer.value = result;
  const { accounts, accountGroups, queuedPosts } = result;
  const shown = [
    ...(accounts ? [showAccounts(current, accounts, accountGroups)] : []),
    ...(queuedPosts ? [showQueue(current, queuedPosts)] : []),
  ];
  if (surfaces.value.current) follow(current, stopped);
  else link.value = 'off';
  await Promise.all(shown).catch(addProblem);
}

async function load(current: Client, stopped: AbortSignal): Promise<DeskHomeQuery | null> {
  const variables = { current: surfaces.value.current };
  try {
    const ask = () => current.request(DeskHome, variables, { signal: stopped });
    return await repeat(ask, { attempts: 3, signal: stopped });
  } catch (error) {
    if (stopped.aborted) return null;
    if (error instanceof GraphError && isRefused(error)) askAgain(error.message);
    else if (error instanceof GraphError && error.data) {
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
  link.value = 'connecting';
  const options = {
    signal: stopped,
    onConnection: (isOpen: boolean) => {
      if (!stopped.aborted) link.value = isOpen ? 'live' : 'lost';
    },
  };
  const fail = (error: unknown): void => {
    if (stopped.aborted) return;
    link.value = 'off';
    if (error instanceof ConnectionError || error instanceof GraphError) addProblem(error);
  };
  followQueue(current, options).catch(fail);
  followHealth(current, options).catch(fail);
}

function addProblem(error: unknown): void {
  problems.value = [...new Set([...problems.value, sentenceOf(error)])];
}
