import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

// A port on which nobody answers the handshake: its owner has been stopped, and its queue is full.

const OWNER = `require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () {
  process.stdout.write(this.address().port + '\\n');
  process.kill(process.pid, 'SIGSTOP');
});`;
const MAX_QUEUE = 16;
/** A handshake on this machine that takes longer than this will not come about. */
const HANDSHAKE_MS = 1_000;

/** Gives the number of such a port; it is free again when the test ends. */
export async function openDeafPort(): Promise<number> {
  const owner = spawn(process.execPath, ['-e', OWNER], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void owner.kill('SIGKILL'));
  const [data] = (await once(owner.stdout, 'data')) as [Buffer];
  const port = Number(data.toString());
  for (let count = 0; count < MAX_QUEUE; count += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    if (!(await isConnected(socket))) return port;
  }
  throw new Error('the queue of the port never filled');
}

async function isConnected(socket: Socket): Promise<boolean> {
  const deadline = AbortSignal.timeout(HANDSHAKE_MS);
  return await once(socket, 'connect', { signal: deadline }).then(
    () => true,
    () => false,
  );
}
