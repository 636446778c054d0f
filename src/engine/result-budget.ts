import { GraphQLError, type ExecutionResult } from 'graphql';
import type { DocumentLimits } from '../config/document-limits.ts';
import { limitError } from './limit-error.ts';
import { jsonBytes } from './json-bytes.ts';

/** How large a result may be. */
export type ResultLimits = Pick<DocumentLimits, 'resultFields' | 'resultErrors' | 'resultBytes'>;

/** Counts the fields and errors of one result while it is made. */
export class ResultBudget {
  readonly #limits: ResultLimits;
  #fields = 0;
  #errors = 0;
  /** Which limit the result exceeds; null while it exceeds none. */
  #exceeded: GraphQLError | null = null;

  constructor(limits: ResultLimits) {
    this.#limits = limits;
  }

  /** Starts over, for the next result of the same operation. */
  reset(): void {
    this.#fields = 0;
    this.#errors = 0;
    this.#exceeded = null;
  }

  /**
   * Counts a field, as several if it takes as long as they do. Returns false if the result exceeds a limit: the field
   * need not be resolved.
   */
  takeField(weight: number): boolean {
    this.#fields += weight;
    const { resultFields } = this.#limits;
    if (this.#fields > resultFields)
      this.#exceeded ??= limitError('fields of the result', resultFields, this.#fields);
    return this.#exceeded === null;
  }

  /** Counts the error of a field. Returns it, or once a limit is exceeded a shared error that costs next to nothing. */
  takeError(error: unknown): unknown {
    this.#errors += 1;
    const { resultErrors } = this.#limits;
    if (this.#errors > resultErrors)
      this.#exceeded ??= limitError('errors of the result', resultErrors, this.#errors);
    return this.#exceeded === null ? error : ABANDONED;
  }

  /** Returns the limit that a complete result exceeds, or null. */
  judge({ data, errors = [] }: ExecutionResult): GraphQLError | null {
    const { resultErrors, resultBytes } = this.#limits;
    if (this.#exceeded) return this.#exceeded;
    // Errors that no resolver throws, such as values that cannot be serialised, are only known at the end.
    if (errors.length > resultErrors) return limitError('errors of the result', resultErrors, errors.length);
    const bytes = jsonBytes([data, errors.map(({ message, path }) => [message, path])], resultBytes);
    return bytes > resultBytes ? limitError('bytes of the result', resultBytes, bytes) : null;
  }
}

/** Stands for every field that is not resolved any more. It has a path, so that graphql does not make a copy for each. */
export const ABANDONED = new GraphQLError('The operation was abandoned.', { path: [] });
