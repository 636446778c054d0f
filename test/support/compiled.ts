import { buildSchema, GraphQLObjectType, parse, type ExecutionResult, type GraphQLSchema } from 'graphql';
import { compile } from '../../packages/executor/src/compile.ts';
import type { CompileOptions } from '../../packages/executor/src/operation.ts';
import type { CompiledOperation } from '../../packages/executor/src/operation.ts';

type Resolvers = Readonly<Record<string, Readonly<Record<string, (...args: never[]) => unknown>>>>;

/** A schema with resolvers for some of its fields; `isTypeOf` and `resolveType` are taken for what they are. */
export function schemaOf(sdl: string, resolvers: Resolvers = {}): GraphQLSchema {
  const schema = buildSchema(sdl);
  for (const [typeName, fields] of Object.entries(resolvers)) {
    const type = schema.getType(typeName);
    for (const [name, resolve] of Object.entries(fields)) {
      const field = type instanceof GraphQLObjectType ? type.getFields()[name] : undefined;
      Object.assign(field ?? type ?? {}, field ? { resolve } : { [name]: resolve });
    }
  }
  return schema;
}

/** Compiles an operation that is known to be there. */
export function compiled(schema: GraphQLSchema, source: string, options?: CompileOptions): CompiledOperation {
  const operation = compile(schema, parse(source), options);
  if ('errors' in operation) throw new Error(operation.errors.join('\n'));
  return operation;
}

/** Compiles an operation and executes it once. */
export async function run(
  schema: GraphQLSchema,
  source: string,
  rootValue?: unknown,
  variableValues?: Record<string, unknown>,
): Promise<ExecutionResult> {
  return compiled(schema, source).execute({ rootValue, variableValues });
}
