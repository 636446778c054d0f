import type { Surface } from '../sources/errors.ts';
import { parseGlobalId, type GlobalId, type NodeType } from '../records/global-id.ts';
import { isKey } from './journal.ts';
import { userError, type UserError, type UserErrorCode } from './outcome.ts';

/** Most problems of an input that are listed. */
export const MAX_PROBLEMS = 50;
/** Most elements that a list of an input may have. */
export const MAX_LIST = 250;
/** Deepest nesting of an input. */
const MAX_DEPTH = 24;
/** Longest text of an input, in characters. */
const MAX_TEXT = 60_000;

const ADDRESS = /^(?:[a-z][a-z\d+.-]*:)?\/\//i;
const RAW_ID = /^[\u0021-\u007E]{1,255}$/;

type Path = readonly (string | number)[];

/** What is wrong with an input, each problem with its path from `input` on; not more than can be read. */
export class Problems {
  private readonly found: UserError[] = [];

  get list(): readonly UserError[] {
    return this.found;
  }

  get any(): boolean {
    return this.found.length > 0;
  }

  /** True once there are so many problems that no others are listed. */
  get isFull(): boolean {
    return this.found.length >= MAX_PROBLEMS;
  }

  /** Notes that the argument at a path is wrong; `message` goes on after its name. */
  add(path: Path, message: string, code: UserErrorCode = 'INVALID_INPUT'): void {
    if (this.isFull) {
      this.found[MAX_PROBLEMS] = TOO_MANY;
      return;
    }
    const full = ['input', ...path.map(String)];
    this.found.push(userError(code, `${full.join('.')} ${message}`, { path: full }));
  }

  /** Notes lists and texts that are too long, at every depth. */
  limits(value: unknown, path: Path = []): void {
    if (this.isFull) return;
    if (path.length > MAX_DEPTH) {
      this.add(path.slice(0, 3), `is nested more than ${MAX_DEPTH} deep.`);
      return;
    }
    if (typeof value === 'string' && value.length > MAX_TEXT) {
      this.add(path, `is longer than ${MAX_TEXT} characters.`);
    } else if (Array.isArray(value) && value.length > MAX_LIST) {
      this.add(path, `has more than ${MAX_LIST} elements.`);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, child] of Object.entries(value)) this.limits(child, [...path, name]);
    }
  }

  /** Notes a text that is blank. */
  text(path: Path, value: string): void {
    if (value.trim() === '') this.add(path, 'is blank.');
  }

  /** Notes an idempotency key that can't be used. */
  key(value: string | null | undefined): void {
    if (value != null && !isKey(value)) {
      this.add(['idempotencyKey'], 'must be 1 to 255 visible ASCII characters.');
    }
  }

  /** Notes a list that is empty or holds something twice. */
  elements(path: Path, values: readonly unknown[]): void {
    if (values.length === 0) this.add(path, 'is empty.');
    const seen = new Set<unknown>();
    for (const [index, value] of checkable(values).entries()) {
      if (seen.has(value)) this.add([...path, index], 'occurs twice.');
      seen.add(value);
    }
  }

  /** Reads global ids of one type, of one surface; what is none is noted, and left out. */
  ids(
    path: Path,
    ids: readonly string[],
    wanted: { readonly type: NodeType; readonly surface: Surface },
  ): string[] {
    return this.globalIds(path, ids, wanted).map(({ rawId }) => rawId);
  }

  /** The same, of either surface unless one is wanted. */
  globalIds(path: Path, ids: readonly string[], wanted: WantedId): GlobalId[] {
    return checkable(ids).flatMap((id, index) => {
      const decoded = parseGlobalId(id);
      const problem = problemOfId(decoded, wanted);
      if (decoded && problem === null) return [decoded];
      this.add([...path, index], problem ?? '');
      return [];
    });
  }

  /** Notes what can't be an id of the service's. */
  rawIds(path: Path, ids: readonly string[]): void {
    for (const [index, id] of checkable(ids).entries()) {
      if (ADDRESS.test(id)) this.add([...path, index], 'is a URL; use the id that the service assigned.');
      else if (!RAW_ID.test(id)) this.add([...path, index], 'is not an id: it is empty or contains spaces.');
    }
  }

  /** Reads raw ids that must travel as numbers; one that would lose digits is noted, and left out. */
  numbers(path: Path, ids: readonly string[]): number[] {
    return checkable(ids).flatMap((id, index) => {
      const value = Number(id);
      if (/^\d+$/.test(id) && Number.isSafeInteger(value) && value > 0) return [value];
      this.add([...path, index], 'is no whole number that can be sent exactly.');
      return [];
    });
  }
}

const TOO_MANY = userError(
  'INVALID_INPUT',
  `input has more than ${MAX_PROBLEMS} problems; the others are not listed.`,
  { path: ['input'] },
);

/** The elements of a list that are checked one by one: a list that is too long is a problem already. */
export function checkable<T>(values: readonly T[]): readonly T[] {
  return values.length > MAX_LIST ? values.slice(0, MAX_LIST) : values;
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
