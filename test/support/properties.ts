import * as fc from 'fast-check';
import { beforeEach, inject, onTestFinished, vi } from 'vitest';
import { cases } from './depth.ts';

// One seed for every property of a run. It is printed at the end of the run; `TEST_SEED` repeats it.
fc.configureGlobal({ seed: inject('seed'), numRuns: cases(100, 2_000) });

// Spies, clocks and variables of a test end with it, after all that it has opened is closed.
beforeEach(() =>
  onTestFinished(() => void vi.restoreAllMocks().useRealTimers().unstubAllEnvs().unstubAllGlobals()),
);
