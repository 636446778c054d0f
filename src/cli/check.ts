import { randomUUID } from 'node:crypto';
import { styleText } from 'node:util';
import type { Config } from '../config.ts';
import { problemOfRedis } from '../coordination/redis/link.ts';
import { openLog } from '../observability/log.ts';
import { OperationContext } from '../operation/operation.ts';
import { openServices, type Services } from '../services.ts';
import { getAccount, listAccounts } from '../sources/current/accounts.ts';
import { listGroups } from '../sources/current/groups.ts';
import { getLibraryItem, listLibrary } from '../sources/current/library.ts';
import { getMembership } from '../sources/current/membership.ts';
import { listAiHistory } from '../sources/current/openai.ts';
import { listQueuedPosts } from '../sources/current/posts.ts';
import type { Drift } from '../sources/drift.ts';
import {
  assertSourceError,
  type SourceError,
  type SourceErrorKind,
  type Surface,
} from '../sources/errors.ts';
import { listLegacyAccounts } from '../sources/legacy/accounts.ts';
import { listLegacyGroups } from '../sources/legacy/groups.ts';
import { readable } from '../sources/view.ts';
import { configFromEnvironment, SERVES_NOBODY } from './environment.ts';
import { reasonOfCall } from './failure.ts';
import { readNamedFiles } from './named-files.ts';
import { credentialOf, placeOf } from './own-graph.ts';
import { startTracing } from './tracing.ts';

/** How the findings are reported. */
export interface CheckOptions {
  /** As JSON, for machines. */
  readonly json?: boolean;
}

const PATIENCE_MS = 1_000;

/**
 * Checks whether the configured surfaces can be reached, accept the credentials in `API_KEY` and `ACCESS_TOKEN`, and
 * respond as documented, and whether Redis is usable; uses the sandbox if no address is configured. The exit status is 1
 * unless all are usable.
 */
export async function check({ json = false }: CheckOptions): Promise<void> {
  // The settings are those of a server, each of which must be right.
  const config = configFromEnvironment({}, SERVES_NOBODY);
  // What would stop a start; nothing is recorded.
  await (await startTracing(process.env, openLog('silent')))?.close();
  await readNamedFiles(config);
  const waiting = setTimeout(() => process.stderr.write('Checking the service …\n'), PATIENCE_MS);
  const place = await placeOf(config);
  const report = await checkService(place.config);
  await place.sandbox?.close();
  clearTimeout(waiting);
  process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : `${linesOf(report).join('\n')}\n`);
  if (!report.isUsable) process.exitCode = 1;
}

function linesOf({ redis: { state, reason }, surfaces }: CheckReport): string[] {
  const lines = surfaces.flatMap(linesOfSurface);
  if (state === 'not configured') return lines;
  const result = reason === null ? styleText('green', state) : styleText('red', `${state} (${reason})`);
  return [...lines, `Redis: ${result}`, ''];
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
  const head = styleText(state === 'usable' ? 'green' : 'red', state);
  const width = Math.max(...calls.map(({ endpoint }) => endpoint.length));
  return [
    `${surface} surface at ${address}: ${head}, credential ${credential}`,
    ...(proxy === null ? [] : [`  Called through the proxy ${proxy} (HTTPS_PROXY).`]),
    ...(credential === 'missing' ? [`  No credential was sent; set ${CREDENTIAL_SETTING[surface]}.`] : []),
    ...calls.map(({ endpoint, reason, durationMs }) => {
      const result = reason === null ? styleText('green', 'ok') : styleText('red', reason);
      return `  ${endpoint.padEnd(width)}  ${String(durationMs).padStart(5)} ms  ${result}`;
    }),
    ...drift.map(({ endpoint, field, expected }) =>
      styleText('yellow', `  ${endpoint}: ${field} does not match the documentation (expected: ${expected})`),
    ),
    '',
  ];
}

/** The result of one call. */
interface CheckedCall {
  /** The endpoint, as documented by the service. */
  readonly endpoint: string;
  /** Null if the response was as documented. */
  readonly failure: SourceErrorKind | null;
  /** Explains why it failed; null if it did not. */
  readonly reason: string | null;
  readonly durationMs: number;
}

/** The findings about one surface. */
interface CheckedSurface {
  readonly surface: Surface;
  /** Its base URL; null if it is not configured. */
  readonly address: string | null;
  /** The proxy through which it is called, without credentials; null if it is called directly. */
  readonly proxy: string | null;
  /** `unknown`: no call got far enough to determine this. */
  readonly state: 'usable' | 'not configured' | 'unreachable' | 'failing';
  readonly credential: 'accepted' | 'refused' | 'missing' | 'unknown';
  readonly calls: readonly CheckedCall[];
  /** Fields that were not as documented, each once. */
  readonly drift: readonly Drift[];
}

/** The findings about the service, and about Redis. */
export interface CheckReport {
  /** True if each configured surface responded and accepted its credential, and Redis is usable if it is configured. */
  readonly isUsable: boolean;
  readonly redis: {
    readonly state: 'usable' | 'not configured' | 'unusable';
    /** Why it is unusable, in brief; null otherwise. */
    readonly reason: string | null;
  };
  readonly surfaces: readonly CheckedSurface[];
}

/**
 * Requests one of everything that the operator's credentials can read from each configured surface, and reads every
 * field of the responses. Nothing of the service is changed, and no credit is spent. Also checks whether Redis is usable.
 */
