import { inspect } from 'node:util';
import { expect } from 'vitest';
import { Mismatch } from '../../src/sources/drift.ts';
import { SourceRecord, type Decoder } from '../../src/sources/view.ts';

const RECORD = new SourceRecord(
  {},
  { surface: 'current', endpoint: 'GET /accounts/list', onDrift: () => undefined },
);

/** Asserts what a decoder makes of a value of the service; `Mismatch` for what means nothing. */
export function expectMeaning(
  name: string,
  decoder: Decoder<unknown>,
  wire: unknown,
  meaning: unknown,
): void {
  const label = `${name} of ${inspect(wire).slice(0, 60)}`;
  if (meaning === Mismatch) expect(() => decoder(wire, RECORD), label).toThrow(Mismatch);
  else expect(decoder(wire, RECORD), label).toEqual(meaning);
}
