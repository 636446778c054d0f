import { onTestFinished } from 'vitest';
import { readConfig, type Environment } from '../../src/config.ts';
import { createContext } from '../../src/operation/operation.ts';
import { openLog } from '../../src/observability/log.ts';
import { schema } from '../../src/schema/index.ts';
import { createPreparation } from '../../src/engine/prepared.ts';
import { openServices } from '../../src/services.ts';

/** What an operation is thought to cost, without a service or a server; null for one that can't be executed. */
export type Estimate = (query: string, variables?: Readonly<Record<string, unknown>>) => number | null;

/** A caller with both credentials, who only plans; what it opens is closed when the test ends. */
export function openEstimates(environment: Environment = {}): Estimate {
  const addresses = { CURRENT_API_URL: 'http://127.0.0.1:9', LEGACY_API_URL: 'http://127.0.0.1:9' };
  const config = readConfig({ ...addresses, ...environment });
  const services = openServices(
    config,
    openLog('silent', () => undefined),
  );
  onTestFinished(() => services.close());
  const given = { state: 'given', value: 'a-credential' } as const;
  const limits = {
    ...config.limits,
    cost: Infinity,
    estimatedFields: Infinity,
    documentBytes: 1e6,
    tokens: 1e6,
  };
  const preparation = createPreparation({ schema, limits, introspection: true });
  return (query, variables = {}) => {
    const operation = preparation.prepare(query).operation(null);
    const coerced = operation.coerceVariables(variables);
    const context = createContext(services, {
      requestId: 'none',
      credentials: { current: given, legacy: given },
    });
    return coerced ? operation.estimate(coerced, context).calls : null;
  };
}
