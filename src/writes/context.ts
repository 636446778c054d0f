import type { RecalledResults, StartedGeneration } from '../records/ai-generation.ts';
import type { Loaders } from '../loaders/loaders.ts';
import type { RecordContext } from '../records/context.ts';
import type { Surface } from '../sources/errors.ts';
import type { Sources } from '../sources/sources.ts';
import type { WriteCoordinator } from './coordinator.ts';
import type { QueueReading, QueueReadings } from './queue-readings.ts';

/** The part of the operation's context that writes use. */
export interface WriteContext extends RecordContext {
  readonly writes: CallersWrites;
  readonly live: RecalledResults & {
    /** Records that the caller's credential requested a generation. */
    readonly started: (generation: StartedGeneration) => void;
  };
  /** The spelling of `true` in forms of the legacy surface. */
  readonly legacyTrue: '1' | 'true';
  /** Whether lists are read before writes with a key. */
  readonly readsBeforeWrites: boolean;
}

/** The part of it that actions on an existing account or group use. */
export interface ActionContext {
  readonly loaders: Pick<WriteContext['loaders'], 'forget'>;
  readonly writes: Pick<CallersWrites, 'mutex' | 'sources' | 'track'>;
}

/** The dependencies of writes, bound to the caller. */
export interface CallersWrites extends Omit<WriteCoordinator, 'settled'> {
  /** Returns a name for the caller on a surface that reveals nothing about the credential. */
  readonly callerId: (surface: Surface) => string;
  /** The surfaces, bound to the caller, for calls that continue if the caller disconnects. */
  readonly sources: Sources;
  /** Returns the caller's recent reading of the queue and the plan, or else reads. */
  readonly queueReading: (read: Parameters<QueueReadings['read']>[1]) => Promise<QueueReading>;
  /** Creates loaders of them, which have read nothing yet. */
  readonly loaders: () => Loaders;
}
