import * as fc from 'fast-check';
import { beforeEach, inject, onTestFinished, vi } from 'vitest';
import { cases } from './depth.ts';

// One seed for every property of a run. It is printed at the end of the run; `TEST_SEED` repeats it.
fc.configureGlobal({ seed: inject('seed'), numRuns: cases(100, 2_000) });

// What a test replaces ends with it, after all that it has opened is closed.
beforeEach(() =>
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
  }),
);
