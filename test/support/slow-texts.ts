import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts';

/** Options of a sandbox in which a slow text is not ready before the test says so. */
export const ENDLESSLY_SLOW = { slowAiDelayMs: 3_600_000 } as const;

/** Finishes the slow texts of the first owner. */
export function finishTexts({ generations, owners: [{ name }] }: Sandbox): void {
  const pending = generations.pending(name);
  if (pending.length === 0) throw new Error('no text is pending');
  for (const { contentId } of pending) generations.finish(contentId);
}

/** Finishes the slow texts of the first owner once somebody waits for them. */
export async function finishTextsOnceFollowed(sandbox: Sandbox): Promise<void> {
  await sandbox.push.waitForOpen(1);
  finishTexts(sandbox);
}
