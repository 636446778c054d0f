import type { EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import type { Fault, FaultTarget } from '../../packages/sandbox/src/faults/fault.ts';
import { expect, onTestFinished } from 'vitest';
import { type Sandbox, startSandbox, type SandboxOptions } from '../../packages/sandbox/src/sandbox.ts';
import { holdTimers } from './clock.ts';

export async function sandboxForTest(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Stands for a field that is not sent at all. */
export const MISSING = Symbol('missing');

/** Returns a copy of an answer with a value put in, or taken out, at a dotted path. */
export function withValue(record: unknown, path: string, value: unknown): unknown {
  const [name = '', ...deeper] = path.split('.');
  const set = (child: unknown) => (deeper.length === 0 ? value : withValue(child, deeper.join('.'), value));
  if (Array.isArray(record))
    return record.map((child, index) => (String(index) === name ? set(child) : child));
  const fields = record as Readonly<Record<string, unknown>>;
  const entries = Object.entries({ ...fields, [name]: set(fields?.[name]) });
  return Object.fromEntries(entries.filter(([, child]) => child !== MISSING));
}

/** Returns what stands at a dotted path, or undefined. */
export function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, step) => (inner as Readonly<Record<string, unknown>> | null)?.[step], value);
}

/** A fault that makes another answer of each that is asked for. */
export function rewriting(endpoint: Fault['endpoint'], change: (answer: unknown) => unknown): Fault {
  return { kind: 'rewrite', endpoint, times: Number.POSITIVE_INFINITY, change };
}

/** Lets a sandbox have these faults from now on, and no others. */
export function onlyFaults({ faults }: Pick<Sandbox, 'faults'>, ...wanted: readonly Fault[]): void {
  faults.clear();
  for (const fault of wanted) faults.add(fault);
}

/** A fault that puts a value anywhere into an answer, at a dotted path from its root. */
export function changing(endpoint: EndpointName, path: string, value: unknown): Fault {
  return rewriting(endpoint, (answer) => withValue(answer, path, value));
}

/**
 * A fault that puts a value into the first record of an answer, every time it is asked for. `wire` is the field's own
 * name, dotted where it lies deeper; `record` is the index of another record of a list.
 */
export function changingRecord(endpoint: EndpointName, wire: string, value: unknown, record = 0): Fault {
  return changingEach(endpoint, (index) => (index === record ? { [wire]: value } : {}));
}

/** A fault that puts values into the records of an answer, every time it is asked for: what `values` gives for the index of each. */
export function changingEach(endpoint: EndpointName, values: (index: number) => object): Fault {
  const changed = (record: unknown, index: number): unknown =>
    Object.entries(values(index)).reduce((whole, [wire, value]) => withValue(whole, wire, value), record);
  return rewriting(endpoint, (answer) => {
    if (Array.isArray(answer)) return answer.map(changed);
    const { response } = answer as { readonly response: { readonly list?: readonly unknown[] } };
    if (!response.list) return { ...(answer as object), response: changed(response, 0) };
    return { ...(answer as object), response: { ...response, list: response.list.map(changed) } };
  });
}

/** What a queued post shows of its time where both of its whole labels are the same. */
export function queueLabels(label: string) {
  return { formatedPostDate: label, postDate: label, postDateFormat: '', postTimeFormat: '' };
}

/** A fault that puts values into the payload of a list of the current surface, beside its records. */
export function changingPage(endpoint: EndpointName, values: Readonly<Record<string, unknown>>): Fault {
  const entries = Object.entries(values);
  return rewriting(endpoint, (answer) =>
    entries.reduce((whole, [name, value]) => withValue(whole, `response.${name}`, value), answer),
  );
}

/**
 * Holds the true answers to some calls until the test releases them. With `effect: 'none'` the call itself waits, and is
 * not made at all if its caller has gone by then.
 */
export function holdAnswers({ faults }: Pick<Sandbox, 'faults'>, target: FaultTarget) {
  const timers = holdTimers();
  faults.add({ ...target, kind: 'delay', ms: timers.mark('answer') });
  return {
    get count() {
      return timers.names.length;
    },
    /** Waits until so many calls have arrived and are held. */
    arrived: (count = 1) => expect.poll(() => timers.names.length).toBe(count),
    /** Lets every call that is held be answered. */
    release: () => timers.fire('answer'),
  };
}

/** Options of a sandbox in which a slow text is not ready before the test says so. */
export const ENDLESSLY_SLOW = { slowAiDelayMs: 3_600_000 } as const;

export function finishTexts({ generations, owners: [{ name }] }: Sandbox): void {
  const pending = generations.pending(name);
  if (pending.length === 0) throw new Error('no text is pending');
  for (const { contentId } of pending) generations.finish(contentId);
}

/** Finishes the slow texts of the first owner once somebody waits for them. */
export async function finishTextsOnceFollowed(sandbox: Sandbox): Promise<void> {
  await sandbox.push.waitForOpen(1);
  finishTexts(sandbox);
}
