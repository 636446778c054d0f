import type { Surface } from '../sources/errors.ts';
import { parseGlobalId, type GlobalId, type NodeType } from '../records/global-id.ts';
import { isKey } from './journal.ts';
import { userError, type UserError, type UserErrorCode } from './outcome.ts';

/** Maximum number of listed problems of an input. */
export const MAX_PROBLEMS = 50;
/** Maximum number of elements in a list of an input. */
export const MAX_LIST = 250;
/** Maximum nesting depth of an input. */
const MAX_DEPTH = 24;
/** Maximum length of a text of an input, in characters. */
export const MAX_TEXT = 60_000;

const ADDRESS = /^(?:[a-z][a-z\d+.-]*:)?\/\//i;
const RAW_ID = /^[\u0021-\u007E]{1,255}$/;

type Path = readonly (string | number)[];

/** The problems of an input, each with its path starting with `input`, up to a maximum number. */
export class Problems {
  private readonly found: UserError[] = [];

  get list(): readonly UserError[] {
    return this.found;
  }

  get any(): boolean {
    return this.found.length > 0;
  }

  /** True once no further problems are listed. */
  get isFull(): boolean {
    return this.found.length >= MAX_PROBLEMS;
  }

  /** Reports the argument at a path as invalid; `message` continues after its name. */
  add(path: Path, message: string, code: UserErrorCode = 'INVALID_INPUT'): void {
    if (this.isFull) {
      this.found[MAX_PROBLEMS] = TOO_MANY;
      return;
    }
    const full = ['input', ...path.map(String)];
    this.found.push(userError(code, `${full.join('.')} ${message}`, { path: full }));
  }

  /** Reports lists and texts that are too long, and texts that JSON can't carry, at every depth. */
  limits(value: unknown, path: Path = []): void {
    if (this.found.length > MAX_PROBLEMS) return;
    if (path.length > MAX_DEPTH) {
      this.add(path.slice(0, 3), `is nested more than ${MAX_DEPTH} deep.`);
      return;
    }
    if (typeof value === 'string' && value.length > MAX_TEXT) {
      this.add(path, `is longer than ${MAX_TEXT} characters.`);
    } else if (typeof value === 'string' && !value.isWellFormed()) {
      this.add(path, HALF_A_CHARACTER);
    } else if (Array.isArray(value) && value.length > MAX_LIST) {
      this.add(path, `has more than ${MAX_LIST} elements.`);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, child] of Object.entries(value)) {
        if (name.isWellFormed()) this.limits(child, [...path, name]);
        else this.add(path, HALF_A_CHARACTER);
      }
    }
  }

  /** Reports a blank text. */
  text(path: Path, value: string): void {
    if (value.trim() === '') this.add(path, 'is blank.');
  }

  /** Reports an invalid idempotency key. */
  key(value: string | null | undefined): void {
    if (value != null && !isKey(value)) {
      this.add(['idempotencyKey'], 'must be 1 to 255 visible ASCII characters.');
    }
  }

  /** Reports an empty list, or repeated elements. */
  elements(path: Path, values: readonly unknown[]): void {
    if (values.length === 0) this.add(path, 'is empty.');
    const seen = new Set<unknown>();
    for (const [index, value] of checkable(values).entries()) {
      if (seen.has(value)) this.add([...path, index], 'occurs twice.');
      seen.add(value);
    }
  }

  /** Reads global ids of one type and surface; others are reported and omitted. */
  ids(
    path: Path,
    ids: readonly string[],
    wanted: { readonly type: NodeType; readonly surface: Surface },
  ): string[] {
    return this.globalIds(path, ids, wanted).map(({ rawId }) => rawId);
  }

  /** Like `ids`, for either surface unless one is required. */
  globalIds(path: Path, ids: readonly string[], wanted: WantedId): GlobalId[] {
    return checkable(ids).flatMap((id, index) => {
      const decoded = parseGlobalId(id);
      const problem = problemOfId(decoded, wanted);
      if (decoded && problem === null) return [decoded];
      this.add([...path, index], problem ?? '');
      return [];
    });
  }

  /** Reports values that cannot be ids of the service. */
  rawIds(path: Path, ids: readonly string[]): void {
    for (const [index, id] of checkable(ids).entries()) {
      if (ADDRESS.test(id)) this.add([...path, index], 'is a URL; use the id that the service assigned.');
      else if (!RAW_ID.test(id)) this.add([...path, index], 'is not an id: it is empty or contains spaces.');
    }
  }

  /** Reads raw ids that must be sent as numbers; one that would lose digits is reported and omitted. */
  numbers(path: Path, ids: readonly string[]): number[] {
    return checkable(ids).flatMap((id, index) => {
      const value = Number(id);
      if (/^\d+$/.test(id) && Number.isSafeInteger(value) && value > 0) return [value];
      this.add([...path, index], 'is no whole number that can be sent exactly.');
      return [];
    });
  }
}

/** What is wrong with a text that has a surrogate without its other half, such as a cut emoji. */
export const HALF_A_CHARACTER = 'contains half of a character, such as half an emoji (a lone surrogate).';

const TOO_MANY = userError(
  'INVALID_INPUT',
  `input has more than ${MAX_PROBLEMS} problems; the others are not listed.`,
  { path: ['input'] },
);

/** Returns the elements of a list to check individually; a list that is too long is a problem already. */
export function checkable<T>(values: readonly T[]): readonly T[] {
  return values.length > MAX_LIST ? values.slice(0, MAX_LIST) : values;
}

/** Returns a text to check individually, or null; a text that is too long is a problem already. */
export function checkableText(text: string | null | undefined): string | null {
  return text == null || text.length > MAX_TEXT ? null : text;
}

interface WantedId {
  readonly type: NodeType;
  readonly surface?: Surface;
}

function problemOfId(decoded: GlobalId | null, { type, surface }: WantedId): string | null {
  if (decoded === null)
    return 'is not an id of this graph: use the `id` of a record, not `loginId` or `postId`.';
  if (decoded.type !== type)
    return `is the id of another type, ${decoded.type}; it must be one of type ${type}.`;
  return surface === undefined || decoded.surface === surface
    ? null
    : `belongs to the ${decoded.surface} surface; this needs an id of the ${surface} surface.`;
}
