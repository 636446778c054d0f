// The body of an answer: a real answer of the sandbox, changed by the steps of a case.

/** Places in a body that are told apart; the first ones are those of the envelope and of the first records. */
const MAX_PLACES = 2_000;

/** Makes the body of a case, of at most so many bytes: the sizes of its steps are reduced until it fits. */
export function bodyOf(real, steps, maxBytes) {
  for (let scale = 1; scale > 1e-4; scale *= 0.6) {
    const text = textOf(real, { steps, scale, maxBytes });
    if (text !== null && Buffer.byteLength(text) <= maxBytes) return Buffer.from(text);
  }
  return Buffer.from(real).subarray(0, maxBytes);
}

/** Null where it would be too large. */
function textOf(real, { steps, scale, maxBytes }) {
  const tree = { root: JSON.parse(real) };
  const raw = [];
  const scaled = steps.map((step) => ({ ...structuredClone(step), bytes: Math.ceil(step.bytes * scale) }));
  for (const step of scaled) CHANGES[step.kind]?.(placeOf(tree, step.at), { ...step, raw });
  makeConsistent(tree.root);
  if (sizeWithin(tree.root, raw, maxBytes) > maxBytes) return null;
  const text = JSON.stringify(tree.root).replaceAll(/"@raw(\d+)@"/g, (_, index) => raw[index]);
  return scaled.reduce((changed, step) => TEXT_CHANGES[step.kind]?.(changed, step) ?? changed, text);
}

// Steps may change what stands in a thousand places, so that the text could fill the memory.
function sizeWithin(value, raw, room) {
  if (typeof value === 'string') return (raw[/^@raw(\d+)@$/.exec(value)?.[1]] ?? value).length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  let size = 2;
  for (const key in value) {
    if (size > room) return size;
    size += (Array.isArray(value) ? 1 : key.length + 4) + sizeWithin(value[key], raw, room - size);
  }
  return size;
}

/** A place in a tree: what holds it, and its key there. */
function placeOf(tree, at) {
  const places = [];
  const walk = (holder) => {
    for (const key of Object.keys(holder)) {
      if (places.length >= MAX_PLACES) return;
      places.push({ holder, key, list: Array.isArray(holder) ? holder : null });
      if (typeof holder[key] === 'object' && holder[key] !== null) walk(holder[key]);
    }
  };
  walk(tree);
  return places[Math.floor(at * places.length)];
}

const countFor = ({ bytes, text }, more) => Math.max(1, Math.floor(bytes / (Buffer.byteLength(text) + more)));
const filled = ({ bytes, text }) => text.repeat(countFor({ bytes, text }, 0));
const numbered = (step, more, make) =>
  Array.from({ length: countFor(step, more) }, (_, index) => make(index));

/** What the service might put in place of a value. */
const CHANGES = {
  text: ({ holder, key }, step) => (holder[key] = filled(step)),
  escaped: ({ holder, key }, step) => (holder[key] = rawIn(step, escapedText(step))),
  texts: ({ holder, key }, step) => (holder[key] = numbered(step, 8, (index) => `${step.text}${index}`)),
  equalTexts: ({ holder, key }, step) => (holder[key] = numbered(step, 3, () => step.text)),
  values: ({ holder, key }, step) => (holder[key] = numbered({ ...step, text: '' }, 3, () => step.value)),
  keys: ({ holder, key }, step) => (holder[key] = keyed(step, (index) => `${step.text}${index}`)),
  secrets: ({ holder, key }, step) =>
    (holder[key] = numbered(step, 34, (index) => ({ [step.secret]: `${step.text}${index}-s3cr3t` }))),
  addedSecrets: (place, step) =>
    Object.assign(
      objectAt(place),
      keyed(step, (index) => `${step.secret}${index}`),
    ),
  addedTexts: (place, step) =>
    Object.assign(objectAt(place), { note: numbered(step, 3, () => step.text), [step.secret]: step.text }),
  everywhere: ({ holder }, step) =>
    fillTexts(holder, step.text.repeat(1 + (step.count % 50)), { left: 5_000 }),
  nested: ({ holder, key }, step) => (holder[key] = nested(holder[key], step)),
  nestedOften: ({ holder, key }, step) => {
    const one = nested(step.value, step);
    const size = Math.max(1, JSON.stringify(one).length);
    holder[key] = Array.from({ length: Math.max(1, Math.floor(step.bytes / size)) }, () => one);
  },
  rows: (place, step) => repeatRows(listAt(place), step),
  type: ({ holder, key }, { value }) => (holder[key] = value),
  digits: ({ holder, key }, step) => {
    const digits = '9'.repeat(1 + step.count);
    holder[key] = rawIn(step, `[${numbered({ ...step, text: digits }, 1, () => digits).join(',')}]`);
  },
  repeatedKeys: ({ holder, key }, step) => {
    const name = JSON.stringify(step.secret);
    const members = numbered(step, name.length + 5, () => `${name}:${JSON.stringify(step.text)}`);
    holder[key] = rawIn(step, `{${members.join(',')}}`);
  },
  longName: (place, step) => (objectAt(place)[filled(step)] = step.value),
};

