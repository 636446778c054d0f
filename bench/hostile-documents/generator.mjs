// Random operations over the server's schema, and random changes of them, so that a search can go on from the worst ones.
import { graphql } from '../graphql.mjs';
import { argumentText, createVariables } from './arguments.mjs';
import { allNodes, cloned, isRecord, sentOf, siblingsOf, treeOf } from './operation.mjs';
import { createRandom } from '../hostile/random.mjs';

const { getNamedType, isInterfaceType, isNonNullType, SchemaMetaFieldDef, TypeMetaFieldDef } = graphql;

const CALLERS = ['nobody', 'key', 'token', 'both'];
// A little more than allowed: what lies at a limit is tried, too.
const MAX_DEPTH = 11;
const MAX_SELECTIONS = 620;
const MAX_ALIASES = 60;

/** Makes operations; always the same ones for the same seed. */
export class Generator {
  #schema;
  #ids;
  #random;

  constructor(schema, { seed, ids }) {
    this.#schema = schema;
    this.#ids = ids;
    this.#random = createRandom(seed);
  }

  fresh() {
    const { pick, below } = this.#random;
    const room = { selections: 20 + below(MAX_SELECTIONS), aliases: below(MAX_ALIASES) };
    const growth = { depth: 0, greed: pick([0.2, 0.5, 0.9]), room, most: 1 + below(20) };
    const roots = this.#grow(this.#schema.getQueryType(), growth);
    return this.#finished({ caller: pick(CALLERS), roots, variables: this.#variables() });
  }

  /** An operation to begin with. */
  known(sent) {
    return this.#finished(treeOf(this.#schema, sent));
  }

  /** Another operation with one to three changes. */
  changed({ caller, roots, variables }) {
    const { chance, pick, below } = this.#random;
    const copy = roots.map(cloned);
    for (let times = 1 + below(3); times > 0; times -= 1) this.#change(copy);
    return this.#finished({
      caller: chance(0.1) ? pick(CALLERS) : caller,
      roots: copy,
      variables: { ...this.#variables(), ...(chance(0.3) ? {} : variables) },
    });
  }

  #finished(operation) {
    return { ...operation, sent: sentOf(operation) };
  }

  #variables() {
    return createVariables(this.#random, this.#ids);
  }

  #grow(type, { depth, greed, room, most = 60 }) {
    const nodes = [];
    for (const field of this.#fieldsOf(type)) {
      if (nodes.length >= most || room.selections <= 0) break;
      if (nodes.length > 0 && !this.#random.chance(greed)) continue;
      if (isRecord(field) && depth >= MAX_DEPTH) continue;
      nodes.push(...this.#named(field, { depth, greed, room }));
    }
    return nodes;
  }

  #fieldsOf(type) {
    const { chance, shuffled } = this.#random;
    const meta = type === this.#schema.getQueryType() ? [SchemaMetaFieldDef, TypeMetaFieldDef] : [];
    const fields = shuffled([...Object.values(type.getFields?.() ?? {}), ...meta]);
    // Half of the time records first, so that lists lie within lists.
    return chance(0.5) ? fields.toSorted((one, other) => isRecord(other) - isRecord(one)) : fields;
  }

  // The same field under some names.
  #named(field, growth) {
    const { chance, below } = this.#random;
    const count = chance(0.1) ? 1 + below(growth.room.aliases + 1) : 1;
    growth.room.aliases -= count - 1;
    return Array.from({ length: count }, (_, index) => this.#nodeOf(field, index > 0, growth));
  }

  #nodeOf(field, isRenamed, { depth, greed, room }) {
    room.selections -= 1;
    const inner = getNamedType(field.type);
    const node = {
      field,
      alias: isRenamed ? this.#aliasName() : null,
      args: this.#argsOf(field),
      on: isInterfaceType(inner) ? this.#random.pick(this.#schema.getPossibleTypes(inner)) : null,
      children: [],
    };
    const growth = { depth: depth + 1, greed: this.#random.chance(0.2) ? 1 - greed : greed, room };
    if (isRecord(field)) node.children = this.#grow(node.on ?? inner, growth);
    return node;
  }

  #aliasName() {
    const { chance, below } = this.#random;
    return `a${below(1e6)}${chance(0.03) ? 'n'.repeat(below(4_000)) : ''}`;
  }

  #argsOf({ args }) {
    const given = args.flatMap((arg) => {
      if (!isNonNullType(arg.type) && !this.#random.chance(arg.name === 'first' ? 0.8 : 0.25)) return [];
      const text = argumentText(arg, this.#random, this.#ids);
      return text === null ? [] : [`${arg.name}: ${text}`];
    });
    const isBackward = given.some((text) => text.startsWith('last'));
    return given.filter((text) => !(isBackward && text.startsWith('first')));
  }

  #change(roots) {
    const { chance, pick, below } = this.#random;
    const nodes = allNodes(roots);
    const node = pick(nodes);
    const siblings = siblingsOf(roots, node);
    const kind = below(5);
    if (kind === 0) node.args = this.#argsOf(node.field);
    else if (kind === 1 && siblings.length > 1) siblings.splice(siblings.indexOf(node), 1);
    else if (kind === 2) siblings.push({ ...cloned(node), alias: this.#aliasName() });
    else if (node.children.length > 0) this.#regrow(node, { nodes, keeps: kind === 4 });
    else if (chance(0.3)) node.alias = this.#aliasName();
  }

  #regrow(node, { nodes, keeps }) {
    const aliases = nodes.filter(({ alias }) => alias !== null).length;
    const room = { selections: MAX_SELECTIONS - nodes.length, aliases: Math.max(0, MAX_ALIASES - aliases) };
    const type = node.on ?? getNamedType(node.field.type);
    const grown = this.#grow(type, { depth: 4, greed: this.#random.pick([0.3, 0.9]), room });
    node.children = keeps ? [...node.children, ...grown] : grown;
  }
}
