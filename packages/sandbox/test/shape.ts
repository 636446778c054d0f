/** Says what is wrong with a value, each problem with its path; nothing when it fits. */
export type Shape = (value: unknown, path: string) => string[];

function kind(name: string, fits: (value: unknown) => boolean): Shape {
  return (value, path) => (fits(value) ? [] : [`${path} is no ${name}: ${JSON.stringify(value)}`]);
}

export const text = kind('text', (value) => typeof value === 'string');
export const number = kind('number', (value) => typeof value === 'number');
export const integer = kind('integer', (value) => Number.isInteger(value));
export const flag = kind('boolean', (value) => typeof value === 'boolean');
export const letter = matching('Y or N', /^[YN]$/);
export const isoTime = matching('ISO 8601 time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
/** Undocumented, but an object; the sandbox also sends null and `[]` in place of one. */
export const object = kind('object', (value) => typeof value === 'object');

/** Text of a form. */
export function matching(name: string, pattern: RegExp): Shape {
  return kind(name, (value) => typeof value === 'string' && pattern.test(value));
}

/** Exactly these fields: a missing one, a misspelt one and one too many are problems. */
export function record(fields: Readonly<Record<string, Shape>>): Shape {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is no record`];
    const found = new Map<string, unknown>(Object.entries(value));
    const missing = Object.keys(fields).filter((name) => !found.has(name));
    return [
      ...missing.map((name) => `${path}.${name} is missing`),
      ...[...found].flatMap(([name, entry]) => {
        const shape = fields[name];
        return shape ? shape(entry, `${path}.${name}`) : [`${path}.${name} is not documented`];
      }),
    ];
  };
}

/** A record with free keys. */
export function keyed(shape: Shape): Shape {
  return (value, path) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).flatMap(([key, entry]) => shape(entry, `${path}.${key}`))
      : [`${path} is no record`];
}

export function listOf(shape: Shape): Shape {
  return (value, path) =>
    Array.isArray(value)
      ? value.flatMap((entry, index) => shape(entry, `${path}.${index}`))
      : [`${path} is no list: ${JSON.stringify(value)}`];
}

export function orNull(shape: Shape): Shape {
  return (value, path) => (value === null ? [] : shape(value, path));
}

/** Nested objects may come as null or as an empty array. */
export function orNothing(shape: Shape): Shape {
  return (value, path) =>
    value === null || (Array.isArray(value) && value.length === 0) ? [] : shape(value, path);
}

/** A page of records in the common envelope. */
export function pageOf(shape: Shape, more: Readonly<Record<string, Shape>> = {}): Shape {
  return envelope(
    record({
      currentPage: integer,
      pageLimit: integer,
      totalRecords: integer,
      totalPages: integer,
      list: listOf(shape),
      ...more,
    }),
  );
}

/** The common envelope of the current surface. */
export function envelope(response: Shape): Shape {
  return record({ message: text, response });
}
