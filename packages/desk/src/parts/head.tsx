import { DeskHome } from '../documents.ts';
import { compose } from '../state/draft.ts';
import { connection, home, type Connection } from '../state/home.ts';
import { queueTotal } from '../state/queue.ts';
import { options, surfaces } from '../state/session.ts';
import { GraphLink } from './graph-link.tsx';

const CONNECTION_WORDS: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting …',
  live: 'Live',
  lost: 'Not connected, trying again …',
  off: 'Not live',
};

/** The top of the page: which service, whether changes arrive, and how full the queue is. */
export function Head() {
  const state = connection.value;
  return (
    <header class="head">
      <button class="hidden" onClick={compose}>
        New post (N)
      </button>
      <h1>Desk</h1>
      <Service />
      <span class={`connection is-${state}`} role="status">
        {CONNECTION_WORDS[state]}
      </span>
      {surfaces.value.current && <Fill />}
      <nav class="head-links" aria-label="This page in the graph">
        <GraphLink of="First screen" document={DeskHome} variables={{ current: surfaces.value.current }} />
        {options.graphiql !== null && <a href={options.graphiql}>GraphiQL</a>}
      </nav>
    </header>
  );
}

function Service() {
  const viewer = home.value?.viewer;
  if (options.credentials || viewer?.isSandbox) return <span class="badge is-sandbox">SANDBOX</span>;
  const hosts = new Set(viewer?.surfaces.flatMap(({ host }) => host ?? []));
  return hosts.size > 0 ? <span class="badge">{[...hosts].join(' · ')}</span> : null;
}

function Fill() {
  const plan = home.value?.membership?.currentPlan;
  if (!home.value?.queuedPosts) return null;
  const total = queueTotal.value;
  const limit = plan?.feature?.limit ?? null;
  const name = plan?.name ?? null;
  return (
    <span class="fill">
      {limit !== null && (
        <meter aria-label="Queue" min={0} max={limit} high={limit * 0.9} optimum={0} value={total} />
      )}
      <span>
        {number(total)}
        {limit !== null && ` of ${number(limit)}`} in the queue
        {name !== null && <small> {name}</small>}
      </span>
    </span>
  );
}

function number(value: number): string {
  return value.toLocaleString('en-GB');
}