/** What the service might do to the text. */
const TEXT_CHANGES = {
  whitespace: (text, { at, bytes }) => {
    const comma = text.indexOf(',', Math.floor(at * text.length));
    return text.slice(0, comma + 1) + ' '.repeat(bytes) + text.slice(comma + 1);
  },
  truncated: (text, { at }) => text.slice(0, Math.floor(at * text.length)),
  plain: (_text, step) => filled(step),
};

/** The kinds of steps. */
export const KINDS = [...Object.keys(CHANGES), ...Object.keys(TEXT_CHANGES)];

function rawIn({ raw }, text) {
  raw.push(text);
  return `@raw${raw.length - 1}@`;
}

function escapedText({ text, bytes }) {
  const units = Array.from(text, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  return `"${units.repeat(Math.max(1, Math.floor(bytes / units.length)))}"`;
}

function keyed(step, nameOf) {
  return Object.fromEntries(numbered(step, 16, (index) => [nameOf(index), step.value ?? index]));
}

function nested(value, { count, isObject, secret }) {
  let inside = value;
  for (let depth = count % 70; depth >= 0; depth -= 1) inside = isObject ? { [secret]: inside } : [inside];
  return inside;
}

function objectAt({ holder, key }) {
  if (typeof holder[key] === 'object' && holder[key] !== null) return holder[key];
  return holder;
}

/** The list that a place is, is in or holds. */
function listAt({ holder, key, list }) {
  if (Array.isArray(holder[key])) return holder[key];
  return list ?? Object.values(holder).find(Array.isArray) ?? Object.assign(holder, { list: [{}] }).list;
}

function repeatRows(list, { bytes, isObject }) {
  const rows = list.length > 0 ? list.slice() : [null];
  const size = JSON.stringify(rows).length;
  const times = Math.floor(bytes / size);
  for (let time = 1; time <= times; time += 1)
    for (const row of rows) list.push(isObject ? withOtherIds(row, time) : row);
}

function withOtherIds(row, time) {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return row;
  const entries = Object.entries(row).map(([name, value]) =>
    /id$/i.test(name) && (typeof value === 'string' || typeof value === 'number')
      ? [name, `${value}${time}`]
      : [name, value],
  );
  return Object.fromEntries(entries);
}

function fillTexts(holder, text, room) {
  for (const [key, value] of Object.entries(holder)) {
    if ((room.left -= 1) < 0) return;
    if (typeof value === 'string') holder[key] = text;
    else if (typeof value === 'object' && value !== null) fillTexts(value, text, room);
  }
}

// A page that contradicts its own numbers is refused before its records are read.
function makeConsistent(body) {
  const page = body?.response;
  if (!Array.isArray(page?.list)) return;
  const count = page.list.length;
  for (const name of ['totalRecords', 'totalRecord', 'totalCount']) if (name in page) page[name] = count;
  Object.assign(page, { currentPage: 1, pageLimit: Math.max(1, count), totalRecords: count });
}
