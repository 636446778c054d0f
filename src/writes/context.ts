import type { RecalledResults, StartedGeneration } from '../records/ai-generation.ts';
import type { RecordContext } from '../records/context.ts';
import type { Surface } from '../sources/errors.ts';
import type { Sources } from '../sources/sources.ts';
import type { WriteCoordinator } from './coordinator.ts';

/** What writes need of the operation's context. */
export interface WriteContext extends RecordContext {
  readonly writes: CallersWrites;
  readonly live: RecalledResults & {
    /** Notes that the caller's credential asked for a generation. */
    readonly started: (generation: StartedGeneration) => void;
  };
  /** How the legacy surface takes `true` in a form. */
  readonly legacyTrue: '1' | 'true';
}

/** What writes need, bound to the caller. */
export interface CallersWrites extends Omit<WriteCoordinator, 'settled'> {
  /** A name for the caller on a surface that tells nothing of the credential. */
  readonly callerId: (surface: Surface) => string;
  /** The surfaces, bound to the caller, for calls that go on when the caller has gone. */
  readonly sources: Sources;
}
