import type { RawData, WebSocket } from 'ws';

/** The signals of the operations that run over sockets: aborted when the client ends the operation, or is gone. */
export interface OperationSignals {
  /** Begins to watch a socket; to be called before its first operation. */
  watch(socket: WebSocket): void;
  /** The signal of a new operation. */
  begin(socket: WebSocket, operationId: string): AbortSignal;
  /** Forgets an operation that has ended. */
  end(socket: WebSocket, operationId: string): void;
}

/** Makes the signals of one server. The protocol's own library tells of an operation's end only when its result is there. */
export function createOperationSignals(): OperationSignals {
  const running = new WeakMap<WebSocket, Map<string, AbortController>>();
  const operations = (socket: WebSocket): Map<string, AbortController> => {
    const known = running.get(socket) ?? new Map<string, AbortController>();
    running.set(socket, known);
    return known;
  };
  return {
    watch(socket) {
      socket.on('message', (data) => {
        const operationId = completedIn(data);
        if (operationId !== null) operations(socket).get(operationId)?.abort();
      });
      socket.once('close', () => {
        for (const controller of operations(socket).values()) controller.abort();
      });
    },
    begin(socket, operationId) {
      const controller = new AbortController();
      operations(socket).set(operationId, controller);
      return controller.signal;
    },
    end(socket, operationId) {
      operations(socket).delete(operationId);
    },
  };
}

const LONGEST_COMPLETE_BYTES = 1_024;

function completedIn(data: RawData): string | null {
  const text = Buffer.isBuffer(data) && data.length <= LONGEST_COMPLETE_BYTES ? data.toString() : '';
  if (!text.includes('"complete"')) return null;
  try {
    const message: unknown = JSON.parse(text);
    const isComplete =
      typeof message === 'object' && message !== null && 'type' in message && message.type === 'complete';
    return isComplete && 'id' in message && typeof message.id === 'string' ? message.id : null;
  } catch {
    return null;
  }
}
