import type { Surface } from '../sources/errors.ts';
import { cutText } from '../cut-text.ts';
import { parseGlobalId, type GlobalId, type NodeType } from '../records/global-id.ts';
import { isKey } from '../journal/journal.ts';
import { userError, type UserError, type UserErrorCode } from './outcome.ts';

/** Maximum number of listed problems of an input. */
export const MAX_PROBLEMS = 50;
/** Maximum number of elements in a list of an input. */
export const MAX_LIST = 250;
/** Maximum length of a text of an input, in characters. */
export const MAX_TEXT = 60_000;

const ADDRESS = /^(?:[a-z][a-z\d+.-]*:)?\/\//i;
const RAW_ID = /^[\u0021-\u007E]{1,255}$/;

type Path = readonly (string | number)[];

/** The problems of an input, each with its path starting with `input`, up to a maximum number. */
export class Problems {
  private readonly found: UserError[] = [];

  /** Checks what all inputs have in common: the idempotency key, and the limits on lists and texts. */
  static of(input: { readonly idempotencyKey?: string | null | undefined }): Problems {
    const problems = new Problems();
    problems.key(input.idempotencyKey);
    problems.limits(input);
    return problems;
  }

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

  /** Reports a problem of the argument at a path, in a complete sentence for the author of the input. */
  add(path: Path, message: string, code: UserErrorCode = 'INVALID_INPUT'): void {
    if (this.isFull) {
      this.found[MAX_PROBLEMS] = TOO_MANY;
      return;
    }
    const full = ['input', ...path.map(String)];
    this.found.push(userError(code, message, { path: full }));
  }

  /** Reports lists and texts that are too long, and texts that JSON can't carry, at every depth. */
  limits(value: unknown, path: string[] = []): void {
    if (this.found.length > MAX_PROBLEMS) return;
    if (typeof value === 'string') {
      if (value.length > MAX_TEXT)
        this.add(
          path,
          `The ${nounAt(path, 'value')} is too long: ${value.length} characters (maximum ${MAX_TEXT}).`,
        );
      else if (!value.isWellFormed()) this.add(path, `The ${nounAt(path, 'value')} ${HALF_A_CHARACTER}`);
    } else if (Array.isArray(value) && value.length > MAX_LIST) {
      this.add(path, `There are too many ${nounAt(path, 'values')}: ${value.length} (maximum ${MAX_LIST}).`);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, child] of Object.entries(value)) {
        if (name.isWellFormed()) {
          path.push(name);
          this.limits(child, path);
          path.pop();
        } else this.add(path, `A name in the input ${HALF_A_CHARACTER}`);
      }
    }
  }

  /** Reports a blank text. */
  text(path: Path, value: string): void {
    if (value.trim() === '') this.add(path, `The ${nounAt(path, 'value')} is blank.`);
  }

  /** Reports an invalid idempotency key. */
  private key(value: string | null | undefined): void {
    if (value != null && !isKey(value)) {
      this.add(['idempotencyKey'], 'The idempotency key must be 1 to 255 visible ASCII characters.');
    }
  }

  /** Reports an empty list, or repeated elements; `noun` names one of them. */
  elements(path: Path, values: readonly unknown[], noun: string): void {
    if (values.length === 0) this.add(path, `Choose at least one ${noun}.`);
    const seen = new Set<unknown>();
    for (const [index, value] of checkable(values).entries()) {
      if (seen.has(value)) this.add([...path, index], `The same ${noun} was chosen twice.`);
      seen.add(value);
    }
  }

  /** Reads the raw ids of global ids of one type and surface; others are reported, and null in their place. */
  ids(
    path: Path,
    ids: readonly string[],
    wanted: { readonly type: NodeType; readonly surface: Surface },
  ): (string | null)[] {
    return checkable(ids).map((id, index) => this.globalId([...path, index], id, wanted)?.rawId ?? null);
  }

  /** Reads global ids of one type, of either surface unless one is required; others are reported and omitted. */
  globalIds(path: Path, ids: readonly string[], wanted: WantedId): GlobalId[] {
    return checkable(ids).flatMap((id, index) => this.globalId([...path, index], id, wanted) ?? []);
  }

  private globalId(path: Path, id: string, wanted: WantedId): GlobalId | null {
    const decoded = parseGlobalId(id);
    if (decoded !== null && isWanted(decoded, wanted)) return decoded;
    this.add(path, problemOfId(id, decoded, wanted));
    return null;
  }

  /** Reports values that cannot be the service's ids of uploaded media. */
  mediaIds(path: Path, ids: readonly string[]): void {
    for (const [index, id] of checkable(ids).entries()) {
      const add = (problem: string): void => this.add([...path, index], `${quoted(id)} ${problem}`);
      if (ADDRESS.test(id)) add('is a URL; use the media id that the service assigned to the file.');
      else if (!RAW_ID.test(id)) add('is not a media id: it is empty or contains spaces.');
    }
  }

  /** Reads raw ids that must be sent as numbers; one that would lose digits is reported and omitted, and so is null. */
  numbers(path: Path, ids: readonly (string | null)[], noun: string): number[] {
    return checkable(ids).flatMap((id, index) => {
      if (id === null) return [];
      const value = Number(id);
      if (/^\d+$/.test(id) && Number.isSafeInteger(value) && value > 0) return [value];
      this.add(
        [...path, index],
        `${quoted(id)} is not the id of ${withArticle(noun)}: it must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}.`,
      );
      return [];
    });
  }
}

/** What is wrong with a text that has a surrogate without its other half, such as a cut emoji. */
export const HALF_A_CHARACTER = 'contains half of a character, such as half an emoji (a lone surrogate).';

const TOO_MANY = userError(
  'INVALID_INPUT',
  `There are more than ${MAX_PROBLEMS} problems; the others are not listed.`,
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

function isWanted(id: GlobalId, { type, surface }: WantedId): boolean {
  return id.type === type && (surface === undefined || id.surface === surface);
}

/** Explains why an id is not one of those wanted. */
export function problemOfId(id: string, decoded: GlobalId | null, { type, surface }: WantedId): string {
  const noun = wordsOf(type);
  const wanted = withArticle(noun);
  if (decoded === null)
    return `${quoted(id)} is not the ID of ${wanted}; use the ID from this API, not the number in the service.`;
  if (decoded.type !== type)
    return `${quoted(id)} is the ID of ${withArticle(wordsOf(decoded.type))}; choose ${wanted}.`;
  return `The ${noun} ${quoted(decoded.rawId)} is on the ${decoded.surface} surface; choose one of the ${surface} surface.`;
}

const MAX_QUOTED = 60;

/** Returns a value from the input in quotation marks, shortened. */
function quoted(value: string): string {
  return JSON.stringify(cutText(value, MAX_QUOTED));
}

/** Names the argument at a path in words, such as "long text"; other keys of an input may be any text. */
function nounAt(path: Path, fallback: string): string {
  const name = path.findLast((step) => typeof step === 'string') ?? '';
  return /^[a-z][a-zA-Z]{0,40}$/.test(name) ? wordsOf(name) : fallback;
}

/** Splits a name of the schema into words: `accountGroupIds` becomes "account group IDs". */
function wordsOf(name: string): string {
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return words.replaceAll(/\b(?:id|url)(?=s?\b)/g, (word) => word.toUpperCase()).replace(/^ai\b/, 'AI');
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
