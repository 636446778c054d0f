import type { CurrentClient } from './current/client.ts';
import type { Surface } from './errors.ts';
import type { LegacyClient } from './legacy/client.ts';

/** The surfaces, bound to the caller. Each throws a SourceError if the surface or its credential is missing. */
export interface Sources {
  readonly current: () => CurrentClient;
  readonly legacy: () => LegacyClient;
  /** Whether this server is configured with the surface. */
  readonly isConfigured: (surface: Surface) => boolean;
  /** The surface used if the caller names none. */
  readonly preferred: () => Surface;
}
