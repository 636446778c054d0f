import { styleText } from 'node:util';
import type { Config } from '../config.ts';
import { openLog } from '../observability/log.ts';
import { checkService, type CheckReport, type CheckedSurface } from './service-check.ts';
import { configFromEnvironment, SERVES_NOBODY } from './environment.ts';
import { onSandbox, openSandbox } from './sandbox-in-place.ts';

/** How the findings are reported. */
export interface CheckOptions {
  /** As JSON, for machines. */
  readonly json?: boolean;
}

const NO_SERVICE =
  'No service is configured (CURRENT_API_URL, LEGACY_API_URL); checking the SANDBOX, which the server would use instead.';
const PATIENCE_MS = 1_000;

/**
 * Checks whether the configured surfaces can be reached, accept the credentials in `API_KEY` and `ACCESS_TOKEN`, and
 * respond as documented, and whether Redis is usable; uses the sandbox if no address is configured. The exit status is 1
 * unless all are usable.
 */
export async function check({ json = false }: CheckOptions): Promise<void> {
  const config = configFromEnvironment(SERVES_NOBODY);
  const waiting = setTimeout(() => process.stderr.write('Checking the service …\n'), PATIENCE_MS);
  if (config.usesSandbox && !json) process.stdout.write(`${coloured('yellow', NO_SERVICE)}\n\n`);
  const report = config.usesSandbox
    ? await checkSandbox(config)
    : await checkService(config, openLog('silent'));
  clearTimeout(waiting);
  process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : `${linesOf(report).join('\n')}\n`);
  if (!report.isUsable) process.exitCode = 1;
}

async function checkSandbox(config: Config): Promise<CheckReport> {
  const sandbox = await openSandbox({ ...config, sandboxPort: 0 });
  const operator = { ...sandbox.credentials, ...withoutNulls(config.operator) };
  const report = await checkService({ ...onSandbox(config, sandbox), operator }, openLog('silent'));
  await sandbox.close();
  return report;
}

function withoutNulls({
  apiKey,
  accessToken,
}: Config['operator']): Partial<Record<'apiKey' | 'accessToken', string>> {
  return { ...(apiKey === null ? {} : { apiKey }), ...(accessToken === null ? {} : { accessToken }) };
}

type Colour = 'green' | 'red' | 'yellow';

function coloured(colour: Colour, text: string): string {
  const isWanted = process.stdout.isTTY && !process.env['NO_COLOR'];
  return isWanted ? styleText(colour, text) : text;
}

function linesOf({ redis, surfaces }: CheckReport): string[] {
  return [...surfaces.flatMap(linesOfSurface), ...linesOfRedis(redis)];
}

function linesOfRedis({ state, reason }: CheckReport['redis']): string[] {
  if (state === 'not configured') return [];
  const result = reason === null ? coloured('green', state) : coloured('red', `${state} (${reason})`);
  return [`Redis: ${result}`, ''];
}

const CREDENTIAL_SETTING = { current: 'API_KEY', legacy: 'ACCESS_TOKEN' } as const;

function linesOfSurface({
  surface,
  address,
  proxy,
  state,
  credential,
  calls,
  drift,
}: CheckedSurface): string[] {
  if (state === 'not configured') return [`${surface} surface: not configured`, ''];
  const head = coloured(state === 'usable' ? 'green' : 'red', state);
  const width = Math.max(...calls.map(({ endpoint }) => endpoint.length));
  return [
    `${surface} surface at ${address}: ${head}, credential ${credential}`,
    ...(proxy === null ? [] : [`  Called through the proxy ${proxy} (HTTPS_PROXY).`]),
    ...(credential === 'missing' ? [`  No credential was sent; set ${CREDENTIAL_SETTING[surface]}.`] : []),
    ...calls.map(({ endpoint, reason, durationMs }) => {
      const result = reason === null ? coloured('green', 'ok') : coloured('red', reason);
      return `  ${endpoint.padEnd(width)}  ${String(durationMs).padStart(5)} ms  ${result}`;
    }),
    ...drift.map(({ endpoint, field, expected }) =>
      coloured('yellow', `  ${endpoint}: ${field} does not match the documentation (expected: ${expected})`),
    ),
    '',
  ];
}
