// @ts-check
// Reads all accounts with Relay, five at a time, into one connection of its store: `node examples/relay/accounts.js`.
import {
  createOperationDescriptor,
  Environment,
  fetchQuery,
  Network,
  RecordSource,
  Store,
} from 'relay-runtime';
import { headers, url } from '../endpoint.js';
import '../failure.js';
import artifact from './__generated__/accountsQuery.graphql.js';

// relay-compiler reads the text behind this tag and makes the file that is imported above. In an application a plugin of
// the bundler puts that file into the place of the text; here the tag does it.
const graphql = (/** @type {TemplateStringsArray} */ _text) =>
  /** @type {import('relay-runtime').ConcreteRequest} */ (/** @type {unknown} */ (artifact));

const accountsQuery = graphql`
  query accountsQuery($first: Int!, $after: String) {
    accounts(first: $first, after: $after) @connection(key: "accounts_accounts") {
      edges {
        node {
          id
          displayName
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`;

/**
 * What the query reads from the store.
 *
 * @typedef {object} Accounts
 * @property {{ edges: Edge[], pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null} accounts
 *
 * @typedef {{ node: { id: string, displayName: string | null } | null }} Edge
 */

/** @type {import('relay-runtime').FetchFunction} */
async function fetchGraph({ text }, variables) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query: text, variables }),
  });
  const answer = /** @type {{ data: object, errors?: Error[] }} */ (await response.json());
  // Relay itself leaves a failed field null; here any error is one too many.
  if (answer.errors) throw new AggregateError(answer.errors);
  return { data: answer.data };
}

const environment = new Environment({
  network: Network.create(fetchGraph),
  store: new Store(new RecordSource()),
});

// Somebody who looks at the list: what is retained stays in the store, and each change of it is told. Which page was asked
// for makes no difference, the connection is one.
const first = 5;
const list = createOperationDescriptor(accountsQuery, { first });
environment.retain(list);
environment.subscribe(environment.lookup(list.fragment), ({ data }) => {
  const { accounts } = /** @type {Accounts} */ (/** @type {unknown} */ (data));
  console.log(`The connection in the store has ${accounts?.edges.length ?? 0} accounts.`);
});

/** @type {string | null} */
let after = null;
do {
  const page = fetchQuery(environment, accountsQuery, { first, after });
  const { accounts } = /** @type {Accounts} */ (await page.toPromise());
  if (!accounts) throw new Error('the graph has no accounts');
  after = accounts.pageInfo.hasNextPage ? accounts.pageInfo.endCursor : null;
} while (after !== null);

const { accounts } = /** @type {Accounts} */ (
  /** @type {unknown} */ (environment.lookup(list.fragment).data)
);
for (const { node } of accounts?.edges ?? []) console.log(`${node?.id}  ${node?.displayName}`);
