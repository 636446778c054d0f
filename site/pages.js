// The pages of the site, in the order of its sidebar: what is not named here is not on the site. Tests hold the list to
// the repository, and make llms.txt from it.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '..');

/** The index of the reference, which lists its pages by their kinds. */
export const REFERENCE = 'docs/reference/README.md';

/**
 * @typedef {object} Page
 * @property {string} file Its path in the repository.
 * @property {string} title Its name in the sidebar.
 * @property {string} about What somebody finds there, in a sentence.
 *
 * @typedef {object} Section
 * @property {string} title
 * @property {readonly Page[]} pages
 */

/** @type {readonly Section[]} */
export const SECTIONS = [
  {
    title: 'Guide',
    pages: [
      { file: 'README.md', title: 'Overview', about: 'Who needs it, the first minute, and five tasks.' },
      {
        file: 'docs/getting-started.md',
        title: 'Getting started',
        about:
          'Start it on the sandbox, send credentials, connect it to the real service, run it in your own program.',
      },
      {
        file: 'docs/desk.md',
        title: 'Desk',
        about: 'The page at `/`: the queue as a calendar, the accounts that need attention, and a composer.',
      },
      {
        file: 'docs/first-post.md',
        title: 'Your first post',
        about: 'One post, scheduled once, with curl, JavaScript, the typed client and Python.',
      },
      {
        file: 'docs/data-model.md',
        title: 'Data model',
        about: 'A picture of the types: both surfaces, what leads where, what is a node.',
      },
      {
        file: 'docs/publishing-safely.md',
        title: 'Publishing safely',
        about: 'Posts, schedules, outcomes and idempotency keys: what a write promises.',
      },
      {
        file: 'docs/paging.md',
        title: 'Paging',
        about: 'Walk a list with cursors, forwards and backwards, while it changes.',
      },
      {
        file: 'docs/live-results.md',
        title: 'Live results',
        about: 'Follow AI texts over WebSocket or server-sent events, through lost connections.',
      },
      {
        file: 'docs/watching.md',
        title: 'Watching',
        about:
          'What changes in the queue and in the health of the accounts, as subscriptions or signed webhooks.',
      },
      {
        file: 'docs/bulk-scheduling.md',
        title: 'Bulk scheduling',
        about: 'Create the posts of a CSV file, each once, and print the queue as a table or a calendar.',
      },
      {
        file: 'docs/assistants.md',
        title: 'Assistants',
        about: 'Tools for AI assistants over the Model Context Protocol, which cannot post twice.',
      },
      {
        file: 'docs/clients.md',
        title: 'Clients',
        about:
          'Settings and programs for graphql-request, Apollo Client, urql, Relay, Python, gateways and codegen.',
      },
      {
        file: 'packages/client/README.md',
        title: 'Typed client',
        about: 'A package for Node and browsers that publishes once, walks lists and follows live results.',
      },
      {
        file: 'docs/browsers.md',
        title: 'Browsers',
        about: 'Call the server from a page of another origin, without giving a key away.',
      },
      {
        file: 'docs/errors.md',
        title: 'Error codes',
        about: 'Every code in `errors` and `userErrors`, with what to do about it.',
      },
      {
        file: 'docs/guarantees.md',
        title: 'Guarantees',
        about:
          'What you can rely on: partial results, ids, times, secrets, versions, and the limits of the service.',
      },
      {
        file: 'docs/sandbox.md',
        title: 'Sandbox',
        about: 'The stand-in for the service: its data, its credentials, and how to provoke faults.',
      },
      {
        file: 'examples/README.md',
        title: 'Examples',
        about: 'Programs to copy from, each with the client that people use.',
      },
    ],
  },
  {
    title: 'Running it',
    pages: [
      {
        file: 'docs/deploying.md',
        title: 'Deploying',
        about: 'Container, systemd, sizing, proxies, upgrades and alerts.',
      },
      {
        file: 'docs/operations.md',
        title: 'Operations',
        about:
          'Access, limits, timeouts, the journal of writes, sockets, overload, shutdown, logs and traces.',
      },
      {
        file: 'docs/settings.md',
        title: 'Settings',
        about: 'Every setting of the server, with its default.',
      },
      {
        file: 'docs/several-processes.md',
        title: 'Several processes',
        about: 'Instances behind a balancer that agree through Redis.',
      },
      {
        file: 'bench/README.md',
        title: 'Benchmarks',
        about: 'What is measured, and how to measure it yourself.',
      },
      { file: 'bench/RESULTS.md', title: 'Results', about: 'The figures of the last measurement.' },
      { file: 'bench/RESULTS-node-24.md', title: 'Results on Node 24', about: 'The same on a newer Node.' },
    ],
  },
  {
    title: 'Reference',
    pages: [
      {
        file: REFERENCE,
        title: 'Index',
        about: 'Every operation and type of the graph, one page for each type.',
      },
      { file: 'docs/reference/Query.md', title: 'Queries', about: 'Every query, with its arguments.' },
      {
        file: 'docs/reference/Mutation.md',
        title: 'Mutations',
        about: 'Every mutation, with its arguments.',
      },
      {
        file: 'docs/reference/Subscription.md',
        title: 'Subscriptions',
        about: 'Every subscription, with its arguments.',
      },
      {
        file: 'docs/service-fields.md',
        title: 'Service fields',
        about: 'Each call and field of the service, and where the graph shows it.',
      },
    ],
  },
  {
    title: 'Project',
    pages: [
      {
        file: 'ARCHITECTURE.md',
        title: 'Architecture',
        about: 'How the server is built, and where things live.',
      },
      { file: 'CONTRIBUTING.md', title: 'Contributing', about: 'How to change, deprecate and release.' },
      { file: 'CHANGELOG.md', title: 'Changelog', about: 'What each version changed.' },
      { file: 'SECURITY.md', title: 'Security', about: 'How to report a vulnerability.' },
    ],
  },
];

/**
 * The types of the reference by kind, read from its index: below the headings of the kinds, lines such as
 * `- [Account](Account.md): …`.
 *
 * @returns {Section[]}
 */
export function referenceSections() {
  const [, ...kinds] = readFileSync(resolve(ROOT, REFERENCE), 'utf8').split(/^## /m);
  return kinds
    .map((text) => ({
      title: text.slice(0, text.indexOf('\n')),
      pages: [...text.matchAll(/^- \[(\w+)\]\((\w+\.md)\): (.*)$/gm)].map(
        ([, title = '', file = '', about = '']) => ({ file: `docs/reference/${file}`, title, about }),
      ),
    }))
    .filter(({ pages }) => pages.length > 0);
}
