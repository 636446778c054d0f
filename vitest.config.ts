import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    // Node takes the CommonJS build of graphql, vitest would take the other one, and two of them don't know each other.
    alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/builds.ts'],
    // Many tests wait more than they work: one worker, the default on two cores, would leave half of the machine idle.
    maxWorkers: 3,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    env: { NODE_ENV: 'production' },
  },
});
