import type { Loaders } from '../loaders/loaders.ts';
import type { GenerationContext } from './ai-generation.ts';

/** What records read their other fields with: a part of the operation's context. */
export interface RecordContext extends GenerationContext {
  readonly loaders: Loaders;
  /** The zone of the service's wall clock, where the operator states one. */
  readonly serviceTimeZone: string | null;
}
