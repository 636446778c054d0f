export { WebSocketServer } from 'ws';
export { CloseCode, handleProtocols, makeServer, MessageType, stringifyMessage } from 'graphql-ws';
