import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { literal, rawValue, valueLiteral } from './inputs.mjs';
import { Random } from './random.mjs';

/** @import { DocumentNode, GraphQLCompositeType, GraphQLField, GraphQLInputType, GraphQLObjectType, GraphQLSchema } from 'graphql' */

/**
 * A random operation and the variables of two requests for it.
 *
 * @typedef {object} RandomOperation
 * @property {string} source
 * @property {DocumentNode} document
 * @property {boolean} isValid
 * @property {string | undefined} operationName
 * @property {readonly (Record<string, unknown> | undefined)[]} variables
 */

/**
 * Makes a random operation. Nearly all are valid; one in thirty is left as it is where it is not, because an executor must
 * not fail in a way of its own then.
 *
 * @param {GraphQLSchema} schema
 * @param {string} seed
 * @returns {RandomOperation}
 */
export function randomOperation(schema, seed) {
  for (let attempt = 0; ; attempt += 1) {
    const random = new Random(`${seed}/${attempt}`);
    const writer = new DocumentWriter(schema, random);
    const source = writer.write();
    const document = parse(source);
    const isValid = validate(schema, document, specifiedRules, { maxErrors: 1 }).length === 0;
    if (!isValid && attempt < 40 && !random.chance(0.01)) continue;
    const operationName = writer.operationName;
    return { source, document, isValid, operationName, variables: [writer.variables(), writer.variables()] };
  }
}

/** @typedef {{ readonly type: GraphQLInputType; readonly fallback: string }} Variable */

class DocumentWriter {
  constructor(/** @type {GraphQLSchema} */ schema, /** @type {Random} */ random) {
    this.schema = schema;
    this.random = random;
    /** @type {Map<string, { type: GraphQLInputType, text: string }>} */
    this.declared = new Map();
    /** @type {Map<string, { on: string, text: string }>} */
    this.fragments = new Map();
    /** Arguments by response name, so that equal names stand for equal fields. @type {Map<string, string>} */
    this.aliases = new Map();
    /** @type {string | undefined} */
    this.operationName = undefined;
    /** Selections that the document may still have; then it is brought to its end. */
    this.budget = 4 + random.below(40);
  }

  /** The document's text. */
  write() {
    const { random } = this;
    const roots = [
      this.schema.getQueryType(),
      this.schema.getMutationType(),
      this.schema.getSubscriptionType(),
    ];
    const kind = random.chance(0.75) ? 0 : random.chance(0.7) ? 1 : 2;
    const root = roots[kind] ?? /** @type {GraphQLObjectType} */ (roots[0]);
    const word = roots[kind] ? ['query', 'mutation', 'subscription'][kind] : 'query';
    const selection = this.selection(root, 1 + random.below(5), word !== 'subscription');
    const others = random.chance(0.1) ? ' query Other { __typename }' : '';
    const name = others || random.chance(0.5) ? 'Main' : '';
    this.operationName = others || random.chance(0.3) ? name || undefined : undefined;
    if (random.chance(0.02)) this.operationName = random.pick(['Nobody', undefined]);
    const declared = [...this.declared.values()].map(({ text }) => text).join(', ');
    const fragments = [...this.fragments].map(([key, { on, text }]) => ` fragment ${key} on ${on} ${text}`);
    return `${word} ${name}${declared ? `(${declared})` : ''} ${selection}${others}${fragments.join('')}`;
  }

  /** Variables of one request: given, left out, null or wrong. */
  variables() {
    const { random } = this;
    if (random.chance(0.02)) return undefined;
    const damage = random.pick([0, 0, 0, 0.05]);
    /** @type {Record<string, unknown>} */
    const values = {};
    for (const [name, { type, text }] of this.declared) {
      const isOptional = !isNonNullType(type) || text.includes('=');
      if (random.chance(isOptional ? 0.25 : 0.01)) continue;
      if (random.chance(isOptional ? 0.1 : 0.01)) values[name] = null;
      else values[name] = rawValue(random, type, damage);
    }
    return values;
  }

  /**
   * @param {GraphQLCompositeType} type
   * @param {number} depth
   * @param {boolean} [isFree] whether it may have several fields, and directives
   * @returns {string}
   */
  selection(type, depth, isFree = true) {
    const count = isFree && this.budget > 0 ? 1 + this.random.below(6) : 1;
    this.budget -= count;
    /** @type {string[]} */
    const parts = [];
    for (let index = 0; index < count; index += 1) parts.push(this.part(type, depth, isFree));
    return `{ ${parts.join(' ')} }`;
  }

  /**
   * @param {GraphQLCompositeType} type
   * @param {number} depth
   * @param {boolean} isFree
   * @returns {string}
   */
  part(type, depth, isFree) {
    const { random } = this;
    const choice = random.next();
    if (isFree && choice < 0.06) return `${random.pick(['', '', 'kind: '])}__typename${this.directives()}`;
    if (isFree && this.budget < 0) return this.field(type, depth, isFree);
    if (isFree && choice < 0.18) return this.inlineFragment(type, depth);
    if (isFree && choice < 0.3) return this.fragmentSpread(type, depth);
    if (isFree && type === this.schema.getQueryType() && choice < 0.33) return this.introspection();
    return this.field(type, depth, isFree);
  }

