import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
} from 'graphql';
import { slugOf } from '../../../site/markdown.js';
import { groupsOf, type OperationGroup } from './operation-groups.ts';

/** The calls of the service that a type, or a mutation as `Mutation.name`, is made from. */
export type ServiceCalls = ReadonlyMap<string, ReadonlySet<string>>;

type Member = GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLArgument;

/** The kinds of types in the order of the index, with the heading of each. */
const KINDS: readonly (readonly [heading: string, has: (type: GraphQLNamedType) => boolean])[] = [
  ['Objects', (type) => isObjectType(type) && !/(?:Connection|Edge|Payload)$/.test(type.name)],
  ['Payloads', (type) => isObjectType(type) && type.name.endsWith('Payload')],
  ['Connections', (type) => isObjectType(type) && /(?:Connection|Edge)$/.test(type.name)],
  ['Inputs', isInputObjectType],
  ['Enums', isEnumType],
  ['Interfaces', isInterfaceType],
  ['Scalars', isScalarType],
];

const ROOTS = ['Query', 'Mutation', 'Subscription'];

/**
 * Renders the reference: one page for each type, and an index.
 *
 * @param schema The graph.
 * @param calls Where its records come from.
 * @returns The text of each page by its file name.
 */
export function renderReference(schema: GraphQLSchema, calls: ServiceCalls): ReadonlyMap<string, string> {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type),
  );
  const pages = new Map([['README.md', indexPage(schema, types)]]);
  for (const type of types) {
    const sections = ROOTS.includes(type.name)
      ? [
          `# ${type.name}`,
          textOf(type),
          ...groupsOf(type).flatMap((group) => groupSection(group, type, calls)),
        ]
      : [...typeSections(type), ...usesSection(schema, type), ...callsSection(calls.get(type.name))];
    pages.set(`${type.name}.md`, page(sections));
  }
  return pages;
}

const page = (sections: readonly string[]): string => `${sections.filter(Boolean).join('\n\n')}\n`;

function indexPage(schema: GraphQLSchema, types: readonly GraphQLNamedType[]): string {
  const sections = [
    '# Reference',
    'Every operation and type of the graph, one page for each type. These pages are generated from the schema; [schema.graphql](../../schema.graphql) is the same for programs. [Service fields](../service-fields.md) shows which field of the service each field comes from.',
    textOf({ description: schema.description }),
  ];
  for (const name of ROOTS) {
    const root = schema.getType(name);
    if (!isObjectType(root)) continue;
    sections.push(`## ${name}`);
    for (const { heading, fields } of groupsOf(root)) {
      const links = fields.map(
        (field) => `- [${field.name}](${name}.md#${slugOf(field.name)}): ${summaryOf(field)}`,
      );
      sections.push(`**${heading}**`, links.join('\n'));
    }
  }
  const others = types.filter(({ name }) => !ROOTS.includes(name));
  for (const [heading, has] of KINDS) {
    const rows = others.filter(has).map((type) => `- [${type.name}](${type.name}.md): ${summaryOf(type)}`);
    sections.push(`## ${heading}`, rows.join('\n'));
  }
  return page(sections);
}

function groupSection(
  { heading, fields }: OperationGroup,
  { name }: GraphQLNamedType,
  calls: ServiceCalls,
): string[] {
  return [
    `## ${heading}`,
    ...fields.flatMap((field) => [...memberSections(field), callsLine(calls.get(`${name}.${field.name}`))]),
  ];
}

function typeSections(type: GraphQLNamedType): string[] {
  const sections = [`# ${type.name}`, kindLine(type), textOf(type)];
  if (isEnumType(type))
    return [
      ...sections,
      '## Values',
      ...type.getValues().flatMap((value) => [`### ${value.name}`, textOf(value)]),
    ];
  if (isScalarType(type))
    return [...sections, type.specifiedByURL ? `Specified by <${type.specifiedByURL}>.` : ''];
  return [...sections, '## Fields', ...membersOf(type).flatMap(memberSections)];
}

