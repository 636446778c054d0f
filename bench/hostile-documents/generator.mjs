// Random operations over the server's schema, and random changes of them. An operation is kept as a tree, so that the
// search can go on from the worst ones.
import {
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isNonNullType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql';
import { argumentText, createVariables, VARIABLE_TYPES } from './arguments.mjs';

const CALLERS = ['nobody', 'key', 'token', 'both'];
const MAX_DEPTH = 10;
// A little more than allowed: what lies at a limit is tried, too.
const MAX_SELECTIONS = 620;
const MAX_ALIASES = 16;

/** Makes a generator that always gives the same operations for the same seed. */
export function createGenerator(schema, { seed, ids }) {
  const random = createRandom(seed);
  const { chance, pick, below } = random;
  const fieldsOf = (type) => [
    ...Object.values(type.getFields?.() ?? {}),
    ...(type === schema.getQueryType() ? [SchemaMetaFieldDef, TypeMetaFieldDef] : []),
  ];
  return { fresh, changed };

  function fresh() {
    const greed = pick([0.2, 0.5, 0.9]);
    const room = { selections: 20 + below(MAX_SELECTIONS), aliases: below(MAX_ALIASES) };
    const roots = grow(schema.getQueryType(), { depth: 0, greed, room, most: 1 + below(20) });
    return finished({ caller: pick(CALLERS), roots, variables: createVariables(random, ids) });
  }

  /** Another operation with one to three changes. */
  function changed({ caller, roots, variables }) {
    const copy = {
      caller: chance(0.1) ? pick(CALLERS) : caller,
      roots: roots.map(cloned),
      variables: chance(0.3) ? createVariables(random, ids) : variables,
    };
    for (let times = 1 + below(3); times > 0; times -= 1) change(copy.roots);
    return finished(copy);
  }

  function grow(type, { depth, greed, room, most = 60 }) {
    const nodes = [];
    for (const field of shuffled(fieldsOf(type))) {
      if (nodes.length >= most || room.selections <= 0) break;
      if (nodes.length > 0 && !chance(greed)) continue;
      nodes.push(...named(field, { depth, greed, room }));
    }
    return nodes.filter(Boolean);
  }

  // The same field under some names.
  function named(field, { depth, greed, room }) {
    const count = chance(0.1) ? 1 + below(room.aliases + 1) : 1;
    return Array.from({ length: count }, (_, index) => {
      if (index > 0) room.aliases -= 1;
      return nodeOf(field, index > 0, { depth, greed, room });
    });
  }

  function nodeOf(field, isRenamed, { depth, greed, room }) {
    const inner = getNamedType(field.type);
    if (isCompositeType(inner) && depth + 1 >= MAX_DEPTH + 2) return null;
    room.selections -= 1;
    const node = {
      field,
      alias: isRenamed ? aliasName() : null,
      args: argsOf(field),
      inner,
      children: [],
      on: null,
    };
    if (!isCompositeType(inner)) return node;
    node.on = isInterfaceType(inner) ? pick(schema.getPossibleTypes(inner)) : null;
    node.children = grow(node.on ?? inner, {
      depth: depth + 1,
      greed: chance(0.2) ? 1 - greed : greed,
      room,
    });
    return node;
  }

  function aliasName() {
    return `a${below(1e6)}${chance(0.03) ? 'n'.repeat(below(4_000)) : ''}`;
  }

  function argsOf({ args }) {
    const given = args.flatMap((arg) => {
      if (!isNonNullType(arg.type) && !chance(arg.name === 'first' ? 0.8 : 0.25)) return [];
      const text = argumentText(arg, random, ids);
      return text === null ? [] : [`${arg.name}: ${text}`];
    });
    return withoutClash(given);
  }

  function change(roots) {
    const nodes = allNodes(roots);
    const node = pick(nodes);
    const siblings = siblingsOf(roots, node);
    const room = { selections: MAX_SELECTIONS - nodes.length, aliases: MAX_ALIASES - aliasesIn(nodes) };
    const kind = below(5);
    if (kind === 0) node.args = argsOf(node.field);
    else if (kind === 1 && siblings.length > 1) siblings.splice(siblings.indexOf(node), 1);
    else if (kind === 2) siblings.push({ ...cloned(node), alias: aliasName() });
    else if (node.children.length > 0) {
      const grown = grow(node.on ?? node.inner, { depth: 4, greed: pick([0.3, 0.9]), room });
      node.children = kind === 3 ? grown : [...node.children, ...grown];
    } else node.alias = chance(0.3) ? aliasName() : node.alias;
  }

  function shuffled(values) {
    return values
      .map((value) => [random.next(), value])
      .toSorted(([a], [b]) => a - b)
      .map(([, value]) => value);
  }
}

function finished({ caller, roots, variables }) {
  const body = `{ ${roots.map(printed).join(' ')} }`;
  const used = Object.keys(VARIABLE_TYPES).filter((name) => new RegExp(`\\$${name}\\b`).test(body));
  const declared = used.map((name) => `$${name}: ${VARIABLE_TYPES[name]}`).join(', ');
  return {
    caller,
    roots,
    variables,
    sent: {
      caller,
      query: declared === '' ? body : `query (${declared}) ${body}`,
      variables: Object.fromEntries(used.map((name) => [name, variables[name]])),
    },
  };
}

function printed({ field, alias, args, inner, children, on }) {
  const name = `${alias === null ? '' : `${alias}: `}${field.name}`;
  const given = args.length === 0 ? '' : `(${args.join(', ')})`;
  if (!isCompositeType(inner)) return name + given;
  const inside = children.length === 0 ? '__typename' : children.map(printed).join(' ');
  return `${name}${given} { ${on === null ? inside : `... on ${on.name} { ${inside} }`} }`;
}

function withoutClash(given) {
  const backward = given.some((text) => /^last/.test(text));
  return given.filter((text) => !(backward && /^first/.test(text)));
}

function cloned(node) {
  return { ...node, children: node.children.map(cloned) };
}

function allNodes(nodes) {
  return nodes.flatMap((node) => [node, ...allNodes(node.children)]);
}

function siblingsOf(nodes, wanted) {
  if (nodes.includes(wanted)) return nodes;
  for (const { children } of nodes) {
    const found = siblingsOf(children, wanted);
    if (found) return found;
  }
  return null;
}

function aliasesIn(nodes) {
  return nodes.filter(({ alias }) => alias !== null).length;
}

/** Numbers that look random and are the same for the same seed (mulberry32). */
function createRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (most) => Math.floor(next() * most);
  return { next, below, chance: (share) => next() < share, pick: (values) => values[below(values.length)] };
}