  introspection() {
    const { random } = this;
    const names = ['Query', 'Node', 'Nothing', 'String'];
    return random.chance(0.5)
      ? `__schema { queryType { name } ${random.chance(0.1) ? 'types { name kind fields { name } }' : 'directives { name args { name type { name ofType { name } } } }'} }`
      : `${random.chance(0.3) ? 'own: ' : ''}__type(name: "${random.pick(names)}") { name kind interfaces { name } possibleTypes { name } }`;
  }

  /** @param {GraphQLCompositeType} type @param {number} depth */
  inlineFragment(type, depth) {
    const target = this.random.chance(0.3) ? type : this.overlapping(type);
    const condition = target === type && this.random.chance(0.5) ? '' : ` on ${target.name}`;
    return `...${condition}${this.directives()} ${this.selection(target, depth)}`;
  }

  /** @param {GraphQLCompositeType} type @param {number} depth */
  fragmentSpread(type, depth) {
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

  /** A type that a value of the given type may be of. @param {GraphQLCompositeType} type */
  overlapping(type) {
    const types = Object.values(this.schema.getTypeMap()).filter(isCompositeType);
    const candidates = types.filter((one) => !one.name.startsWith('__') && this.overlaps(type, one.name));
    return this.random.pick(candidates);
  }

  /** @param {GraphQLCompositeType} type @param {string} name */
  overlaps(type, name) {
    const other = this.schema.getType(name);
    if (!isCompositeType(other)) return false;
    const possible = this.possible(type);
    return this.possible(other).some((one) => possible.includes(one));
  }

  /** @param {GraphQLCompositeType} type @returns {readonly GraphQLObjectType[]} */
  possible(type) {
    return isAbstractType(type) ? this.schema.getPossibleTypes(type) : [type];
  }

  /**
   * @param {GraphQLCompositeType} type
   * @param {number} depth
   * @param {boolean} isFree
   * @returns {string}
   */
  field(type, depth, isFree) {
    const { random } = this;
    if (!isObjectType(type) && !isInterfaceType(type)) return '__typename';
    const fields = Object.values(type.getFields());
    const leaves = fields.filter((field) => isLeafType(getNamedType(field.type)));
    const canGoOn = depth > 0 && this.budget > 0;
    const field = random.pick(canGoOn || leaves.length === 0 ? fields : leaves);
    const of = getNamedType(field.type);
    const [key, args] = this.keyed(type, field);
    if (isCompositeType(of) && !canGoOn && isFree) return '__typename';
    if (isCompositeType(of) && !canGoOn) return `${field.name}${args} { __typename }`;
    const selection = isCompositeType(of) ? ` ${this.selection(of, depth - 1)}` : '';
    const directives = isFree ? this.directives() : '';
    return `${key === field.name ? '' : `${key}: `}${field.name}${args}${directives}${selection}`;
  }

  /**
   * A response name and arguments: the name of one with the same name at another place has the same arguments.
   *
   * @param {GraphQLCompositeType} type
   * @param {GraphQLField<unknown, unknown>} field
   * @returns {[string, string]}
   */
  keyed(type, field) {
    const { random } = this;
    const odd = random.chance(0.02) ? random.pick(['__proto__', 'constructor', 'toString', 'then']) : null;
    const key = odd ?? (random.chance(0.25) ? `${field.name}_${random.below(2)}` : field.name);
    const place = `${type.name}.${field.name} as ${key}`;
    const args = this.aliases.get(place) ?? this.argumentsOf(field);
    this.aliases.set(place, args);
    return [key, args];
  }

  /** @param {GraphQLField<unknown, unknown>} field */
  argumentsOf(field) {
    const given = field.args.flatMap(({ name, type, defaultValue }) => {
      const isRequired = isNonNullType(type) && defaultValue === undefined;
      if (!isRequired && this.random.chance(0.45)) return [];
      return [`${name}: ${this.argument(type, defaultValue !== undefined)}`];
    });
    return given.length > 0 ? `(${given.join(', ')})` : '';
  }

  /** @param {GraphQLInputType} type @param {boolean} hasDefault */
  argument(type, hasDefault) {
    const { random } = this;
    if (random.chance(0.35)) return this.variable(type, hasDefault);
    const nested = (/** @type {GraphQLInputType} */ of) =>
      random.chance(0.12) ? this.variable(of, false) : null;
    return isNonNullType(type) ? valueLiteral(random, type, nested) : literal(random, type, nested);
  }

  /** @param {GraphQLInputType} type @param {boolean} hasDefault */
  variable(type, hasDefault) {
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

  directives() {
    const { random } = this;
    if (random.chance(0.8)) return '';
    const names = random.chance(0.15) ? ['skip', 'include'] : [random.pick(['skip', 'include'])];
    return names.map((name) => ` @${name}(if: ${this.condition()})`).join('');
  }

  condition() {
    const { random } = this;
    if (random.chance(0.3)) return String(random.chance(0.5));
    const boolean = this.schema.getDirective('skip')?.args[0]?.type;
    return boolean ? this.variable(boolean, false) : 'true';
  }
}
