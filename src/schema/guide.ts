/** What a reader meets before anything else of the graph, in Markdown: where to begin, and what holds everywhere. */
export const GUIDE = `
One graph over both surfaces of a social publishing service: accounts, groups, queue, posts, library, AI texts and plan.

**Headers.** \`x-api-key: KEY\` opens the current surface, with everything in full; \`authorization: Bearer TOKEN\` opens the
legacy one, with short lists of its own. Send one or both, with each operation.

**Where to begin.** \`surfaces\` tells what can be reached and which credentials came along. Then \`accounts\`: use their
\`id\` in \`accountIds\`. \`createPost\` creates posts; \`queuedPosts\` lists those that wait in the queue.

**Lists** come in windows: \`first\` and \`after\`, or \`last\` and \`before\`, up to 100 at a time. To go on, put
\`pageInfo.endCursor\` into \`after\`. No record is skipped or repeated while the list changes,
unless \`pageInfo.drifted\` is true.

**Errors.** A field whose surface fails is null, with an error that has a \`code\`, whether it is \`retryable\`, and a
\`requestId\`; the rest of the answer stands.

**Writes** say in \`outcome\` what became of them, and in \`userErrors\` what to change. Nothing is sent twice. Give an
\`idempotencyKey\`, and repeating a call is safe.

**Live results.** \`generateAiText\` may answer \`PENDING\`. \`aiGenerationUpdated\` waits for that text, \`aiGenerationFinished\`
for whatever your key generates, over WebSocket or as server-sent events.
`.trim();
