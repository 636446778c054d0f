import type { CurrentClient } from './current/client.ts';
import type { Surface } from './errors.ts';
import type { LegacyClient } from './legacy/client.ts';

/** The surfaces, bound to the caller. Each throws a SourceError where the surface or its credential is missing. */
export interface Sources {
  readonly current: () => CurrentClient;
  readonly legacy: () => LegacyClient;
  /** True when this server has the surface at all. */
  readonly isConfigured: (surface: Surface) => boolean;
  /** The surface that answers when the caller names none. */
  readonly preferred: () => Surface;
}
