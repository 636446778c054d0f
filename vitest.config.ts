import { defineConfig } from 'vitest/config';
import { isDeep } from './test/support/depth.ts';

/** A busy machine may take this long for what a quiet one does at once; nothing waits longer than it has to. */
const PATIENCE_MS = isDeep ? 600_000 : 120_000;

export default defineConfig({
  // Node takes the CommonJS build of graphql and Vitest would take the other one, and two of them don't know each other.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['{test,packages/*/test}/**/*.test.ts'],
    globalSetup: ['test/support/builds.ts'],
    setupFiles: ['test/support/properties.ts'],
    env: { NODE_ENV: 'production' },
    // Each worker loads the graph once for all of its files. Many files wait for processes, so there may be more workers
    // than processors.
    isolate: false,
    maxWorkers: 5,
    testTimeout: PATIENCE_MS,
    hookTimeout: PATIENCE_MS,
    slowTestThreshold: PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS / 4, interval: 50 } },
  },
});
