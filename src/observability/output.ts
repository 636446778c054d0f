import { write, writeSync } from 'node:fs';

const STANDARD_OUTPUT = 1;
/** How much may wait for a reader or a disk, in characters; further lines are dropped. */
const MAX_WAITING = 4_000_000;
const RETRY_MS = 100;
/** How long the end of the process waits for a slow reader, in milliseconds. */
const LAST_MS = 1_000;

/** Writes a line of the log to standard output, and never throws or blocks. */
export type WriteLine = (line: string) => void;

const NOTHING = new Uint8Array();

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
  /** What is written next, or is being written. */
  let bytes: Uint8Array = NOTHING;
  let state: 'idle' | 'writing' | 'pausing' = 'idle';
  const proceed = (): void => {
    if (bytes.length === 0) {
      bytes = Buffer.from(waiting);
      waiting = '';
    }
    state = bytes.length === 0 ? 'idle' : 'writing';
    if (state === 'idle') return;
    write(STANDARD_OUTPUT, bytes, (error, count) => {
      if (error === null) {
        bytes = bytes.subarray(count);
        proceed();
      } else {
        state = 'pausing';
        setTimeout(proceed, RETRY_MS).unref();
      }
    });
  };
  process.once('exit', () => {
    writeNow(Buffer.concat([state === 'writing' ? NOTHING : bytes, Buffer.from(waiting)]));
  });
  return (line) => {
    if (waiting.length + line.length > MAX_WAITING) return;
    waiting += line;
    if (state === 'idle') proceed();
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
