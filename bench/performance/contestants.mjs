// The contestants: how each is started in front of the service, and how each is asked.
import { MAIN, START_FLAGS } from '../built-server.mjs';
import { postRequest } from './http-messages.mjs';
import { startProcess } from './processes.mjs';
import { workloads } from './workloads.mjs';

const TYPENAME = workloads.find(({ name }) => name === 'typename');

const graphql = ({ document }, variables, apiKey) =>
  postRequest('/graphql', apiKey, JSON.stringify({ query: document, variables }));
const handWritten = ({ name }, variables, apiKey) =>
  postRequest(`/w/${name}`, apiKey, JSON.stringify(variables));

const script = (name) => [new URL(`contestants/${name}.mjs`, import.meta.url).pathname];
const ourEnvironment = (serviceUrl) => ({
  DATA_DIR: 'off',
  CURRENT_API_URL: serviceUrl,
  LEGACY_API_URL: serviceUrl,
});
// What main.ts of ours sets for itself.
const othersEnvironment = (serviceUrl) => ({ SERVICE_URL: serviceUrl, NODE_ENV: 'production' });

const CONTESTANTS = {
  ours: {
    args: [MAIN],
    environment: ourEnvironment,
    requestOf: graphql,
  },
  floor: { args: script('floor'), environment: othersEnvironment, requestOf: handWritten },
  mercurius: { args: script('mercurius'), environment: othersEnvironment, requestOf: graphql },
  apollo: { args: script('apollo'), environment: othersEnvironment, requestOf: graphql },
};

export const CONTESTANT_NAMES = Object.keys(CONTESTANTS);

/**
 * Starts a contestant with the flags of ours, which save all of them collections of garbage. `nodeOptions` come before its
 * script, and `settings` are added to its environment.
 */
export async function startContestant(name, serviceUrl, { nodeOptions = [], settings = {} } = {}) {
  const { args, environment, requestOf } = CONTESTANTS[name];
  const running = await startProcess([...START_FLAGS, ...nodeOptions, ...args], {
    environment: { ...environment(serviceUrl), ...settings },
    firstRequest: requestOf(TYPENAME, {}, 'bench-first'),
  });
  return { ...running, name, requestOf };
}
