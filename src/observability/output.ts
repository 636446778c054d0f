import { writeSync } from 'node:fs';

const STANDARD_OUTPUT = 1;
/** How much may wait for a reader or a disk, in characters; further lines are dropped. */
const MAX_WAITING = 4_000_000;
const RETRY_MS = 100;
/** How long the end of the process waits for a slow reader, in milliseconds. */
const LAST_MS = 1_000;

/** Writes a line of the log to standard output, and never throws or waits for a reader. */
export type WriteLine = (line: string) => void;

let standardOutput: WriteLine | undefined;

/**
 * Opens standard output for the log, without waiting for it: the server goes on while the disk is full or nobody reads.
 * What could not be written is tried again until it can be.
 */
export function openStandardOutput(): WriteLine {
  // Another program may have replaced it.
  if (Object.hasOwn(process.stdout, 'write')) return (line) => void process.stdout.write(line);
  return (standardOutput ??= openQueue());
}

function openQueue(): WriteLine {
  let waiting = '';
  /** What is written next. */
  let bytes: Uint8Array = new Uint8Array();
  let isPausing = false;
  // Synchronous: as the process ends, a write in another thread would be overtaken by the lines after it. Node has made
  // a pipe non-blocking.
  const proceed = (): void => {
    try {
      while (bytes.length > 0 || waiting !== '') {
        if (bytes.length === 0) {
          bytes = Buffer.from(waiting);
          waiting = '';
        }
        bytes = bytes.subarray(writeSync(STANDARD_OUTPUT, bytes));
      }
      isPausing = false;
    } catch {
      isPausing = true;
      setTimeout(proceed, RETRY_MS).unref();
    }
  };
  process.once('exit', () => writeNow(Buffer.concat([bytes, Buffer.from(waiting)])));
  return (line) => {
    if (bytes.length + waiting.length + line.length > MAX_WAITING) return;
    waiting += line;
    if (!isPausing) proceed();
  };
}

function writeNow(bytes: Uint8Array): void {
  const deadline = performance.now() + LAST_MS;
  let rest = bytes;
  while (rest.length > 0 && performance.now() < deadline)
    try {
      rest = rest.subarray(writeSync(STANDARD_OUTPUT, rest));
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
}