function kindLine(type: GraphQLNamedType): string {
  if (isInputObjectType(type)) return '*Input*';
  if (isEnumType(type)) return '*Enum*';
  if (isScalarType(type)) return type.name === 'JSON' ? '*Scalar*' : '*Scalar, a string in JSON*';
  if (isInterfaceType(type)) return '*Interface*';
  const interfaces = isObjectType(type) ? type.getInterfaces() : [];
  return interfaces.length === 0
    ? '*Object*'
    : `*Object, implements ${interfaces.map(linkTo).join(' and ')}*`;
}

function memberSections(member: Member): string[] {
  const list = 'args' in member ? member.args.map((argument) => argumentLine(argument)) : [];
  return [
    `### ${member.name}`,
    `Type: ${typeText(member.type)}${defaultText(member)}`,
    textOf(member),
    list.length === 0 ? '' : `Arguments:\n\n${list.join('\n')}`,
  ];
}

const argumentLine = (argument: GraphQLArgument): string =>
  `- \`${argument.name}\` (${typeText(argument.type)}${defaultText(argument)}): ${textOf(argument).replaceAll(/\s*\n\s*/g, ' ')}`;

function defaultText(member: Member): string {
  const value = 'defaultValue' in member ? member.defaultValue : undefined;
  return value === undefined ? '' : `, default \`${JSON.stringify(value)}\``;
}

/** A type as GraphQL writes it, with a link to its page. */
function typeText(type: GraphQLType): string {
  if (isNonNullType(type)) return `${typeText(type.ofType)}!`;
  if (isListType(type)) return `\\[${typeText(type.ofType)}\\]`;
  return isSpecifiedScalarType(type) ? `\`${type.name}\`` : linkTo(getNamedType(type));
}

const linkTo = ({ name }: { readonly name: string }): string => `[${name}](${name}.md)`;

interface Described {
  readonly description?: string | null | undefined;
  readonly deprecationReason?: string | null | undefined;
}

/** A description as it stands in the schema, after what it is deprecated for. */
function textOf({ description, deprecationReason }: Described): string {
  const deprecated = deprecationReason == null ? [] : [`**Deprecated.** ${deprecationReason}`];
  return [...deprecated, description ?? ''].join('\n\n');
}

/** The first sentence of a description. */
function summaryOf(described: Described): string {
  const [first = ''] = (described.description ?? '').replaceAll(/\s+/g, ' ').split(/(?<=[.!?])\s(?=[A-Z`*])/);
  return described.deprecationReason == null ? first : `(deprecated) ${first}`;
}

/** The fields that have a type, or take it in an argument; those of a type that has it in itself are left out. */
function usesSection(schema: GraphQLSchema, type: GraphQLNamedType): string[] {
  const links = Object.values(schema.getTypeMap()).flatMap((owner) => {
    if (owner.name.startsWith('__') || owner === type) return [];
    const members = membersOf(owner).filter((member) => typesOf(member).includes(type));
    return members.map(({ name }) => `- [${owner.name}.${name}](${owner.name}.md#${slugOf(name)})`);
  });
  return links.length === 0 ? [] : ['## Used by', links.join('\n')];
}

function membersOf(type: GraphQLNamedType): readonly Member[] {
  const hasFields = isObjectType(type) || isInputObjectType(type) || isInterfaceType(type);
  return hasFields ? Object.values<Member>(type.getFields()) : [];
}

/** The types of a field and of its arguments. */
function typesOf(member: Member): GraphQLNamedType[] {
  const all = [member, ...('args' in member ? member.args : [])];
  return all.map(({ type }) => getNamedType(type));
}

function callsSection(calls: ReadonlySet<string> | undefined): string[] {
  return calls === undefined ? [] : ['## Calls to the service', callsLine(calls)];
}

function callsLine(calls: ReadonlySet<string> | undefined): string {
  if (calls === undefined) return '';
  const links = [...calls].map((call) => `[${call}](../service-fields.md#${slugOf(call)})`);
  return `From the service’s ${links.join(', ')}.`;
}
