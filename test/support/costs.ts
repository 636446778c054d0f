import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { ServerProcess } from './built-server.ts';

/** The milliseconds of processor time that something takes: those in which other processes had their turn don't count. */
export function cpuMsOf(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** What is so quick that the ratio of two measurements says nothing, in milliseconds. */
const LEAST_MS = 10;

/** What something takes for so much, and how that grows. */
interface Cost {
  readonly ms: number;
  /** How many times longer than for a quarter: about 4 where the time is proportional, 16 where it grows with the square. */
  readonly growth: number;
}

/** Measures something with a size and with a quarter of it. */
export function costOf(run: (size: number) => unknown, size: number): Cost {
  // The first run compiles.
  run(size / 4);
  const quarter = Math.min(
    cpuMsOf(() => run(size / 4)),
    cpuMsOf(() => run(size / 4)),
  );
  const whole = Math.min(
    cpuMsOf(() => run(size)),
    cpuMsOf(() => run(size)),
  );
  return { ms: whole, growth: whole / Math.max(quarter, LEAST_MS) };
}

/** More than this is not proportional. */
export const MOST_GROWTH = 10;

/** Environment of a process whose heap is to be looked at. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

interface SnapshotChunk {
  readonly method: string;
  readonly params: { readonly chunk: string };
}

/** Attaches to a process that was started with INSPECTED; lets go when the test ends. */
export async function inspectHeap({ output }: ServerProcess) {
  const address = /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/.exec(output)?.[0];
  if (address === undefined) throw new Error('the process can’t be inspected');
  const socket = new WebSocket(address);
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  let calls = 0;
  const call = async (method: string, params: object = {}): Promise<unknown> => {
    const id = (calls += 1);
    const answered = new Promise((resolve) => {
      const onMessage = (data: Buffer): void => {
        const message = JSON.parse(data.toString()) as { readonly id?: number; readonly result?: unknown };
        if (message.id !== id) return;
        socket.off('message', onMessage);
        resolve(message.result);
      };
      socket.on('message', onMessage);
    });
    socket.send(JSON.stringify({ id, method, params }));
    return await answered;
  };
  await call('HeapProfiler.enable');
  return {
    /** What is in use when all garbage has been collected, in MiB. */
    async usedMiB() {
      await call('HeapProfiler.collectGarbage');
      const { usedSize } = (await call('Runtime.getHeapUsage')) as { readonly usedSize: number };
      return usedSize / 2 ** 20;
    },
    /** How many things of each kind keep the process busy, as Node names them: sockets, timers and others. */
    async resources() {
      const expression = 'JSON.stringify(process.getActiveResourcesInfo())';
      const { result } = (await call('Runtime.evaluate', { expression })) as {
        readonly result: { readonly value: string };
      };
      const counts: Record<string, number> = {};
      for (const kind of JSON.parse(result.value) as readonly string[])
        counts[kind] = (counts[kind] ?? 0) + 1;
      return counts as Readonly<Record<string, number>>;
    },
    /** Everything that is in use when all garbage has been collected, as Node writes it down: each text is in it. */
    async snapshot() {
      const expression = `process.getBuiltinModule('node:v8').setFlagsFromString('--heap-snapshot-string-limit=100000000')`;
      await call('Runtime.evaluate', { expression });
      await call('HeapProfiler.collectGarbage');
      const chunks: string[] = [];
      const onMessage = (data: Buffer): void => {
        const message = JSON.parse(data.toString()) as Partial<SnapshotChunk>;
        if (message.method === 'HeapProfiler.addHeapSnapshotChunk') chunks.push(message.params?.chunk ?? '');
      };
      socket.on('message', onMessage);
      await call('HeapProfiler.takeHeapSnapshot');
      socket.off('message', onMessage);
      return chunks.join('');
    },
  };
}
