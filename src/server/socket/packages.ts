import { createRequire } from 'node:module';
import type * as Ws from 'ws';
import type * as GraphqlWs from 'graphql-ws';

// As CommonJS: together they take a third as long to load as they do as ES modules.
const load = createRequire(import.meta.url);

export const { WebSocketServer } = load('ws') as typeof Ws;
export const { CloseCode, handleProtocols, makeServer, MessageType, stringifyMessage } = load(
  'graphql-ws',
) as typeof GraphqlWs;
