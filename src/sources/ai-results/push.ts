import type { PushSettings } from '../../config.ts';
import { aiRelayedResult, hasText } from '../current/openai.ts';
import type { Origin } from '../drift.ts';
import { readable } from '../view.ts';
import type { FeedListener, IncomingResult, ResultFeed } from './feed.ts';
import { resultsIn } from './message.ts';
import { keepConnected } from './reconnect.ts';
import { socketIoConnection } from './socket-io.ts';
import { webSocketConnection } from './web-socket.ts';

/** The endpoint name of the push socket, which the interface leaves unnamed. */
const NAME = 'AI result socket';

/**
 * Listens to the service's push socket with one credential. Its address, protocol and messages are undocumented and
 * therefore configurable; a message may carry somebody else's result.
 */
export function openPushFeed(
  settings: PushSettings,
  { apiKey, onDrift }: { readonly apiKey: string; readonly onDrift: Origin['onDrift'] },
  { onResult, onState }: FeedListener,
): ResultFeed {
  const isPlain = settings.url.protocol === 'ws:' || settings.url.protocol === 'wss:';
  const connection = isPlain ? webSocketConnection : socketIoConnection;
  const origin: Origin = { surface: 'current', endpoint: NAME, onDrift };
  return keepConnected(connection(settings, apiKey), {
    onOpen: () => onState?.(true),
    onClose: () => onState?.(false),
    onMessage: (message) => {
      for (const wire of resultsIn(message)) {
        const result = incoming(wire, origin);
        if (result) onResult(result);
      }
    },
  });
}

function incoming(wire: unknown, origin: Origin): IncomingResult | null {
  const record = aiRelayedResult(wire, origin);
  const contentId = readable(() => record.contentId);
  return contentId === null ? null : { contentId, wire, hasText: hasText(record), isProven: false };
}
