import type * as Ws from 'ws';
import type * as GraphqlWs from 'graphql-ws';
import { load } from '../../load.ts';

export const { WebSocketServer } = load('ws') as typeof Ws;
export const { CloseCode, handleProtocols, makeServer, MessageType, stringifyMessage } = load(
  'graphql-ws',
) as typeof GraphqlWs;