export async function checkService(config: Config): Promise<CheckReport> {
  // Nothing is recorded: a folder created here would belong to the user who runs the check.
  const alone = { ...config, redis: null, dataDirectory: null };
  const calls = { ...config.calls, attempts: 1 };
  const services = openServices({ ...alone, calls }, openLog('silent'));
  const surfaces = [await checkSurface('current', services), await checkSurface('legacy', services)];
  await services.close();
  const reason = config.redis && (await problemOfRedis(config.redis));
  const stateOfRedis = reason === null ? 'usable' : 'unusable';
  const configured = surfaces.filter(({ state }) => state !== 'not configured');
  return {
    isUsable: reason === null && configured.length > 0 && configured.every(({ state }) => state === 'usable'),
    redis: { state: config.redis === null ? 'not configured' : stateOfRedis, reason },
    surfaces,
  };
}

async function checkSurface(surface: Surface, services: Services): Promise<CheckedSurface> {
  const { operator, currentApiUrl, legacyApiUrl, proxies } = services.config;
  const given = { current: operator.apiKey, legacy: operator.accessToken };
  const drift = new Map<string, Drift>();
  const onDrift = (found: Drift): void => void drift.set(`${found.endpoint} ${found.field}`, found);
  // Called even without a credential: a refusal shows whether the surface can be reached.
  const sent = { ...given, [surface]: given[surface] ?? 'none' };
  const credentials = { current: credentialOf(sent.current), legacy: credentialOf(sent.legacy) };
  const told = { ...services, onDrift };
  // One for each call: the reads of an operation have a limited time.
  const sources = (): Sources => new OperationContext(told, { requestId: randomUUID(), credentials }).sources;
  const calls = services.http[surface] === null ? [] : await callAll(surface, sources);
  const failures = calls.map(({ failure }) => failure);
  const accepted = failures.includes(null) ? 'accepted' : 'unknown';
  const credential = failures.includes('unauthenticated') ? 'refused' : accepted;
  return {
    surface,
    address: (surface === 'current' ? currentApiUrl : legacyApiUrl)?.href ?? null,
    proxy: proxies[surface]?.origin ?? null,
    state: stateOf(failures),
    credential: given[surface] === null ? 'missing' : credential,
    calls,
    drift: [...drift.values()],
  };
}

type Sources = OperationContext['sources'];

/** Reads from an endpoint; returns the records for a closer check. */
type Probe = (sources: Sources) => Promise<readonly object[]>;

const FIRST = { page: 1, size: 1 };

const PROBES: Readonly<Record<Surface, Readonly<Record<string, Probe>>>> = {
  current: {
    'GET /accounts/list': async (sources) => (await listAccounts(sources.current(), FIRST)).rows,
    'GET /accounts/view/{loginId}': async (sources) => {
      const [account] = (await listAccounts(sources.current(), FIRST)).rows;
      return account?.loginId ? [await getAccount(sources.current(), account.loginId)] : [];
    },
    'GET /group/list': async (sources) => (await listGroups(sources.current(), FIRST)).rows,
    'GET /posts/queued': async (sources) => (await listQueuedPosts(sources.current(), FIRST)).rows,
    'GET /library/list': async (sources) => (await listLibrary(sources.current(), 1, {})).rows,
    'GET /library/view/{contentid}': async (sources) => {
      const [item] = (await listLibrary(sources.current(), 1, {})).rows;
      return item?.itemId ? [await getLibraryItem(sources.current(), item.itemId)] : [];
    },
    'GET /openai/historyList': async (sources) => (await listAiHistory(sources.current(), FIRST)).rows,
    'GET /membership/plan/list': async (sources) => [await getMembership(sources.current())],
  },
  legacy: {
    'GET /oauth/accounts': async (sources) => await listLegacyAccounts(sources.legacy()),
    'GET /oauth/groups': async (sources) => await listLegacyGroups(sources.legacy()),
  },
};

async function callAll(surface: Surface, sources: () => Sources): Promise<CheckedCall[]> {
  const calls: CheckedCall[] = [];
  for (const [endpoint, read] of Object.entries(PROBES[surface])) {
    const startedAt = performance.now();
    let failure: SourceError | null = null;
    try {
      lookClosely(await read(sources()));
    } catch (error) {
      assertSourceError(error);
      failure = error;
    }
    const durationMs = Math.round(performance.now() - startedAt);
    const kind = failure?.kind ?? null;
    calls.push({ endpoint, failure: kind, reason: failure && reasonOfCall(failure), durationMs });
    // An unreachable surface, or one that rejects the credential, fails the same way for every call.
    if (kind === 'unreachable' || kind === 'unauthenticated') break;
  }
  return calls;
}

/** Reads every field of a record and of its nested records: a field that can't be read counts as drift. */
function lookClosely(value: unknown): void {
  if (typeof value !== 'object' || value === null || value instanceof Date) return;
  // The fields of a view are in its prototype.
  for (const name in value) lookClosely(readable(() => (value as Record<string, unknown>)[name]));
}

function stateOf(failures: readonly (SourceErrorKind | null)[]): CheckedSurface['state'] {
  if (failures.length === 0) return 'not configured';
  if (failures.every((failure) => failure === 'unreachable')) return 'unreachable';
  return failures.every((failure) => failure === null) ? 'usable' : 'failing';
}
