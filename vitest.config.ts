import { defineConfig } from 'vitest/config';
import { COMPILED_NAMES, compiledSources } from './test/support/compiled-sources.ts';
import { isDeep } from './test/support/depth.ts';
import { ProgressReporter } from './test/support/reporter.ts';
import { ProjectByProject } from './test/support/sequence.ts';
import { SHORT_LIVED } from './test/support/short-lived.ts';

/** Files that start processes of their own: the built server, Redis, a balancer, a browser, npm. */
const PROCESSES = [
  'test/browser/**',
  'packages/desk/test/{compose,credentials,first-screen,people,served}.test.ts',
  'packages/schedule/test/{schedule,queue}-command.test.ts',
  'test/cli/**',
  'test/deploy/{image,walkthrough}.test.ts',
  'test/documents/**',
  'test/examples/**',
  'test/operation/{balancer,blocked-loop,draining,several-subscribers,several-writers}.test.ts',
  'test/packaging/**',
  'test/coordination/**',
  'test/journal/**',
  'test/abuse/caches.test.ts',
  'test/live/fan-out.test.ts',
  'test/http/{refused-operations,refused-requests,slow-callers}.test.ts',
  'test/service/{large-answers,tls}.test.ts',
  'packages/mcp/test/{off,python,stdio}.test.ts',
  'test/watch/several-processes.test.ts',
  'packages/webhooks/test/watch-command.test.ts',
  'test/writes/durable-keys.test.ts',
].map((pattern) => (pattern.endsWith('**') ? `${pattern}/*.test.ts` : pattern));

/** Files that register something once per process, or measure memory or time. */
const ALONE = [
  'test/operation/tracing{,-export,-links}.test.ts',
  'test/engine/document-cache.test.ts',
  'packages/desk/test/large.test.ts',
];

/** Files that replace the project's own modules, or load them again. */
const REPLACING = ['test/architecture/side-effects.test.ts', 'test/operation/tracing-off.test.ts'];

// A busy machine may take this long for what a quiet one does at once; nothing waits longer than it has to. The large
// figures take some forty times as long.
const PATIENCE_MS = isDeep ? 600_000 : 60_000;

/** What holds for each project. (What Vitest's `extends` takes over would make each of them build anew, too.) */
const EACH = {
  setupFiles: ['test/support/properties.ts'],
  testTimeout: PATIENCE_MS,
  hookTimeout: PATIENCE_MS,
  expect: { poll: { timeout: PATIENCE_MS / 2, interval: 50 } },
  env: { NODE_ENV: 'production' },
  server: { deps: { external: [COMPILED_NAMES] } },
  // Each test leaves much behind: with less room, it is moved twice, and all that lives is marked more often.
  execArgv: [...SHORT_LIVED, '--min-semi-space-size=16', '--max-semi-space-size=32'],
  // Each worker more would load and optimize what the others have, too; with less, the processors would wait.
  maxWorkers: 5,
};
// Node takes the CommonJS build of graphql, vitest would take the other one, and two of them don't know each other.
const resolve = { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] };
const plugins = [compiledSources()];

export default defineConfig({
  test: {
    globalSetup: ['test/support/builds.ts'],
    reporters: [new ProgressReporter()],
    // With the times of the last run, the files that wait longest would all come first, and the processors would wait.
    cache: false,
    sequence: { sequencer: ProjectByProject },
    projects: [
      {
        resolve,
        plugins,
        // What starts several processes, or a browser, takes minutes beside other work.
        test: {
          ...EACH,
          name: 'processes',
          include: PROCESSES,
          isolate: false,
          testTimeout: 3 * PATIENCE_MS,
        },
      },
      {
        resolve,
        plugins,
        test: { ...EACH, name: 'alone', include: ALONE },
      },
      {
        resolve,
        test: { ...EACH, name: 'replacing', include: REPLACING },
      },
      {
        resolve,
        plugins,
        // A few processes take these files, and each loads the graph once for all of its own.
        test: {
          ...EACH,
          name: 'shared',
          include: ['{test,packages/*/test}/**/*.test.ts'],
          exclude: [...PROCESSES, ...ALONE, ...REPLACING],
          isolate: false,
        },
      },
    ],
  },
});
