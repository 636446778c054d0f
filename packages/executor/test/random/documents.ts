import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  OperationTypeNode,
  parse,
  validate,
  type DocumentNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { literal, rawValue, valueLiteral, type VariableFor } from './inputs.ts';
import { Random } from './random.ts';

/** A random operation and the variables of two requests for it. */
export interface RandomOperation {
  readonly source: string;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: readonly (Record<string, unknown> | undefined)[];
}

/**
 * Makes a random operation. Nearly all are valid; one in a hundred is left as it is where it is not, because an executor
 * must not fail in a way of its own then.
 */
export function randomOperation(schema: GraphQLSchema, seed: string): RandomOperation {
  for (let attempt = 0; ; attempt += 1) {
    const random = new Random(`${seed}/${attempt}`);
    const writer = new DocumentWriter(schema, random);
    const source = writer.write();
    const document = parse(source);
    const isValid = validate(schema, document, undefined, { maxErrors: 1 }).length === 0;
    if (!isValid && attempt < 40 && !random.chance(0.01)) continue;
    const { operationName } = writer;
    return { source, document, operationName, variables: [writer.variables(), writer.variables()] };
  }
}

class DocumentWriter {
  operationName: string | undefined;
  private readonly declared = new Map<string, { readonly type: GraphQLInputType; readonly text: string }>();
  private readonly fragments = new Map<string, { readonly on: string; readonly text: string }>();
  /** Arguments by response name, so that equal names stand for equal fields. */
  private readonly aliases = new Map<string, string>();
  /** Selections that the document may still have; then it is brought to its end. */
  private budget: number;
  private readonly schema: GraphQLSchema;
  private readonly random: Random;

  constructor(schema: GraphQLSchema, random: Random) {
    this.schema = schema;
    this.random = random;
    this.budget = 4 + random.below(40);
  }

  write(): string {
    const { random, schema } = this;
    const { QUERY, MUTATION, SUBSCRIPTION } = OperationTypeNode;
    const wanted = random.chance(0.75) ? QUERY : random.chance(0.7) ? MUTATION : SUBSCRIPTION;
    const word = schema.getRootType(wanted) ? wanted : QUERY;
    const root = schema.getRootType(word);
    if (!root) throw new Error('the schema has no queries');
    const selection = this.selection(root, 1 + random.below(5), word !== SUBSCRIPTION);
    const others = random.chance(0.1) ? ' query Other { __typename }' : '';
    const name = others || random.chance(0.5) ? 'Main' : '';
    this.operationName = others || random.chance(0.3) ? name || undefined : undefined;
    if (random.chance(0.02)) this.operationName = random.pick(['Nobody', undefined]);
    const declared = [...this.declared.values()].map(({ text }) => text).join(', ');
    const fragments = [...this.fragments].map(([key, { on, text }]) => ` fragment ${key} on ${on} ${text}`);
    return `${word} ${name}${declared ? `(${declared})` : ''} ${selection}${others}${fragments.join('')}`;
  }

  /** Variables of one request: given, left out, null or wrong. */
  variables(): Record<string, unknown> | undefined {
    const { random } = this;
    if (random.chance(0.02)) return undefined;
    const damage = random.pick([0, 0, 0, 0.05]);
    const values: Record<string, unknown> = {};
    for (const [name, { type, text }] of this.declared) {
      const isOptional = !isNonNullType(type) || text.includes('=');
      if (random.chance(isOptional ? 0.25 : 0.01)) continue;
      if (random.chance(isOptional ? 0.1 : 0.01)) values[name] = null;
      else values[name] = rawValue(random, type, damage);
    }
    return values;
  }

  /** A selection of a type; only where it is free may it have several fields, and directives. */
  private selection(type: GraphQLCompositeType, depth: number, isFree = true): string {
    const count = isFree && this.budget > 0 ? 1 + this.random.below(6) : 1;
    this.budget -= count;
    const parts = Array.from({ length: count }, () => this.part(type, depth, isFree));
    return `{ ${parts.join(' ')} }`;
  }

  private part(type: GraphQLCompositeType, depth: number, isFree: boolean): string {
    const { random } = this;
    const choice = random.next();
    if (!isFree) return this.field(type, depth, isFree);
    if (choice < 0.06) return `${random.pick(['', '', 'kind: '])}__typename${this.directives()}`;
    if (this.budget < 0) return this.field(type, depth, isFree);
    if (choice < 0.18) return this.inlineFragment(type, depth);
    if (choice < 0.3) return this.fragmentSpread(type, depth);
    if (type === this.schema.getQueryType() && choice < 0.33) return this.introspection();
    return this.field(type, depth, isFree);
  }

  private introspection(): string {
    const { random } = this;
    const [types, directives] = [
      'types { name kind fields { name } }',
      'directives { name args { name type { name ofType { name } } } }',
    ];
    const type = random.pick(['Query', 'Node', 'Nothing', 'String']);
    return random.chance(0.5)
      ? `__schema { queryType { name } ${random.chance(0.1) ? types : directives} }`
      : `${random.chance(0.3) ? 'own: ' : ''}__type(name: "${type}") { name kind interfaces { name } possibleTypes { name } }`;
  }

  private inlineFragment(type: GraphQLCompositeType, depth: number): string {
    const target = this.random.chance(0.3) ? type : this.overlapping(type);
    const condition = target === type && this.random.chance(0.5) ? '' : ` on ${target.name}`;
    return `...${condition}${this.directives()} ${this.selection(target, depth)}`;
  }

