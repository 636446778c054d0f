import type { ExecutionResult } from 'graphql';
import type { Graph } from '../../../src/graph.ts';
import type { OperationContext } from '../../../src/operation/operation.ts';
import { recordOf } from './json.ts';

// Texts of the service's AI assistant may arrive minutes after they were requested.

/** Returns the id of a generated text that is pending in a result; null if there is none. */
export function pendingTextIn({ data }: ExecutionResult): string | null {
  for (const payload of Object.values(data ?? {})) {
    const { aiGeneration } = recordOf(payload);
    const { id, status } = recordOf(aiGeneration);
    if (status === 'PENDING' && typeof id === 'string') return id;
  }
  return null;
}

const WATCHED = 'subscription WaitForText($id: ID!) { aiGenerationUpdated(id: $id) { status } }';

/** The text to wait for, and until when. */
export interface Waiting {
  readonly id: string;
  readonly context: OperationContext;
  readonly until: AbortSignal;
}

/** Waits until a text is available, has been given up, or has taken too long. */
export async function waitForText(graph: Graph, { id, context, until }: Waiting): Promise<void> {
  const operation = graph.prepare(WATCHED).operation(null);
  const events = await graph.subscribe({ operation, context, variables: { id } });
  if (!(Symbol.asyncIterator in events)) return;
  const stop = (): void => void events.return?.();
  until.addEventListener('abort', stop, { once: true });
  if (until.aborted) stop();
  try {
    for await (const { data } of events) {
      if (recordOf(data?.['aiGenerationUpdated'])['status'] !== 'PENDING') return;
    }
  } finally {
    until.removeEventListener('abort', stop);
  }
}
