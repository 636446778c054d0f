import type { Environment } from '../../src/config.ts';

const { EXECUTOR } = process.env;

/** With EXECUTOR in the environment of a run, the servers within the tests' own process use it too, as all others do. */
export const CHOSEN_EXECUTOR: Environment = EXECUTOR === undefined ? {} : { EXECUTOR };
