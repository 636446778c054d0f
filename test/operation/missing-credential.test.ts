import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openLog } from '../../src/observability/log.ts';
import { createContext } from '../../src/operation/operation.ts';
import { openServices } from '../../src/services.ts';
import { startGraph } from '../support/graph.ts';
import { jsonOf, postJson } from '../support/raw-http.ts';

function openContext() {
  const services = openServices(
    readConfig({
      DATA_DIR: 'off',
      CURRENT_API_URL: 'http://127.0.0.1:9/',
      LEGACY_API_URL: 'http://127.0.0.1:9/',
    }),
    openLog('silent'),
  );
  onTestFinished(() => services.close());
  const key = { state: 'given', value: 'some-key' } as const;
  return createContext(services, {
    requestId: 'r',
    credentials: { current: key, legacy: { state: 'missing' } },
  });
}

function thrownBy(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

test('an operation has one error for all fields that need a missing credential', () => {
  const { sources } = openContext();
  const first = thrownBy(() => sources.legacy());
  expect(first).toMatchObject({ kind: 'credential-missing', surface: 'legacy' });
  expect(thrownBy(() => sources.legacy())).toBe(first);
  expect(sources.current()).toBe(sources.current());
  expect(thrownBy(() => openContext().sources.legacy())).not.toBe(first);
});

const COUNTERPARTS = `


{ accountGroups(first: 9) { nodes { accounts(first: 3) { nodes {
  counterpart { id }
  again: counterpart {
    id } } } } }
}`;

test('each field keeps an error with its own path and place, whatever executes the operation', async () => {
  const answers = [];
  for (const EXECUTOR of ['compiled', 'graphql-js'] as const) {
    const graph = await startGraph({ sandbox: { data: 'large' }, environment: { EXECUTOR } });
    const { errors } = jsonOf(
      await postJson(`${graph.url}/graphql`, { query: COUNTERPARTS }, graph.caller.key),
    ) as { errors: { path: unknown[]; extensions: object }[] };
    answers.push(errors.map(({ extensions, ...error }) => ({ ...error, ...extensions, requestId: '' })));
  }
  const [ours = [], theirs = []] = answers;
  expect(ours.length).toBeGreaterThan(10);
  expect(ours).toEqual(theirs);
  expect(new Set(ours.map(({ path }) => JSON.stringify(path))).size).toBe(ours.length);
  expect(ours.slice(0, 2)).toMatchObject([
    { code: 'CREDENTIAL_MISSING', surface: 'LEGACY', locations: [{ line: 5, column: 3 }] },
    { code: 'CREDENTIAL_MISSING', surface: 'LEGACY', locations: [{ line: 6, column: 3 }] },
  ]);
});
