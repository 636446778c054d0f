import { expect } from 'vitest';
import { encodeGlobalId, type NodeType } from '../../src/records/global-id.ts';
import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import type { Surface } from '../../src/sources/errors.ts';
import type { CallerHeaders, RunningGraph } from './graph.ts';
import { landmarks } from './landmarks.ts';

// The mutations, each with an input that works on the sandbox's first owner.

const SEVERAL =
  'results { accountId outcome userErrors { code message path retryable } account { id surface loginId isPaused } }';

/** What to select of each payload beside what every payload has. */
const SELECTIONS = {
  createPost: 'replayed postIds createdCount isScheduledLimitReached customResponse message',
  createDraft: 'replayed draftId message',
  createLibraryItem: 'replayed libraryItem { id itemId title } message',
  createStatusUpdate: 'replayed postId',
  generateAiText: 'replayed aiGeneration { id contentId status text } message',
  pauseAccount: 'account { id surface loginId isPaused }',
  resumeAccount: 'account { id surface loginId isPaused }',
  pauseAccounts: SEVERAL,
  resumeAccounts: SEVERAL,
  deleteAccount: 'deletedAccountIds',
  deleteAccountGroup: 'deletedAccountGroupId',
  createBillingPortalSession: 'session { portalUrl sessionId accessUrl token }',
  exchangeAuthorizationCode: 'accessToken tokenType expiresAt',
} as const;

export type MutationName = keyof typeof SELECTIONS;
/** The mutations that take an idempotency key, and the call that each makes. */
export const KEYED_CALLS = {
  createPost: 'POST /posts/create',
  createDraft: 'POST /draft/create',
  createLibraryItem: 'POST /library/create',
  createStatusUpdate: 'POST /oauth/post/update',
  generateAiText: 'POST /openai/response',
} as const satisfies Partial<Record<MutationName, EndpointName>>;
export type KeyedName = keyof typeof KEYED_CALLS;
export const KEYED = Object.keys(KEYED_CALLS) as readonly KeyedName[];

export type Input = Readonly<Record<string, unknown>>;

export interface WritePayload extends Readonly<Record<string, unknown>> {
  readonly outcome: string;
  readonly replayed?: boolean;
  readonly userErrors: readonly WriteError[];
}

export interface WriteError {
  readonly code: string;
  readonly message: string;
  readonly path: readonly string[] | null;
  readonly retryable: boolean;
}

export function documentOf(name: MutationName, selection: string = SELECTIONS[name]): string {
  const payload = `{ outcome userErrors { code message path retryable } ${selection} }`;
  if (name === 'createBillingPortalSession') return `mutation { ${name} ${payload} }`;
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
  return `mutation ($input: ${type}!) { ${name}(input: $input) ${payload} }`;
}

/** Runs a mutation; returns its payload. Fails the test if the operation has errors, or a message is not for people. */
export async function write(
  graph: RunningGraph,
  name: MutationName,
  input: Input = {},
  { headers, selection }: { readonly headers?: CallerHeaders; readonly selection?: string } = {},
): Promise<WritePayload> {
  const { data, errors } = await graph.query(documentOf(name, selection), {
    variables: name === 'createBillingPortalSession' ? {} : { input },
    ...(headers ? { headers } : {}),
  });
  expect(errors).toEqual([]);
  const payloads = data as Readonly<Record<MutationName, WritePayload>>;
  expectForPeople(payloads[name].userErrors);
  return payloads[name];
}

/** Codes and paths of a payload's errors, as `INVALID_INPUT input.accountIds.0`, in order. */
export function problemsOf({ userErrors }: WritePayload): string[] {
  return userErrors.map(({ code, path }) => [code, ...(path ? [path.join('.')] : [])].join(' ')).toSorted();
}

/** What is said of a write: its outcome, and its problems as above. */
export function verdictOf(payload: WritePayload): string[] {
  return [payload.outcome, ...problemsOf(payload)];
}

/** The id of a record in the graph, made of the service's own id. */
export function idOf(type: NodeType, surface: Surface, rawId: number | string): string {
  return encodeGlobalId({ type, surface, rawId: String(rawId) });
}

export function account(loginId: number | string = landmarks.plainId): string {
  return idOf('Account', 'current', loginId);
}

export function legacyAccount(loginId: number | string = landmarks.plainId): string {
  return idOf('Account', 'legacy', loginId);
}

export function legacyGroup(groupId: number | string): string {
  return idOf('AccountGroup', 'legacy', groupId);
}

/** A group of the first owner with members on the legacy surface. */
export const GROUP_ID = 5_103;

/** An input of each mutation that the sandbox carries out. */
export const EXAMPLES: Readonly<Record<Exclude<MutationName, 'exchangeAuthorizationCode'>, Input>> = {
  createPost: {
    accountIds: [account()],
    timing: { placement: 'QUEUE' },
    variants: [{ variant: 'ORIGINAL', text: 'Doors at seven.' }],
  },
  createDraft: { accountIds: [account()], variants: [{ variant: 'ORIGINAL', text: 'Not yet.' }] },
  createLibraryItem: {
    title: 'Tide table',
    kind: 'POST',
    tags: ['tides'],
    variants: [{ variant: 'ORIGINAL', text: 'High water at nine.' }],
  },
  createStatusUpdate: { text: 'The ferry is late.', accountIds: [legacyAccount()] },
  generateAiText: { prompt: 'A word on limewash', tone: 'Warm' },
  pauseAccount: { accountId: legacyAccount() },
  resumeAccount: { accountId: legacyAccount(landmarks.pausedId) },
  pauseAccounts: { accountIds: [legacyAccount()], accountGroupIds: [legacyGroup(GROUP_ID)] },
  resumeAccounts: { accountIds: [legacyAccount(landmarks.pausedId)] },
  deleteAccount: { accountId: legacyAccount() },
  deleteAccountGroup: { accountGroupId: legacyGroup(GROUP_ID) },
  createBillingPortalSession: {},
};

export const DRAFT = { query: documentOf('createDraft'), variables: { input: EXAMPLES.createDraft } };

/** What a message must not contain: an argument's name, its path, or the name of a setting. */
const TERMS = /\b[a-z]+[A-Z]\w*|\b[A-Z]+_[A-Z_]+\b|\b(?:input|timing)\.\w|[a-zA-Z]\.\d+\b/g;

// What the caller or the service wrote is quoted as it is.
const QUOTATIONS = /"(?:[^"\\]|\\.)*"| The service says: .*$/gsu;

/** Fails the test for messages that are not complete sentences for the person who wrote the post. */
export function expectForPeople(problems: readonly { readonly message: string }[]): void {
  for (const { message } of problems) {
    expect(message.replaceAll(QUOTATIONS, '""').match(TERMS) ?? []).toEqual([]);
    expect(message).toMatch(/^["\p{Lu}\d].*(?:\.| The service says: .+)$/su);
  }
}
