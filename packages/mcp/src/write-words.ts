import { arrayOf, recordOf, type GraphError, type GraphResult } from './graph.ts';
import type { Tool } from './tool.ts';

/** The text for an assistant that precedes the data. */
export interface Told {
  readonly words: readonly string[];
  readonly isError: boolean;
}

/** Describes one problem; its message is quoted, since it may contain text from the service. */
export function quoted(message: unknown, code: unknown, path: readonly unknown[] | undefined): string {
  const text = JSON.stringify(String(message));
  const at = path && path.length > 0 ? `, at ${path.join('.')}` : '';
  return `- ${text} (${String(code)}${at})`;
}

const SAME_KEY = 'the same idempotencyKey and the same arguments';
const NOT_SENT_AGAIN = `Calling this tool again with ${SAME_KEY} is safe: the write is not repeated.`;

const NOT_KNOWN_WITH_KEY = [
  'It is NOT KNOWN whether the write succeeded.',
  'Do not use a new idempotencyKey or change the arguments: that could repeat the write.',
  'Call write_outcome with this idempotencyKey later. To see whether a post is queued, use list_queue.',
  NOT_SENT_AGAIN,
];

const NOT_KNOWN_WITHOUT_KEY = [
  'It is NOT KNOWN whether the write succeeded. Calling this tool again with the same arguments is safe.',
];

/**
 * Describes the result of a write, and what can be done next without executing it twice.
 *
 * @param failures Descriptions of the errors outside the payload.
 */
export function tellWrite(
  { takesKey }: Pick<Tool, 'takesKey'>,
  result: GraphResult,
  failures: readonly string[],
): Told {
  const payload = recordOf(Object.values(result.data ?? {})[0]);
  if (typeof payload['outcome'] !== 'string') {
    // Without data, nothing was executed; if data is null, the write may have been sent before something failed.
    const wasExecuted = 'data' in result && result.errors?.some(isOfInput) !== true;
    const head = wasExecuted ? notKnown(takesKey) : ['Nothing was done. Correct these problems:'];
    return { words: [...head, ...failures], isError: true };
  }
  const { words, isError } = tellOutcome(takesKey, payload);
  const again =
    payload['replayed'] === true
      ? ['This is the result of an earlier call with this idempotencyKey; nothing was sent again.']
      : [];
  const partial = failures.length > 0 ? ['Part of the result could not be read:', ...failures] : [];
  return { words: [...words, ...again, ...partial], isError };
}

// An error in a field of the payload says nothing about the write.
function isOfInput({ extensions, path = [] }: GraphError): boolean {
  return extensions?.['code'] === 'BAD_USER_INPUT' && path.length <= 1;
}

function notKnown(takesKey: boolean): readonly string[] {
  return takesKey ? NOT_KNOWN_WITH_KEY : NOT_KNOWN_WITHOUT_KEY;
}

function tellOutcome(takesKey: boolean, payload: Readonly<Record<string, unknown>>): Told {
  const { outcome, aiGeneration, userErrors } = payload;
  const problems = problemsOf(userErrors);
  const told = problems.map(({ words }) => words);
  switch (outcome) {
    case 'COMPLETED':
      return { words: WITHOUT_TEXT.get(recordOf(aiGeneration)['status']) ?? ['Done.'], isError: false };
    case 'PARTIAL':
      return { words: ['Only part of it was done:', ...told, DO_NOT_REPEAT], isError: false };
    case 'REJECTED': {
      const words = ['Rejected; nothing was done:', ...told, adviceOn(takesKey, problems)];
      return { words, isError: true };
    }
    default:
      return { words: [...notKnown(takesKey), ...told], isError: true };
  }
}

/** What is said of a text that is not there, by its status. */
const WITHOUT_TEXT: ReadonlyMap<unknown, readonly string[]> = new Map([
  [
    'PENDING',
    [
      'The text was requested and is not ready yet (status PENDING).',
      `Call this tool again later with ${SAME_KEY}: this costs no further credit and returns the text once it is ready.`,
    ],
  ],
  [
    'EXPIRED',
    [
      'The text was requested, but did not arrive in time (status EXPIRED).',
      'It may still appear in list_generated_texts. Requesting another text takes a new idempotencyKey and may spend another credit.',
    ],
  ],
]);

const DO_NOT_REPEAT =
  'Do not repeat the whole write. Tell the user what is missing, and use list_queue to see what was created.';

interface Problem {
  readonly code: string;
  readonly retryable: boolean;
  readonly words: string;
}

/** Describes the elements of a list such as `userErrors`. */
export function problemsOf(list: unknown): Problem[] {
  return arrayOf(list).map((error) => {
    const { code, message, path, retryable } = recordOf(error);
    const words = quoted(message, code, arrayOf(path).slice(1));
    return { code: String(code), retryable: retryable === true, words };
  });
}

/** Advises what to do about a refusal. */
function adviceOn(takesKey: boolean, problems: readonly Problem[]): string {
  const has = (code: string): boolean => problems.some((problem) => problem.code === code);
  if (has('IDEMPOTENCY_KEY_REUSED'))
    return 'This idempotencyKey belongs to another write. To repeat that one, send its arguments unchanged; write_outcome returns its result. Use a new idempotencyKey only for a write that was never sent.';
  if (has('CREDENTIAL_MISSING') || has('CREDENTIAL_REJECTED'))
    return 'Only the user can fix this, by changing the credentials sent to this server.';
  if (has('SURFACE_NOT_CONFIGURED'))
    return 'Only the user can fix this, by changing the settings of this server.';
  if (has('IDEMPOTENCY_UNAVAILABLE'))
    return `This says nothing about an earlier call with this idempotencyKey, which may have succeeded. Try again later with ${SAME_KEY}.`;
  if (problems.some(({ retryable }) => retryable))
    return takesKey ? `Try again later with ${SAME_KEY}.` : 'Try again later.';
  return takesKey
    ? 'Correct the arguments and send them with a new idempotencyKey; nothing was done with this one.'
    : 'Correct the arguments.';
}

/** Describes what is known of a write, looked up by its key. */
export function tellLookup(known: unknown, failures: readonly string[]): Told {
  if (failures.length > 0) return { words: [LOOKUP_FAILED, ...failures], isError: true };
  if (known === null || known === undefined) return { words: NOTHING_KNOWN, isError: false };
  const { mutation, isUnderWay, payload } = recordOf(known);
  const name = String(mutation);
  if (isUnderWay === true)
    return {
      words: [`The write ${name} is still in progress. Ask again in a few seconds; do not send it again.`],
      isError: false,
    };
  const { words } = tellOutcome(true, recordOf(payload));
  return { words: [`The result of ${name} with this key:`, ...words], isError: false };
}

const LOOKUP_FAILED =
  'The result could not be looked up, which proves nothing about the write. Do not use a new key; ask again later.';

const NOTHING_KNOWN = [
  'No write with this idempotencyKey is stored for these credentials. This proves nothing: it may not have arrived, may have been refused before it was sent, or may be too old: writes are remembered for 24 hours unless the server is configured otherwise.',
  `Calling the write again with ${SAME_KEY} is safe while the write is remembered: it is not repeated. Do not use a new key.`,
];
