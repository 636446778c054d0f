import { landmarks } from '../../packages/sandbox/src/data/landmarks.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';
import { READ_CALLS } from './read-calls.ts';
import { CALLBACK } from './consent.ts';
import { documentOf, EXAMPLES, legacyAccount, type Input, type MutationName } from './writes.ts';

/** An operation with its variables. */
export interface Operation {
  readonly query: string;
  readonly variables: { readonly input?: Input };
}

/** Operations that make the twenty-one calls that the graph makes, in any order and any number. */
export function operationsOfEveryKind(sandbox: Sandbox): Operation[] {
  const reads = READ_CALLS.map(({ field }) => ({ query: `{ ${field(sandbox)} }`, variables: {} }));
  const image = { ...EXAMPLES.createStatusUpdate, imageUrl: 'https://pictures.example.com/ferry.jpg' };
  return [...reads, ...WRITES.map(([name, input]) => write(name, input)), write('createStatusUpdate', image)];
}

const WRITES: readonly (readonly [name: MutationName, input: Input])[] = [
  ['createPost', EXAMPLES.createPost],
  ['createDraft', EXAMPLES.createDraft],
  ['createLibraryItem', EXAMPLES.createLibraryItem],
  ['createStatusUpdate', EXAMPLES.createStatusUpdate],
  ['generateAiText', EXAMPLES.generateAiText],
  ['pauseAccount', EXAMPLES.resumeAccount],
  ['resumeAccount', EXAMPLES.resumeAccount],
  ['createBillingPortalSession', {}],
  ['exchangeAuthorizationCode', { code: 'c'.repeat(80), redirectUri: CALLBACK }],
  // What the others need is left alone.
  ['deleteAccount', { accountId: legacyAccount(landmarks.reconnectId) }],
  ['deleteAccountGroup', EXAMPLES.deleteAccountGroup],
];

function write(name: MutationName, input: Input): Operation {
  return { query: documentOf(name), variables: name === 'createBillingPortalSession' ? {} : { input } };
}
