/** The operations of one socket: what they are called here, which of them run, and what ends them. */
export interface SocketOperations {
  /** Begins an operation under the client's id, and gives our name for it; null when the client has one of that id. */
  begin(clientId: string): string | null;
  /** Aborts an operation that its client wants no more, and gives our name for it; null when there is none. */
  cancel(clientId: string): string | null;
  /** Forgets an operation that no longer runs here. */
  end(name: string): void;
  /** Aborted when the client ends the operation, or is gone. */
  signalOf(name: string): AbortSignal;
  /** A message to the client, with the client's id in the place of our name. */
  forClient(text: string): string;
  /** Counts the execution of a query or mutation until it has ended. */
  track<T>(execution: T | Promise<T>): Promise<T>;
  /** Aborts everything; to be called when the client is gone. */
  abortAll(): void;
  /** How many run, those that their client has ended but that have not come to an end here among them. */
  readonly running: number;
  /** Whether a query or mutation is being executed. */
  readonly isExecuting: boolean;
}

/**
 * Makes the operations of one socket.
 *
 * The protocol's library knows an operation by its client's id alone: one that the client has ended, but that still runs
 * here, would answer in the name of the next one with that id. So each gets a name of its own.
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
      // From the moment that the client hears of the end, it may use the id again.
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

/** How the protocol's library begins a message that belongs to an operation. */
const NAMED = /^\{"id":"(\d+)","type":"(next|error|complete)"/;
