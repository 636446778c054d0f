export { createClient, type Client, type ClientOptions, type RequestOptions } from './client.ts';
export * from './documents.ts';
export { ConnectionError, GraphError, type ErrorOfGraph } from './errors.ts';
export { follow, type FollowedGeneration } from './follow.ts';
export type { Credentials } from './headers.ts';
export { publishOnce, type PublishInput, type PublishOptions, type PublishResult } from './publish-once.ts';
export { repeat, type RepeatOptions } from './repeat.ts';
export type { TypedDocument } from './typed-document.ts';
export { subscribe, type SubscribeOptions } from './subscribe.ts';
export { walk, WalkError, type Page, type WalkErrorCode, type WalkOptions } from './walk.ts';
export {
  newIdempotencyKey,
  writeOnce,
  type KeyedMutation,
  type WriteOptions,
  type WritePayload,
  type WriteResult,
} from './write-once.ts';
