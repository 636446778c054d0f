import {
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  getOperationAST,
  getVariableValues,
  GraphQLError,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isIntrospectionType,
  isListType,
  isObjectType,
  isInterfaceType,
  Kind,
  OperationTypeNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type ExecutionArgs,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { DocumentLimits } from '../../config/document-limits.ts';
import type { OperationContext } from '../../context.ts';
import { addArguments, type ArgumentSize } from '../../engine/argument-size.ts';
import { countOf, shownBelow, type ShownElements } from '../../engine/introspection.ts';
import { limitError } from '../../engine/limit-error.ts';
import { planField, type Bill, type Holding } from '../../schema/cost.ts';

/** The limits of what is estimated. */
export type EstimateLimits = Pick<
  DocumentLimits,
  'cost' | 'listIds' | 'ids' | 'argumentValues' | 'estimatedFields' | 'resultFields'
>;

/** What is to be executed, before it is. */
export type Planned = Pick<ExecutionArgs, 'schema' | 'document' | 'operationName' | 'variableValues'> & {
  readonly context: OperationContext;
  readonly limits: EstimateLimits;
};

/** What an operation is estimated to take. */
export interface Estimate {
  /** Most calls to the service, while the service holds still and answers. */
  readonly calls: number;
  /** Fields of the result: rows times selected fields. Lists within a record count as one element, introspection as none. */
  readonly fields: number;
}

/**
 * Estimates what an operation takes, from its fields and their real arguments. Returns null for an operation that
 * cannot be executed: there is none of that name, or its variables do not fit.
 *
 * @throws GraphQLError `LIMIT_EXCEEDED` if it exceeds a limit.
 */
export function estimate(planned: Planned): Estimate | null {
  const { schema, document, operationName, variableValues, context, limits } = planned;
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation);
  if (!operation || !root) return null;
  const variables = variablesOf(operation, { schema, variableValues });
  if (!variables) return null;
  const tally = createTally(limits, operation.operation);
  const walk: Walk = { schema, variables, fragments: fragmentsOf(document), context, tally };
  visit(walk, operation.selectionSet, { type: root, holdings: [], place: '', rows: 1, shown: null });
  const { calls, fields } = tally;
  const sum = [...calls.values()].reduce((total, count) => total + count, 0);
  check('estimated calls to the service', limits.cost, sum);
  check('estimated fields of the result', limits.estimatedFields, fields);
  return { calls: sum, fields };
}

function check(what: string, allowed: number, found: number): void {
  if (found > allowed) throw limitError(what, allowed, found);
}

function variablesOf(
  operation: OperationDefinitionNode,
  { schema, variableValues }: Pick<Planned, 'schema' | 'variableValues'>,
) {
  const definitions = operation.variableDefinitions ?? [];
  return getVariableValues(schema, definitions, variableValues ?? {}, { maxErrors: 1 }).coerced;
}

