import {
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';

/** A field of another type that gives or takes a type. */
export interface Use {
  readonly owner: string;
  readonly member: string;
}

/** The fields that have a type, or take it in an argument; those of a type that has it in itself are left out. */
export function usesOf(schema: GraphQLSchema, type: GraphQLNamedType): Use[] {
  return Object.values(schema.getTypeMap()).flatMap((owner) => {
    if (owner.name.startsWith('__') || owner === type) return [];
    return membersOf(owner)
      .filter(({ types }) => types.includes(type))
      .map(({ name }) => ({ owner: owner.name, member: name }));
  });
}

function membersOf(owner: GraphQLNamedType): { name: string; types: GraphQLNamedType[] }[] {
  if (isInputObjectType(owner))
    return Object.values(owner.getFields()).map(({ name, type }) => ({ name, types: [getNamedType(type)] }));
  if (!isObjectType(owner) && !isInterfaceType(owner)) return [];
  return Object.values(owner.getFields()).map(({ name, type, args }) => ({
    name,
    types: [getNamedType(type), ...args.map((argument) => getNamedType(argument.type))],
  }));
}
