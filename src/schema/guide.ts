/** The introduction to the graph, in Markdown: where to begin, and what applies everywhere. */
export const GUIDE = `
One graph over both surfaces of a social publishing service: accounts, groups, queue, posts, library, AI texts and plan.

**Headers.** Send \`x-api-key: KEY\` for the current surface, which has full records, and \`authorization: Bearer TOKEN\` for
the legacy surface, which has short lists of its own. Send one or both with each operation.

**Where to begin.** \`surfaces\` shows which surfaces can be used and which credentials were sent. List \`accounts\` and use
their \`id\` in \`accountIds\`. \`createPost\` creates posts; \`queuedPosts\` lists those that wait in the queue.

**Lists** are paginated: \`first\` and \`after\`, or \`last\` and \`before\`, up to 100 records at a time. For the next page,
send \`pageInfo.endCursor\` as \`after\`. No record is skipped or repeated while the list changes,
unless \`pageInfo.drifted\` is true.

**Errors.** A field whose surface fails is null, with an error that has a \`code\`, whether it is \`retryable\`, and a
\`requestId\`; the other fields are unaffected.

**Writes** report their result in \`outcome\`, and problems in \`userErrors\`. Nothing is sent twice. With an
\`idempotencyKey\`, repeating a call is safe.

**Live results.** \`generateAiText\` may answer \`PENDING\`. \`aiGenerationUpdated\` waits for that text, \`aiGenerationFinished\`
for whatever your key generates, over WebSocket or as server-sent events.
`.trim();
