import { OperationTypeNode, type GraphQLSchema } from 'graphql';
import type { DocumentLimits } from '../config.ts';
import { addArguments, type ArgumentSize } from './limits/argument-size.ts';
import type { CostTally, ResultSet } from './cost.ts';
import type { FieldDefinition, FieldStep, SelectionPlan, Variables } from './estimate-plan.ts';
import { countOf, shownBelow, type ShownElements } from './limits/introspection.ts';
import { limitError } from './limits/limit-error.ts';

/** The estimated size of an operation. */
export interface Estimate {
  /** The maximum number of calls to the service, assuming that it responds and its lists do not change. */
  readonly calls: number;
  /** Fields of the result: rows times selected fields. Lists within a record count as one element. */
  readonly fields: number;
}

/** The inputs of an estimate. */
export interface EstimateOptions {
  readonly schema: GraphQLSchema;
  readonly kind: OperationTypeNode;
  readonly limits: DocumentLimits;
  readonly variables: Variables;
  readonly context: unknown;
}

/**
 * Estimates the size of an operation from its plan and its arguments.
 *
 * @throws GraphQLError `LIMIT_EXCEEDED` if it exceeds a limit.
 */
export function estimate(plan: SelectionPlan, options: EstimateOptions): Estimate {
  const walk = new Walk(options);
  walk.visit(plan, { sets: [], rows: 1, shown: null });
  return walk.total();
}

/** The parent of a selection. */
interface Parent {
  readonly sets: readonly ResultSet[];
  /** The number of objects at this position of the result. */
  readonly rows: number;
  /** The schema elements shown here; null outside introspection. */
  readonly shown: ShownElements | null;
}

const ROOT: ShownElements = new Map([[null, 1]]);

/** One estimate in progress: everything counted so far. */
class Walk implements CostTally {
  private readonly options: EstimateOptions;
  private readonly calls = new Map<string, number>();
  private readonly size: ArgumentSize = { values: 0, ids: 0, longestIdList: 0 };
  private fields = 0;
  private introspected = 0;
  /** Position of the write being walked, as records are read again after each write; null in a query. */
  private write: string | null = null;

  constructor(options: EstimateOptions) {
    this.options = options;
  }

  add(name: string, calls: number): void {
    const shared = this.write === null ? name : `${this.write} ${name}`;
    const known = this.calls.get(shared);
    if (known === undefined || known < calls) this.calls.set(shared, calls);
  }

  visit({ plainFields, steps }: SelectionPlan, parent: Parent): void {
    this.addFields(parent, plainFields);
    for (const step of steps) {
      if (!step.includes(this.options.variables)) continue;
      if ('field' in step) this.visitField(step, parent);
      else this.visit(step.below, step.narrowedTo === null ? parent : narrowed(parent, step.narrowedTo));
    }
  }

  total(): Estimate {
    const { limits } = this.options;
    let calls = 0;
    for (const count of this.calls.values()) calls += count;
    check('estimated calls to the service', limits.cost, calls);
    check('estimated fields of the result', limits.estimatedFields, this.fields);
    return { calls, fields: this.fields };
  }

  private visitField(step: FieldStep, parent: Parent): void {
    this.addFields(parent, 1);
    if (step.isIntrospection && !parent.shown) this.addFields({ ...parent, shown: ROOT }, 1);
    const args = step.readArguments(this.options.variables);
    if (!args) return;
    const isWrite = this.options.kind === OperationTypeNode.MUTATION && isAtRoot(step);
    if (isWrite) this.write = step.place;
    this.addArguments(step.field, args, isWrite);
    if (step.isIntrospection) return this.visitIntrospection(step, args, parent);
    const planned = {
      args,
      sets: parent.sets,
      place: step.place,
      context: this.options.context,
      tally: this,
    };
    const shown = step.cost?.(planned);
    if (shown === null || !step.below) return;
    const sets = shown ?? parent.sets;
    // A connection is one object however many records it holds; its lists are as long as its page.
    const rows = step.isList ? Math.max(parent.rows, rowsOf(sets)) : parent.rows;
    this.visit(step.below, { sets, rows, shown: null });
  }

  private visitIntrospection(step: FieldStep, args: Readonly<Record<string, unknown>>, parent: Parent): void {
    if (!step.below) return;
    const shown = shownBelow(this.options.schema, step.field, { args, above: parent.shown ?? ROOT });
    this.visit(step.below, { sets: parent.sets, shown, rows: countOf(shown) });
  }

  private addFields({ rows, shown }: Parent, fields: number): void {
    if (!shown) {
      this.fields += rows * fields;
      return;
    }
    // The size of an introspection result is known exactly.
    this.introspected += rows * fields;
    check('fields of the result', this.options.limits.resultFields, this.introspected);
  }

  private addArguments(
    { args: declared }: FieldDefinition,
    given: Readonly<Record<string, unknown>>,
    isWrite: boolean,
  ): void {
    if (declared.length === 0) return;
    const { size } = this;
    const { limits } = this.options;
    const { ids } = size;
    addArguments(size, declared, given);
    check('ids in one argument', limits.listIds, size.longestIdList);
    // The ids of a write are sent in one call; its input has a limit for each list.
    if (isWrite) size.ids = ids;
    check('ids in all arguments', limits.ids, size.ids);
    check('values in all arguments', limits.argumentValues, size.values);
  }
}

function isAtRoot({ place }: FieldStep): boolean {
  return place.lastIndexOf('.') === 0;
}

// Records of several types may share a position, as below `nodes`.
function narrowed({ sets, shown }: Parent, type: string): Parent {
  const ofType = sets.filter((set) => set.type === type);
  return { sets: ofType, rows: rowsOf(ofType), shown };
}

function rowsOf(sets: readonly ResultSet[]): number {
  let rows = 0;
  for (const { count } of sets) rows += count;
  return rows;
}

function check(what: string, allowed: number, found: number): void {
  if (found > allowed) throw limitError(what, allowed, found);
}
