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

interface Cost {
  readonly ms: number;
  /** How many times longer than for a quarter: about 4 where the time is proportional, 16 where it grows with the square. */
  readonly growth: number;
}

/** Measures something with a size and with a quarter of it. */
export function costOf(run: (size: number) => unknown, size: number): Cost {
  // The first run compiles.
  run(size / 4);
  const quicker = (of: number): number => Math.min(...[of, of].map((one) => cpuMsOf(() => run(one))));
  const [quarter, whole] = [quicker(size / 4), quicker(size)];
  return { ms: whole, growth: whole / Math.max(quarter, LEAST_MS) };
}

/** More than this is not proportional. */
export const MOST_GROWTH = 10;

/** Environment of a process whose heap is to be looked at. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly chunk: string };
  /** `usedSize` of Runtime.getHeapUsage, in bytes, or `result` of Runtime.evaluate. */
  readonly result?: { readonly usedSize?: number; readonly result?: { readonly value: unknown } };
}

/** Attaches to a process that was started with INSPECTED; lets go when the test ends. */
export async function inspectHeap({ output }: ServerProcess) {
  const address = /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/.exec(output)?.[0];
  if (address === undefined) throw new Error('the process can’t be inspected');
  const socket = new WebSocket(address);
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  const answered: ((result: Message['result']) => void)[] = [];
  const chunks: string[] = [];
  socket.on('message', (data: Buffer) => {
    const { id, method, params, result } = JSON.parse(data.toString()) as Message;
    if (method === 'HeapProfiler.addHeapSnapshotChunk') chunks.push(params?.chunk ?? '');
    if (id !== undefined) answered[id]?.(result);
  });
  const call = (method: string, params: object = {}) =>
    new Promise<Message['result']>((resolve) => {
      const id = answered.push(resolve) - 1;
      socket.send(JSON.stringify({ id, method, params }));
    });
  const evaluate = async (expression: string) =>
    (await call('Runtime.evaluate', { expression, returnByValue: true }))?.result?.value;
  await call('HeapProfiler.enable');
  return {
    /** What is in use when all garbage has been collected, in MiB. */
    async usedMiB() {
      await call('HeapProfiler.collectGarbage');
      return ((await call('Runtime.getHeapUsage'))?.usedSize ?? Number.NaN) / 2 ** 20;
    },
    /** How many things of a kind keep the process busy, as Node names it: sockets, timers and others. */
    async resources(kind: string) {
      const kinds = (await evaluate('process.getActiveResourcesInfo()')) as readonly string[];
      return kinds.filter((one) => one === kind).length;
    },
    /** Everything that is in use when all garbage has been collected, as Node writes it down: each text is in it. */
    async snapshot() {
      await evaluate(
        `process.getBuiltinModule('node:v8').setFlagsFromString('--heap-snapshot-string-limit=100000000')`,
      );
      await call('HeapProfiler.collectGarbage');
      await call('HeapProfiler.takeHeapSnapshot');
      return chunks.join('');
    },
  };
}
