import { recordOf, type Graph, type GraphResult } from './graph.ts';
import type { Arguments } from './input.ts';
import type { Tool } from './tool.ts';

/** One call of a tool. */
export interface ToolCall {
  readonly tool: Tool;
  /** The variables of its operation. */
  readonly input: Arguments;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
  /** How long to wait for a text that is slow to generate, in milliseconds. */
  readonly textWithinMs: number;
}

/**
 * Executes the operation of a tool. If a generated text is pending, waits for it and then repeats the write with the same
 * key, which does not send it again. If that shows no text, the first result stands: the text has been requested.
 */
export async function callTool(
  graph: Graph,
  { tool, input, signal, textWithinMs }: ToolCall,
): Promise<GraphResult> {
  const operation = { query: tool.document, variables: input };
  const result = await graph.execute(operation, { signal });
  const pending = tool.takesKey ? pendingTextIn(result) : null;
  if (pending === null) return result;
  await waitForText(graph, pending, AbortSignal.any([signal, AbortSignal.timeout(textWithinMs)]));
  try {
    const again = await graph.execute(operation, { signal });
    return textIn(again) === null ? result : withReplayedOf(result, again);
  } catch {
    signal.throwIfAborted();
    return result;
  }
}

/** Returns the repeated result as that of the call that may have sent the write: only its first result says whether it did. */
function withReplayedOf(first: GraphResult, again: GraphResult): GraphResult {
  const payloads = Object.entries(again.data ?? {}).map(([name, payload]) => {
    const { replayed } = recordOf(first.data?.[name]);
    return [name, replayed === undefined ? payload : { ...recordOf(payload), replayed }];
  });
  return { ...again, data: Object.fromEntries(payloads) };
}

/** Returns the id of a generated text that is pending in a result; null if there is none. */
function pendingTextIn(result: GraphResult): string | null {
  const text = textIn(result);
  return text?.status === 'PENDING' ? text.id : null;
}

/** Returns the generated text in a result; null if there is none. */
function textIn({ data }: GraphResult): { readonly id: string; readonly status: unknown } | null {
  for (const payload of Object.values(data ?? {})) {
    const { id, status } = recordOf(recordOf(payload)['aiGeneration']);
    if (typeof id === 'string') return { id, status };
  }
  return null;
}

const WATCHED = 'subscription WaitForText($id: ID!) { aiGenerationUpdated(id: $id) { status } }';

/** Waits until a text is available, has been given up, or has taken too long. */
async function waitForText(graph: Graph, id: string, signal: AbortSignal): Promise<void> {
  try {
    const events = await graph.subscribe({ query: WATCHED, variables: { id } }, { signal });
    if (!(Symbol.asyncIterator in events)) return;
    for await (const { data } of events)
      if (recordOf(data?.['aiGenerationUpdated'])['status'] !== 'PENDING') return;
  } catch {
    // However the wait ends, repeating the write shows what there is of the text.
  }
}
