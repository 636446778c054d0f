import type { Loaders } from '../loaders/loaders.ts';
import type { GenerationContext } from './ai-generation.ts';

/** The part of the operation's context with which records read their other fields. */
export interface RecordContext extends GenerationContext {
  readonly loaders: Loaders;
  /** The time zone of the service's wall clock, if the operator configured one. */
  readonly serviceTimeZone: string | null;
}
