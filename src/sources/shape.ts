/**
 * The documented shape of a value, used by copies that leave documented texts unchanged. A shape without parts is a
 * text; null in place of a shape means undocumented JSON.
 */
export interface Shape {
  readonly fields?: ReadonlyMap<string, Shape | null>;
  /** The elements of a list. */
  readonly items?: Shape | null;
  /** The values of a map, whose keys are values too: ids, URLs, prose. */
  readonly entries?: Shape | null;
}

/** The part of a decoder that concerns copies. */
export interface Shaped {
  /** The documented shape of the values that it reads; a text, if omitted. */
  readonly shape?: Shape | null;
}

const TEXT: Shape = {};

/** Returns the shape of the values that a decoder reads. */
export function shapeFor({ shape }: Shaped): Shape | null {
  return shape === undefined ? TEXT : shape;
}

/** Splits a path into a record into steps; '' is the record itself. */
export function stepsOf(path: string): readonly string[] {
  return path === '' ? [] : path.split('.');
}

/** Builds the shape of a record from its fields and the names of documented fields that are not read. */
export function shapeOfRecord(
  fields: readonly { readonly wire: readonly string[]; readonly decode: Shaped }[],
  unread: Iterable<string>,
): Shape {
  let whole: Shape = { fields: new Map([...unread].map((name) => [name, TEXT])) };
  for (const { wire, decode } of fields)
    for (const path of wire) whole = joined(whole, nested(stepsOf(path), shapeFor(decode))) ?? whole;
  return whole;
}

function nested(path: readonly string[], shape: Shape | null): Shape | null {
  return path.reduceRight<Shape | null>((inner, step) => ({ fields: new Map([[step, inner]]) }), shape);
}

// Several fields may read the same value, or parts of it.
function joined(one: Shape | null, other: Shape | null): Shape | null {
  if (one === null || other === null) return one ?? other;
  const fields = new Map(one.fields);
  for (const [name, shape] of other.fields ?? []) {
    const known = fields.get(name);
    fields.set(name, known === undefined ? shape : joined(known, shape));
  }
  return { ...other, ...one, fields };
}
