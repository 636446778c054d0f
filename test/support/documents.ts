import * as fc from 'fast-check';
import {
  getNamedType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql';
import { schema } from '../../src/schema/index.ts';
import { globalId } from './calls.ts';

/** A valid operation, with the variables that it declares. */
interface GeneratedOperation {
  readonly query: string;
  readonly variables: Record<string, unknown>;
}

/** How large generated operations grow. */
interface Bounds {
  readonly depth: number;
  readonly width: number;
}

const ACCOUNT_IDS = ['410201', '410202', '410204'].flatMap((rawId) =>
  ['c', 'l'].map((side) => Buffer.from(`1a${side}:${rawId}`).toString('base64url')),
);
const OTHER_IDS = [
  globalId('QueuedPost', '1'),
  globalId('LibraryItem', 'aee12e14a673f2b630763463'),
  globalId('AccountGroup', '5103'),
];

const anId = () => fc.constantFrom(...ACCOUNT_IDS, ...OTHER_IDS);

const someIds = () => fc.array(anId(), { maxLength: 8 });

/** Generates valid queries of this graph: fields, aliases, fragments, windows, ids, by literal and by variable. */
export function generateOperation(
  g: fc.GeneratorValue,
  bounds: Bounds = { depth: 6, width: 4 },
): GeneratedOperation {
  const query = schema.getQueryType();
  if (!query) throw new Error('the graph has no queries');
  const maker = new Maker(g, bounds);
  const selection = maker.selectionOf(query, 0);
  const declared = maker.declarations.length > 0 ? `(${maker.declarations.join(', ')})` : '';
  return { query: `query ${declared} ${selection} ${maker.fragments.join(' ')}`, variables: maker.variables };
}

class Maker {
  readonly declarations: string[] = [];
  readonly variables: Record<string, unknown> = {};
  readonly fragments: string[] = [];
  private count = 0;
  private readonly g: fc.GeneratorValue;
  private readonly bounds: Bounds;

  constructor(g: fc.GeneratorValue, bounds: Bounds) {
    this.g = g;
    this.bounds = bounds;
  }

  selectionOf(type: GraphQLObjectType, depth: number): string {
    const fields = type.getFields();
    const usable = Object.values(fields).flatMap((field) =>
      this.isUsable(field, depth) ? [field.name] : [],
    );
    if (usable.length === 0) return '{ __typename }';
    const most = Math.min(this.bounds.width, usable.length);
    const chosen = this.g(fc.subarray<string>, usable, { minLength: 1, maxLength: most });
    const selection = `{ ${chosen.map((name) => this.fieldOf(fields[name], depth)).join(' ')} }`;
    const form = this.g(fc.nat, { max: 9 });
    if (form === 0) return `{ ... on ${type.name} ${selection} }`;
    if (form > 1) return selection;
    const name = `F${(this.count += 1)}`;
    this.fragments.push(`fragment ${name} on ${type.name} ${selection}`);
    return `{ ...${name} }`;
  }

  private isUsable({ args, type }: GraphQLField<unknown, unknown>, depth: number): boolean {
    if (depth + 1 >= this.bounds.depth && !isLeafType(getNamedType(type))) return false;
    return args.every((arg) => !isNonNullType(arg.type) || ['id', 'ids', 'key'].includes(arg.name));
  }

  private fieldOf(field: GraphQLField<unknown, unknown> | undefined, depth: number): string {
    if (!field) return '';
    const isRenamed = field.args.length > 0 || this.g(fc.nat, { max: 9 }) === 0;
    const alias = isRenamed ? `a${(this.count += 1)}: ` : '';
    const inner = getNamedType(field.type);
    const selection = isObjectType(inner)
      ? ` ${this.selectionOf(inner, depth + 1)}`
      : isInterfaceType(inner)
        ? ' { id }'
        : '';
    return `${alias}${field.name}${this.argumentsOf(field.args)}${selection}`;
  }

  private argumentsOf(args: readonly GraphQLArgument[]): string {
    const given = args.flatMap((arg) => {
      const value = this.valueOf(arg);
      return value === undefined ? [] : [`${arg.name}: ${this.written(arg, value)}`];
    });
    return given.length > 0 ? `(${given.join(', ')})` : '';
  }

  private valueOf(arg: GraphQLArgument): unknown {
    if (arg.name === 'first') return this.g(fc.integer, { min: 1, max: 60 });
    if (arg.name === 'key') return 'Team Members';
    if (arg.name === 'id') return this.g(anId);
    if (arg.name !== 'ids') return undefined;
    return this.g(someIds);
  }

  private written(arg: GraphQLArgument, value: unknown): string {
    if (this.g(fc.boolean) && !isListType(arg.type)) return JSON.stringify(value);
    const name = `v${(this.count += 1)}`;
    this.declarations.push(`$${name}: ${String(arg.type)}`);
    this.variables[name] = value;
    return `$${name}`;
  }
}

/** Words that a document is made of, with some that should not be there. */
const WORDS = [
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  ':',
  '=',
  '!',
  '|',
  '&',
  '$',
  '@',
  '...',
  '"',
  '"""',
  '#',
  ',',
  '\\',
  '\u0000',

  'query',
  'mutation',
  'subscription',
  'fragment',
  'on',
  'true',
  'null',
  '1e400',
  '-0',
  '0x1',
  '\ufeff',
  '\ud800',

  '__schema',
  '__type',
  '__typename',
  '__proto__',
  'constructor',
  'accounts',
  'nodes',
  'first',
  'id',
  'Query',

  '@include(if: true)',
  '$v: [[Int!]!]',
  '{ a }',
  '...F',
  '"\\u{110000}"',
  '"\\uD83D"',
  '/* x */',
  '\u202e',
  '😀',
] as const;

/** A hostile document, and how it was made. */
interface HostileDocument {
  readonly made: 'by grammar' | 'by mutation' | 'by flipped bits' | 'by words';
  readonly query: string;
}

/** Documents that nobody should send: of words at random, valid ones with parts cut, doubled or swapped, bits flipped. */
export const hostileDocument: fc.Arbitrary<HostileDocument> = fc.gen().map((g): HostileDocument => {
  const made = g(() => fc.constantFrom('by grammar', 'by mutation', 'by flipped bits', 'by words'));
  if (made === 'by words') return { made, query: g(someWords).join(g(aSpace)) };
  if (made === 'by grammar') return { made, query: nestedDocument(g) };
  const { query } = generateOperation(g, { depth: 5, width: 3 });
  return { made, query: made === 'by mutation' ? mutated(g, query) : flipped(g, query) };
});

const someWords = () => fc.array(fc.constantFrom(...WORDS), { maxLength: 40 });
const aSpace = () => fc.constantFrom(' ', '', '\n');
const nestings = () =>
  fc.constantFrom<readonly [string, string]>(
    ['{ a ', ' }'],
    ['{ accounts { nodes ', ' } }'],
    ['{ ... on Query ', ' }'],
    ['{ a(b: [', ']) }'],
    ['{ a(b: {c: ', '}) }'],
    ['query ($v: [', ']) { a }'],
    ['{ ...F } fragment F on Query ', ''],
  );
const aNumber = () => fc.nat({ max: 80 });

function nestedDocument(g: fc.GeneratorValue): string {
  const [open, close] = g(nestings);
  const depth = g(aNumber);
  return open.repeat(depth) + g(someWords).join(' ') + close.repeat(g(fc.boolean) ? depth : g(aNumber));
}

function mutated(g: fc.GeneratorValue, text: string): string {
  const at = (): number => g(fc.nat, { max: text.length });
  const [one, other] = [at(), at()].toSorted((a, b) => a - b) as [number, number];
  const part = text.slice(one, other);
  switch (g(fc.nat, { max: 3 })) {
    case 0:
      return text.slice(0, one) + text.slice(other);
    case 1:
      return text.slice(0, other) + part.repeat(g(aNumber)) + text.slice(other);
    case 2:
      return text.slice(other) + part + text.slice(0, one);
    default:
      return text.slice(0, one) + g(someWords).join(' ') + text.slice(one);
  }
}

function flipped(g: fc.GeneratorValue, text: string): string {
  const bytes = Buffer.from(text);
  for (let times = g(fc.nat, { max: 8 }); times >= 0; times -= 1) {
    const at = g(fc.nat, { max: bytes.length - 1 });
    bytes[at] = (bytes[at] ?? 0) ^ (1 << g(fc.nat, { max: 7 }));
  }
  return bytes.toString();
}
