import type { Field } from './field.ts';
import type { Path } from './path.ts';
import { isPromise } from './promise.ts';
import type { Run } from './run.ts';

/** A nullable field of an object in the result, whose value is in a row that is being loaded. */
export interface Gap {
  readonly field: Field;
  readonly result: Record<string, unknown>;
  readonly source: unknown;
  readonly path: Path | undefined;
}

/**
 * The gaps of one result. Objects do not wait for theirs, only the whole result does: hundreds of objects may have gaps
 * that a few rows fill, and each promise between them and the root would cost more than reading their fields.
 */
export class Gaps {
  readonly #run: Run;
  readonly #byRow = new Map<Promise<object | null>, Gap[]>();
  /** The number of rows and values that are still to come. */
  #awaited = 0;
  #onFilled: (() => void) | undefined;

  constructor(run: Run) {
    this.#run = run;
  }

  /** Fills a gap once its row has been loaded. */
  add(row: Promise<object | null>, gap: Gap): void {
    const known = this.#byRow.get(row);
    if (known) known.push(gap);
    else this.#load(row, [gap]);
  }

  #load(row: Promise<object | null>, gaps: Gap[]): void {
    this.#byRow.set(row, gaps);
    const fill = (loaded: object | null): void => {
      this.#byRow.delete(row);
      for (const gap of gaps) this.#fill(gap, loaded);
    };
    this.#await(row.then(fill, () => fill(null)));
  }

  /** Reads a field from its row; where that is not possible, resolves it. */
  #fill({ field, result, source, path }: Gap, row: object | null): void {
    let value = row ? field.accessIn(this.#run.plan.data.kindOf(row)).read?.(row) : undefined;
    if (value === undefined) value = field.execute(this.#run, source, path);
    result[field.key] = value;
    if (isPromise(value)) this.#await(value.then((resolved) => (result[field.key] = resolved)));
  }

  /** Waits for a promise, which rejects only if a limit has ended the execution. */
  #await(promise: Promise<unknown>): void {
    this.#awaited += 1;
    const arrived = (): void => {
      this.#awaited -= 1;
      if (this.#awaited === 0) this.#onFilled?.();
    };
    promise.then(arrived, arrived);
  }

  get areFilled(): boolean {
    return this.#awaited === 0;
  }

  /** Calls a function once no gap is left, at once or later. */
  whenFilled(then: () => void): void {
    if (this.areFilled) then();
    else this.#onFilled = then;
  }
}
