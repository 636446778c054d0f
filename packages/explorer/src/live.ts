import { createClient, type Client, type ExecutionResult, type SubscribePayload } from 'graphql-ws';
import { failure } from './failure.ts';
import type { LiveStatus } from './live-status.ts';

/** Receives the results of a subscription. */
export interface Sink {
  next(result: ExecutionResult): void;
  error(error: unknown): void;
  complete(): void;
}

/** Starts a subscription; the returned function stops it. */
export type Follow = (payload: SubscribePayload, sink: Sink) => () => void;

/** How long after the last pong the server is pinged, and how long it may take to answer. */
const PING_MS = { pause: 21_000, patience: 9_000 };
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/**
 * Creates subscriptions over one WebSocket. A connection that is lost is opened again until the user stops the
 * subscription: the server may be restarting. One that could never be opened is not retried, since the server may
 * refuse this page. The status says in words what the page is waiting for.
 */
export function createFollow(url: string, status: LiveStatus): Follow {
  let wasConnected = false;
  let isOpen = false;
  let overdue: ReturnType<typeof setTimeout> | undefined;
  const socket = createClient({
    url,
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait,
    // A browser reports a refused connection as an event without a code.
    shouldRetry: () => wasConnected,
    // A connection may end without a word, for instance behind a router that has forgotten it.
    keepAlive: PING_MS.pause,
    on: {
      connected: () => {
        wasConnected = true;
        isOpen = true;
      },
      ping: (isReceived) => {
        if (!isReceived) overdue = setTimeout(() => socket.terminate(), PING_MS.patience);
      },
      pong: () => clearTimeout(overdue),
      closed: () => {
        clearTimeout(overdue);
        isOpen = false;
      },
    },
  });
  return (payload, sink) => {
    let isOver = false;
    const stopTelling = tell(socket, { status, isOpen });
    const once = (deliver: () => void): void => {
      // A subscription that was stopped while it was reconnecting completes later, in the middle of the next one.
      if (isOver) return;
      isOver = true;
      stopTelling();
      deliver();
    };
    const unsubscribe = socket.subscribe(payload, {
      next: (result) => sink.next(result as ExecutionResult),
      error: (error) => once(() => sink.error(inWords(error))),
      complete: () => once(() => sink.complete()),
    });
    return () => {
      once(() => undefined);
      unsubscribe();
    };
  };
}

// Many tabs lose their connection at the same moment.
async function retryWait(retries: number): Promise<void> {
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** retries, LONGEST_WAIT_MS);
  await new Promise((resolve) => setTimeout(resolve, waitMs * (0.5 + Math.random())));
}

interface Telling {
  readonly status: LiveStatus;
  /** Whether there is a connection already, of another subscription. */
  readonly isOpen: boolean;
}

const CONNECTING = 'Connecting …';
const LISTENING = 'Listening. Results appear here when they are ready; the button with the square stops it.';

function tell(socket: Client, { status, isOpen }: Telling): () => void {
  let failed = 0;
  status.say(isOpen ? LISTENING : CONNECTING);
  const listeners = [
    socket.on('closed', (event) => {
      // The page itself has closed the one before, whose last subscription was stopped a moment ago.
      if ((event as CloseEvent).code === NORMAL) return status.say(CONNECTING);
      failed += 1;
      const attempt = failed === 1 ? 'Connecting again …' : `Connecting again, attempt ${failed} …`;
      return status.say(`The connection was lost${reasonOf(event as CloseEvent)}. ${attempt}`);
    }),
    socket.on('connected', () => {
      status.say(failed === 0 ? LISTENING : connectedAgain());
      failed = 0;
    }),
  ];
  return () => {
    for (const stop of listeners) stop();
    status.say(null);
  };
}

/** What a connection is closed with once nobody needs it. */
const NORMAL = 1000;
/** What a browser says where a connection ended without a word from the server. */
const ABNORMAL = 1006;

function reasonOf({ code, reason }: CloseEvent): string {
  return code === ABNORMAL ? '' : ` (code ${code}${reason === '' ? '' : `: ${reason}`})`;
}

function connectedAgain(): string {
  const time = new Date().toLocaleTimeString();
  return `Connected again at ${time}, and listening. Results from the time in between are not shown here: query them.`;
}

function inWords(error: unknown): unknown {
  if (error instanceof CloseEvent) {
    const reason = error.reason === '' ? '' : `: ${error.reason}`;
    return failure(`The server closed the connection, with code ${error.code}${reason}.`, error);
  }
  return error instanceof Event ? failure(NOT_OPENED, error) : error;
}

const NOT_OPENED =
  'The WebSocket could not be opened: the server cannot be reached, or it refuses this page; then its log names the setting.';
