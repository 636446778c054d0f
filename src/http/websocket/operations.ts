/** The operations of one socket: their names here, which of them run, and their cancellation. */
export interface SocketOperations {
  /** Starts an operation under the client's id and returns our name for it; null if the id is in use. */
  begin(clientId: string): string | null;
  /** Aborts an operation at its client's request and returns our name for it; null if there is none. */
  cancel(clientId: string): string | null;
  /** Removes an operation that no longer runs here. */
  end(name: string): void;
  /** Returns a signal that is aborted when the client ends the operation or disconnects. */
  signalOf(name: string): AbortSignal;
  /** Returns a message to the client, with the client's id in place of our name. */
  forClient(text: string): string;
  /** Counts a query or mutation as executing until it has ended. */
  track<T>(execution: T | Promise<T>): Promise<T>;
  /** Aborts everything; called when the client has disconnected. */
  abortAll(): void;
  /** The number of running operations, including those that their client has ended but that have not yet ended here. */
  readonly running: number;
  /** Whether a query or mutation is being executed. */
  readonly isExecuting: boolean;
}

/**
 * Creates the operations of one socket.
 *
 * The protocol's library identifies an operation only by its client's id: one that the client has ended, but that still
 * runs here, would respond as the next one with that id. So each operation gets its own name.
 */
export function createSocketOperations(): SocketOperations {
  const names = new Map<string, string>();
  const operations = new Map<string, Operation>();
  let begun = 0;
  let executing = 0;
  const forget = (clientId: string, name: string): void => {
    if (names.get(clientId) === name) names.delete(clientId);
  };
  return {
    begin(clientId) {
      if (names.has(clientId)) return null;
      begun += 1;
      const name = String(begun);
      names.set(clientId, name);
      operations.set(name, { clientId, controller: new AbortController() });
      return name;
    },
    cancel(clientId) {
      const name = names.get(clientId) ?? null;
      names.delete(clientId);
      if (name !== null) operations.get(name)?.controller.abort();
      return name;
    },
    end(name) {
      const operation = operations.get(name);
      operations.delete(name);
      if (operation) forget(operation.clientId, name);
    },
    signalOf: (name) => operations.get(name)?.controller.signal ?? AbortSignal.abort(),
    forClient(text) {
      const [head = '', name = '', type] = NAMED.exec(text) ?? [];
      const operation = operations.get(name);
      if (!operation) return text;
      // Once the client has been told of the end, it may reuse the id.
      if (type !== 'next') forget(operation.clientId, name);
      return `{"id":${JSON.stringify(operation.clientId)},"type":"${type}"${text.slice(head.length)}`;
    },
    async track(execution) {
      executing += 1;
      try {
        return await execution;
      } finally {
        executing -= 1;
      }
    },
    abortAll() {
      for (const { controller } of operations.values()) controller.abort();
    },
    get running() {
      return operations.size;
    },
    get isExecuting() {
      return executing > 0;
    },
  };
}

interface Operation {
  readonly clientId: string;
  readonly controller: AbortController;
}

/** The beginning of a message of the protocol's library that belongs to an operation. */
const NAMED = /^\{"id":"(\d+)","type":"(next|error|complete)"/;
