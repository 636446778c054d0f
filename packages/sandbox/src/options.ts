import type { Timers } from './clock.ts';
import type { Quirks } from './quirks.ts';

/** The start options of a sandbox; every option has a default. */
export interface SandboxOptions {
  /** The port; 0, the default, picks a free one. */
  readonly port?: number;
  /** Address to listen on, 127.0.0.1 by default. */
  readonly host?: string;
  /** Amount of data: `small` reads like a story, `large` gives the first owner 250 accounts and 1,000 posts. */
  readonly data?: 'small' | 'large';
  /** Number of owners besides the two, with credits and nothing else; 0 by default. */
  readonly moreOwners?: number;
  /** Returns epoch milliseconds; the data is laid out around the first returned value. */
  readonly now?: () => number;
  /** Timers for delayed work of the service (slow AI); the machine's by default. */
  readonly timers?: Timers;
  /** How long a slow generation takes, 3000 by default. */
  readonly slowAiDelayMs?: number;
  /** Choices where the interface is silent. */
  readonly quirks?: Partial<Quirks>;
}
