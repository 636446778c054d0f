import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { compiled, schemaOf } from '../../../test/support/compiled.ts';

const EXECUTIONS = 1_000;
/** Of 8 bytes each. */
const NUMBERS = Array.from({ length: 5_000 }, (_, index) => index);

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { type: 'major' | 'minor' }) => void;

test('an execution that has ended does not outlive a garbage collection of young objects', async () => {
  const schema = schemaOf('type Query { late: Int }');
  const operation = compiled(schema, '{ late }');
  const rootValue = { late: () => new Promise((resolve) => void setImmediate(resolve, 1)) };
  // What is young now and stays becomes old before the count begins.
  for (const type of ['major', 'minor', 'minor', 'minor'] as const) collect({ type });
  const before = oldBytes();
  for (let count = 0; count < EXECUTIONS; count += 1) {
    await operation.execute({ rootValue, contextValue: [...NUMBERS] });
    if (count % 10 === 0) collect({ type: 'minor' });
  }
  expect(oldBytes() - before).toBeLessThan((EXECUTIONS * NUMBERS.length * 8) / 5);
});

function oldBytes(): number {
  const old = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space');
  return old?.space_used_size ?? NaN;
}
