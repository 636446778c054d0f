// Bodies of requests, the counterpart of views: each is declared once, and its type and its encoding follow. A value that
// is undefined is not sent, and neither is null, which GraphQL inputs may contain wherever they are optional.

/** Encodes one value for the service. */
export type Encoder<T> = (value: T) => unknown;

type Presence = 'required' | 'optional' | 'nullable';

/** One part of a body: the service's name for it, its encoder, and whether it may be absent. */
export interface Part<T, P extends Presence> {
  readonly wire: string;
  readonly encode: Encoder<T>;
  readonly presence: P;
}

/** The parts of a body by this project's names, in the order in which they are sent. */
type Parts = Readonly<Record<string, Part<never, Presence>>>;

type Names<P extends Parts, Q extends Presence> = {
  [K in keyof P]: P[K] extends Part<never, Q> ? K : never;
}[keyof P];
type ValueOf<T> = T extends Part<infer V, Presence> ? V : never;

/** The value from which a body is encoded. */
type Value<P extends Parts> = { readonly [K in Names<P, 'required'>]: ValueOf<P[K]> } & {
  readonly [K in Names<P, 'optional' | 'nullable'>]?: ValueOf<P[K]> | null | undefined;
};

/** Encodes a body. */
export type Body<P extends Parts> = (value: Value<P>) => Readonly<Record<string, unknown>>;

/** The value that a body encodes. */
export type Encoded<B> = B extends (value: infer V) => unknown ? V : never;

/** Names a part that is always sent; '' sends its own parts in its place. */
export function part<T>(wire: string, encode: Encoder<T>): Part<T, 'required'> {
  return { wire, encode, presence: 'required' };
}

/** Names a part that may be absent. */
export function optional<T>(wire: string, encode: Encoder<T>): Part<T, 'optional'> {
  return { wire, encode, presence: 'optional' };
}

/** Names a part that may be absent, or null, which the service distinguishes. */
export function nullable<T>(wire: string, encode: Encoder<T>): Part<T, 'nullable'> {
  return { wire, encode, presence: 'nullable' };
}

/** Declares a body. */
export function defineBody<P extends Parts>(parts: P): Body<P> {
  const entries = Object.entries(parts);
  return (value) => {
    const given: Readonly<Record<string, unknown>> = value;
    const body: Record<string, unknown> = {};
    for (const [name, { wire, encode, presence }] of entries) {
      const one = given[name];
      if (one === undefined || (one === null && presence !== 'nullable')) continue;
      // The type of the value says that it is what the encoder takes.
      const encoded = one === null ? null : encode(one as never);
      if (wire === '') Object.assign(body, encoded);
      else body[wire] = encoded;
    }
    return body;
  };
}

const asGiven = <T>(value: T): T => value;

export const string: Encoder<string> = asGiven;
export const number: Encoder<number> = asGiven;
export const boolean: Encoder<boolean> = asGiven;
/** A value of undocumented shape, sent as it is. */
export const anything: Encoder<unknown> = asGiven;

/** Encodes one of several words, which the service spells in the same way. */
export function word<const T extends string>(..._words: readonly T[]): Encoder<T> {
  return asGiven;
}

/** Encodes words as the service's codes. */
export function code<T extends string>(codes: Readonly<Record<T, unknown>>): Encoder<T> {
  return (value) => codes[value];
}

/** Encodes each element of a list. */
export function list<T>(encode: Encoder<T>): Encoder<readonly T[]> {
  return (elements) => elements.map(encode);
}

/** Encodes a list as a map: `keyOf` gives the key of an element. */
export function map<T>(keyOf: (element: T) => string, encode: Encoder<T>): Encoder<readonly T[]> {
  return (elements) => Object.fromEntries(elements.map((element) => [keyOf(element), encode(element)]));
}