  private fragmentSpread(type: GraphQLCompositeType, depth: number): string {
    const { random } = this;
    const usable = [...this.fragments].filter(([, { on, text }]) => text !== '' && this.overlaps(type, on));
    if (usable.length > 0 && random.chance(0.5)) return `...${random.pick(usable)[0]}${this.directives()}`;
    const target = random.chance(0.5) ? type : this.overlapping(type);
    const name = `F${this.fragments.size}`;
    // Without a text until it is finished, so that it cannot spread itself.
    this.fragments.set(name, { on: target.name, text: '' });
    this.fragments.set(name, { on: target.name, text: this.selection(target, depth) });
    return `...${name}${this.directives()}`;
  }

  /** A type that a value of the given type may be of. */
  private overlapping(type: GraphQLCompositeType): GraphQLCompositeType {
    const types = Object.values(this.schema.getTypeMap()).filter(isCompositeType);
    return this.random.pick(types.filter(({ name }) => !name.startsWith('__') && this.overlaps(type, name)));
  }

  private overlaps(type: GraphQLCompositeType, name: string): boolean {
    const other = this.schema.getType(name);
    const possible = this.possible(type);
    return isCompositeType(other) && this.possible(other).some((one) => possible.includes(one));
  }

  private possible(type: GraphQLCompositeType): readonly GraphQLObjectType[] {
    return isAbstractType(type) ? this.schema.getPossibleTypes(type) : [type];
  }

  private field(type: GraphQLCompositeType, depth: number, isFree: boolean): string {
    const { random } = this;
    if (!isObjectType(type) && !isInterfaceType(type)) return '__typename';
    const fields = Object.values(type.getFields());
    const leaves = fields.filter((field) => isLeafType(getNamedType(field.type)));
    const canGoOn = depth > 0 && this.budget > 0;
    const field = random.pick(canGoOn || leaves.length === 0 ? fields : leaves);
    const of = getNamedType(field.type);
    const [key, args] = this.keyed(type, field);
    if (isCompositeType(of) && !canGoOn) return isFree ? '__typename' : `${field.name}${args} { __typename }`;
    const selection = isCompositeType(of) ? ` ${this.selection(of, depth - 1)}` : '';
    const directives = isFree ? this.directives() : '';
    return `${key === field.name ? '' : `${key}: `}${field.name}${args}${directives}${selection}`;
  }

  /** A response name and arguments: the name of one with the same name at another place has the same arguments. */
  private keyed(type: GraphQLCompositeType, field: GraphQLField<unknown, unknown>): [string, string] {
    const { random } = this;
    const odd = random.chance(0.02) ? random.pick(['__proto__', 'constructor', 'toString', 'then']) : null;
    const key = odd ?? (random.chance(0.25) ? `${field.name}_${random.below(2)}` : field.name);
    const place = `${type.name}.${field.name} as ${key}`;
    const args = this.aliases.get(place) ?? this.argumentsOf(field);
    this.aliases.set(place, args);
    return [key, args];
  }

  private argumentsOf(field: GraphQLField<unknown, unknown>): string {
    const given = field.args.flatMap(({ name, type, defaultValue }) => {
      const isRequired = isNonNullType(type) && defaultValue === undefined;
      if (!isRequired && this.random.chance(0.45)) return [];
      return [`${name}: ${this.argument(type, defaultValue !== undefined)}`];
    });
    return given.length > 0 ? `(${given.join(', ')})` : '';
  }

  private argument(type: GraphQLInputType, hasDefault: boolean): string {
    const { random } = this;
    if (random.chance(0.35)) return this.variable(type, hasDefault);
    const nested: VariableFor = (of) => (random.chance(0.12) ? this.variable(of, false) : null);
    return literal(random, type, nested);
  }

  private variable(type: GraphQLInputType, hasDefault: boolean): string {
    const { random } = this;
    const known = [...this.declared].filter(([, one]) => String(one.type) === String(type));
    if (known.length > 0 && random.chance(0.4)) return `$${random.pick(known)[0]}`;
    const name = random.chance(0.02) ? '__proto__' : `v${this.declared.size}`;
    if (this.declared.has(name)) return `$${name}`;
    const inner = isNonNullType(type) ? type.ofType : type;
    const isNullable = hasDefault || !isNonNullType(type) ? random.chance(0.7) : random.chance(0.3);
    // A nullable variable fits a non-null place only if one of the two has a default.
    const needsDefault = isNullable && isNonNullType(type) && !hasDefault;
    const fallback =
      needsDefault || random.chance(0.3) ? ` = ${valueLiteral(random, inner, () => null)}` : '';
    this.declared.set(name, {
      type: isNullable ? inner : type,
      text: `$${name}: ${String(inner)}${isNullable ? '' : '!'}${fallback}`,
    });
    return `$${name}`;
  }

  private directives(): string {
    const { random } = this;
    if (random.chance(0.8)) return '';
    const names = random.chance(0.15) ? ['skip', 'include'] : [random.pick(['skip', 'include'])];
    return names.map((name) => ` @${name}(if: ${this.condition()})`).join('');
  }

  private condition(): string {
    const { random } = this;
    const boolean = this.schema.getDirective('skip')?.args[0]?.type;
    return random.chance(0.3) || !boolean ? String(random.chance(0.5)) : this.variable(boolean, false);
  }
}
