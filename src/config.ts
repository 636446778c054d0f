import { z } from 'zod';
import { accessConfigOf, accessProblems, accessSettings, type AccessConfig } from './config/access.ts';
import { limitSettings, limitsOf, type DocumentLimits } from './config/document-limits.ts';
import { liveConfigOf, liveSettings, type LiveConfig } from './config/live-results.ts';
import { oauthAppOf, oauthProblems, oauthSettings, type OAuthApp } from './config/oauth-app.ts';
import {
  operationConfigOf,
  operationProblems,
  operationSettings,
  type OperationConfig,
} from './config/operation.ts';
import { serviceConfigOf, serviceSettings, type ServiceConfig } from './config/service-calls.ts';
import {
  coordinationConfigOf,
  coordinationProblems,
  coordinationSettings,
  type CoordinationConfig,
} from './config/coordination.ts';
import { socketLimitsOf, socketSettings, type SocketLimits } from './config/sockets.ts';

/** What the server is told by its operator; read-only, complete, checked. */
export interface Config extends ServiceConfig, LiveConfig, AccessConfig, OperationConfig, CoordinationConfig {
  /** The app by which owners authorise this server on the legacy surface; null where there is none. */
  readonly oauth: OAuthApp | null;
  readonly sockets: SocketLimits;
  /** How much one operation may ask for. */
  readonly limits: DocumentLimits;
}

/** Variables as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A configuration with problems; `problems` names each variable and what is wrong with it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration can't be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

const settings = z.object({
  ...serviceSettings,
  ...oauthSettings,
  ...liveSettings,
  ...accessSettings,
  ...operationSettings,
  ...coordinationSettings,
  ...socketSettings,
  ...limitSettings,
});

/** One variable that the server reads, for its help. */
export interface SettingHelp {
  readonly name: string;
  readonly description: string;
  /** The default, or an empty text. */
  readonly default: string;
}

/** Every variable that the server reads. */
export function settingsHelp(): SettingHelp[] {
  return Object.entries(settings.shape).map(([name, schema]) => {
    // What is said as a text and read as another value is told as it was said.
    const said = schema.meta()?.['unset'];
    const unset = typeof said === 'string' ? said : (schema.safeParse(undefined).data ?? '');
    return { name, description: schema.description ?? '', default: String(unset) };
  });
}

/**
 * Reads the configuration; an empty variable counts as unset.
 *
 * Throws a ConfigError that names every problem at once.
 */
export function readConfig(environment: Environment): Config {
  const given = Object.fromEntries(
    Object.keys(settings.shape).map((name) => [name, environment[name]?.trim() || undefined]),
  );
  const parsed = settings.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  }
  const values = parsed.data;
  const problems = [
    ...oauthProblems(values),
    ...accessProblems(values),
    ...operationProblems(values),
    ...coordinationProblems(values),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    ...serviceConfigOf(values),
    ...liveConfigOf(values),
    ...accessConfigOf(values),
    ...operationConfigOf(values),
    ...coordinationConfigOf(values),
    oauth: oauthAppOf(values),
    sockets: socketLimitsOf(values),
    limits: limitsOf(values),
  };
}
