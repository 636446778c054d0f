import type { Timers } from './clock.ts';
import type { Quirks } from './quirks.ts';

/** How a sandbox starts; every option has a default. */
export interface SandboxOptions {
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** Address to listen on, 127.0.0.1 unless told. */
  readonly host?: string;
  /** How much there is: `small` reads like a story, `large` gives the first owner 250 accounts and 1,000 posts. */
  readonly data?: 'small' | 'large';
  /** Owners beside the two, with credits and nothing else; 0 unless told. */
  readonly moreOwners?: number;
  /** Epoch milliseconds; the data is laid out around the first answer. */
  readonly now?: () => number;
  /** Where delayed work of the service waits (slow AI); the machine's timers unless told. */
  readonly timers?: Timers;
  /** How long a slow generation takes, 3000 unless told. */
  readonly slowAiDelayMs?: number;
  /** Redirect addresses of the demo app, whole; by default /connect/callback on any port of this machine. */
  readonly redirectUris?: readonly (string | RegExp)[];
  /** Choices where the interface is silent. */
  readonly quirks?: Partial<Quirks>;
}