function fragmentsOf({ definitions }: ExecutionArgs['document']): Walk['fragments'] {
  return new Map(
    definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
}

/** What has been counted so far. */
interface Tally extends Bill {
  readonly calls: ReadonlyMap<string, number>;
  fields: number;
  /** Counts the arguments of a field. Throws a GraphQLError if those of the operation exceed a limit. */
  addArguments(declared: Field['args'], given: Readonly<Record<string, unknown>>): void;
  /** Counts fields of introspection, which are known exactly. Throws a GraphQLError once there are too many. */
  addIntrospected(fields: number): void;
}

function createTally(limits: EstimateLimits, kind: OperationTypeNode): Tally {
  const calls = new Map<string, number>();
  const size: ArgumentSize = { values: 0, ids: 0, longestIdList: 0 };
  let introspected = 0;
  return {
    calls,
    fields: 0,
    add: (name, count) => void calls.set(name, Math.max(count, calls.get(name) ?? 0)),
    addArguments(declared, given) {
      addArguments(size, declared, given);
      check('ids in one argument', limits.listIds, size.longestIdList);
      // The ids of a write travel in one call; its input has a limit for each list.
      if (kind !== OperationTypeNode.MUTATION) check('ids in all arguments', limits.ids, size.ids);
      check('values in all arguments', limits.argumentValues, size.values);
    },
    addIntrospected(fields) {
      introspected += fields;
      check('fields of the result', limits.resultFields, introspected);
    },
  };
}

interface Walk {
  readonly schema: ExecutionArgs['schema'];
  readonly variables: Readonly<Record<string, unknown>>;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly context: OperationContext;
  readonly tally: Tally;
}

/** What a selection selects from. */
interface Here {
  readonly type: GraphQLNamedType;
  readonly holdings: readonly Holding[];
  readonly place: string;
  /** How many objects the result has here. */
  readonly rows: number;
  /** What introspection shows here; null outside of it. */
  readonly shown: ShownElements | null;
}

function visit(walk: Walk, { selections }: SelectionSetNode, here: Here): void {
  for (const selection of selections) {
    if (!isSelected(walk, selection)) continue;
    if (selection.kind === Kind.FIELD) {
      visitField(walk, selection, here);
      continue;
    }
    const fragment =
      selection.kind === Kind.INLINE_FRAGMENT ? selection : walk.fragments.get(selection.name.value);
    if (!fragment) continue;
    const condition = fragment.typeCondition && walk.schema.getType(fragment.typeCondition.name.value);
    visit(walk, fragment.selectionSet, condition ? narrowed(here, condition) : here);
  }
}

// Records of several types may stand in one place, as below `nodes`.
function narrowed(here: Here, type: GraphQLNamedType): Here {
  if (!isInterfaceType(here.type) || !isObjectType(type)) return { ...here, type };
  const holdings = here.holdings.filter((one) => one.type === type.name);
  return { ...here, type, holdings, rows: rowsOf(holdings) };
}

function rowsOf(holdings: readonly Holding[]): number {
  return holdings.reduce((sum, { count }) => sum + count, 0);
}

function visitField(walk: Walk, node: FieldNode, here: Here): void {
  if (here.shown) walk.tally.addIntrospected(here.rows);
  else walk.tally.fields += here.rows;
  const field = fieldOf(here.type, node.name.value);
  const args = field && argumentsOf(walk, field, node);
  // An argument that does not fit is an error before any call.
  if (!field || !args) return;
  walk.tally.addArguments(field.args, args);
  const type = getNamedType(field.type);
  const place = `${here.place}.${node.alias?.value ?? node.name.value}`;
  if (isIntrospectionType(type))
    return visitIntrospection(walk, node, { ...here, type, place }, { field, args });
  const { context, tally } = walk;
  const holdings = planField(field, { args, holdings: here.holdings, place, context, bill: tally });
  if (holdings === null || !node.selectionSet) return;
  // A connection is one object, however many records it holds; its lists are as long as the window.
  const rows = isListType(getNullableType(field.type)) ? Math.max(here.rows, rowsOf(holdings)) : here.rows;
  visit(walk, node.selectionSet, { type, holdings, place, rows, shown: null });
}

const ROOT: ShownElements = new Map([[null, 1]]);

function visitIntrospection(
  walk: Walk,
  node: FieldNode,
  here: Here,
  { field, args }: { readonly field: Field; readonly args: Readonly<Record<string, unknown>> },
): void {
  if (!node.selectionSet) return;
  const shown = shownBelow(walk.schema, field, { args, above: here.shown ?? ROOT });
  visit(walk, node.selectionSet, { ...here, shown, rows: countOf(shown) });
}

type Field = GraphQLField<unknown, unknown>;

const NO_ARGUMENTS: Record<string, unknown> = Object.freeze({});

function argumentsOf({ variables }: Walk, field: Field, node: FieldNode): Record<string, unknown> | null {
  if (field.args.length === 0) return NO_ARGUMENTS;
  try {
    return getArgumentValues(field, node, variables);
  } catch (error) {
    if (error instanceof GraphQLError) return null;
    throw error;
  }
}

const META_FIELDS: Readonly<Record<string, Field>> = {
  __schema: SchemaMetaFieldDef,
  __type: TypeMetaFieldDef,
  __typename: TypeNameMetaFieldDef,
};

function fieldOf(type: GraphQLNamedType, name: string): Field | undefined {
  if (name.startsWith('__')) return META_FIELDS[name];
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}

function isSelected({ variables }: Walk, node: SelectionNode): boolean {
  if (!node.directives?.length) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variables);
  const include = getDirectiveValues(GraphQLIncludeDirective, node, variables);
  return skip?.['if'] !== true && include?.['if'] !== false;
}
