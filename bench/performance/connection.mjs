// One connection of one user, who waits for each answer before the next request.
import { once } from 'node:events';
import { connect } from 'node:net';
import { readMessages } from './http-messages.mjs';

/** Opens a connection to a port of this machine. */
export async function openConnection(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let waiting = null;
  const settle = (how, what) => {
    waiting?.[how](what);
    waiting = null;
  };
  socket.on(
    'data',
    readMessages((message) => settle('resolve', message)),
  );
  await once(socket, 'connect');
  socket.on('error', (error) => settle('reject', error));
  socket.on('close', () => settle('reject', new Error('the connection was closed before the answer')));
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}
