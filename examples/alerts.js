// @ts-check
// Watches the accounts, and writes a line when one needs to be connected again: `node examples/alerts.js`. It goes on until
// it is ended with Ctrl-C. With the sandbox, press "Disconnect" on its page, http://127.0.0.1:4001, to see one.
import { setTimeout as after } from 'node:timers/promises';
import { print } from 'graphql';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { headers, socketUrl } from './endpoint.js';
import './failure.js';
import { graphql } from './graphql.js';

/** @type {NodeJS.Timeout | undefined} */
let overdue;
// When the connection is lost, the client makes another one and subscribes again. The first event is then a SNAPSHOT, which
// has the health of all accounts. A connection that ended without a word is noticed by a ping that is not answered. The
// client's own pauses between attempts would double without end.
const client = createClient({
  url: socketUrl,
  webSocketImpl: WebSocket,
  connectionParams: headers,
  retryAttempts: Infinity,
  retryWait: (retries) => after(Math.min(1_000 * 2 ** retries, 30_000) * (0.5 + Math.random())),
  shouldRetry: () => true,
  keepAlive: 20_000,
  on: {
    ping: (isReceived) => {
      if (!isReceived) overdue = setTimeout(() => client.terminate(), 10_000);
    },
    pong: () => clearTimeout(overdue),
    closed: () => clearTimeout(overdue),
  },
});

const HealthChanged = graphql(`
  subscription HealthChanged {
    accountHealthChanged {
      kind
      totalCount
      stateCounts {
        state
        count
      }
      accounts {
        account {
          label
        }
        health {
          state
        }
      }
      account {
        label
      }
      after {
        state
      }
    }
  }
`);

/** @param {{ label: string } | null} account */
const tell = (account) => console.log(`${account?.label} needs to be connected again.`);

for await (const { data, errors } of client.iterate({ query: print(HealthChanged) })) {
  if (errors) throw new AggregateError(errors);
  const { accountHealthChanged: event } = /** @type {import('gql.tada').ResultOf<typeof HealthChanged>} */ (
    data
  );
  if (event?.kind === 'SNAPSHOT' || event?.kind === 'RESYNCED') {
    const counts = event.stateCounts.map(({ state, count }) => `${count} ${state}`);
    console.log(`${event.totalCount} accounts: ${counts.join(', ')}`);
    const lost = (event.accounts ?? []).filter(({ health }) => health.state === 'NEEDS_RECONNECT');
    for (const { account } of lost) tell(account);
  } else if (event?.after?.state === 'NEEDS_RECONNECT') {
    tell(event.account);
  }
}
