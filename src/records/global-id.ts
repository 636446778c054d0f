import type { Surface } from '../sources/errors.ts';

/** The types that can be refetched by id. */
export type NodeType = 'Account' | 'AccountGroup' | 'QueuedPost' | 'LibraryItem' | 'AiGeneration';

/** The contents of a global id: the record's type, its surface, and the service's own id. */
export interface GlobalId {
  readonly type: NodeType;
  readonly surface: Surface;
  readonly rawId: string;
}

const VERSION = '1';
const TYPE_LETTERS: Readonly<Record<NodeType, string>> = {
  Account: 'a',
  AccountGroup: 'g',
  QueuedPost: 'q',
  LibraryItem: 'i',
  AiGeneration: 't',
};
const SURFACE_LETTERS: Readonly<Record<Surface, string>> = { current: 'c', legacy: 'l' };
const MAX_ID_CHARS = 512;

// The format of the service's own ids. Those that become part of a path contain nothing that could leave it, however often
// it is decoded; those that are looked up in a list first may be any text.
const NUMBER = /^(?:0|[1-9]\d{0,19})$/;
const SEGMENTS = /^(?!(?:.*\/)?\.{1,2}(?:\/|$))[\w.:~+/=-]{1,128}$/;
const TEXT = /^.{1,128}$/u;
const RAW_IDS: Readonly<Record<NodeType, RegExp>> = {
  Account: NUMBER,
  AccountGroup: TEXT,
  QueuedPost: TEXT,
  LibraryItem: SEGMENTS,
  AiGeneration: TEXT,
};

/** Nearly all ids. */
const PLAIN = /^[\dA-Za-z]{1,128}$/;

/** Encodes the opaque id of a record. Synchronous, because it is read for every record of every list. */
export function encodeGlobalId({ type, surface, rawId }: GlobalId): string {
  const text = `${VERSION}${TYPE_LETTERS[type]}${SURFACE_LETTERS[surface]}:${rawId}`;
  // Twice as fast. For letters, digits and a colon, base64url is base64 without its padding.
  if (PLAIN.test(rawId)) return btoa(text).slice(0, Math.ceil((text.length * 4) / 3));
  return Buffer.from(text).toString('base64url');
}

/** Parses a global id; null if it is not one of this schema. */
export function parseGlobalId(id: string): GlobalId | null {
  if (id.length > MAX_ID_CHARS || !/^[\w-]+$/.test(id)) return null;
  const match = /^1(\w)(\w):([^\p{Cc}]+)$/u.exec(Buffer.from(id, 'base64url').toString('utf8'));
  if (!match) return null;
  const type = keyOf(TYPE_LETTERS, match[1]);
  const surface = keyOf(SURFACE_LETTERS, match[2]);
  const rawId = match[3] ?? '';
  if (type === null || surface === null || !RAW_IDS[type].test(rawId)) return null;
  const decoded = { type, surface, rawId };
  // Two texts that decode alike would be two ids of one record.
  return encodeGlobalId(decoded) === id ? decoded : null;
}

function keyOf<K extends string>(letters: Readonly<Record<K, string>>, letter: string | undefined): K | null {
  return (Object.keys(letters) as K[]).find((key) => letters[key] === letter) ?? null;
}
