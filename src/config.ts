import { z } from 'zod';
import { accessConfigOf, accessProblems, accessSettings, type AccessConfig } from './config/access.ts';
import { assistantConfigOf, assistantSettings, type AssistantConfig } from './config/assistants.ts';
import { limitSettings, limitsOf, type DocumentLimits } from './config/document-limits.ts';
import { liveConfigOf, liveSettings, type LiveConfig } from './config/live-results.ts';
import { oauthAppOf, oauthProblems, oauthSettings, type OAuthApp } from './config/oauth-app.ts';
import {
  operationConfigOf,
  operationProblems,
  operationSettings,
  type OperationConfig,
} from './config/operation.ts';
import { proxyFor, type ProxyConfig } from './config/proxy.ts';
import {
  serviceConfigOf,
  serviceProblems,
  serviceSettings,
  type ServiceConfig,
} from './config/service-calls.ts';
import {
  coordinationConfigOf,
  coordinationProblems,
  coordinationSettings,
  type CoordinationConfig,
} from './config/coordination.ts';
import { webhookConfigOf, webhookSettings, type WebhookConfig } from './config/webhooks.ts';
import { meantBy } from './config/misspelt.ts';
import { socketLimitsOf, socketSettings, type SocketLimits } from './config/sockets.ts';

/** The operator's settings for the server: read-only, complete and validated. */
export interface Config
  extends
    ServiceConfig,
    ProxyConfig,
    LiveConfig,
    AccessConfig,
    OperationConfig,
    CoordinationConfig,
    WebhookConfig,
    AssistantConfig {
  /** The app through which owners authorise this server on the legacy surface; null if there is none. */
  readonly oauth: OAuthApp | null;
  readonly sockets: SocketLimits;
  /** How much one operation may request. */
  readonly limits: DocumentLimits;
}

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration is not valid; `problems` names each variable and what is wrong with it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings are not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
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
  ...webhookSettings,
  ...assistantSettings,
});

/** A variable that the server reads, as shown in its help. */
export interface SettingHelp {
  readonly name: string;
  readonly description: string;
  /** The default, or an empty string. */
  readonly default: string;
}

/** Lists every variable that the server reads. */
export function settingsHelp(): SettingHelp[] {
  return Object.entries(settings.shape).map(([name, schema]) => {
    // A default that is written as text and parsed into another value is shown as written.
    const said = schema.meta()?.['unset'];
    const unset = typeof said === 'string' ? said : (schema.safeParse(undefined).data ?? '');
    return {
      name,
      description: [schema.description ?? '', ...choicesOf(schema)].join(' '),
      default: String(unset),
    };
  });
}

function choicesOf(schema: z.ZodType): string[] {
  const words = schema instanceof z.ZodDefault ? schema.def.innerType : schema;
  return words instanceof z.ZodEnum ? [`[${words.options.join(' | ')}]`] : [];
}

/**
 * Reads the configuration; an empty variable counts as unset.
 *
 * @throws ConfigError that names every problem at once
 */
export function readConfig(environment: Environment): Config {
  const given = givenIn(environment);
  const quoted = Object.keys(given).filter((name) => QUOTED.test(given[name] ?? ''));
  const basic = [
    ...misspeltNames(environment),
    ...quoted.map((name) => `${name}: is in quotation marks, which are part of the value; remove them`),
  ];
  const parsed = settings.safeParse(given);
  if (!parsed.success) {
    const wrong = parsed.error.issues
      .map(({ path: [name], message }) => ({ name: String(name), message }))
      .filter(({ name }) => !quoted.includes(name));
    throw new ConfigError([...basic, ...wrong.map(({ name, message }) => `${name}: ${message}`)]);
  }
  const values = parsed.data;
  const current = proxyFor(values.CURRENT_API_URL, environment);
  const legacy = proxyFor(values.LEGACY_API_URL, environment);
  const problems = [
    ...basic,
    ...serviceProblems(values),
    ...oauthProblems(values),
    ...accessProblems(values),
    ...operationProblems(values),
    ...coordinationProblems(values),
  ];
  if (current === 'unusable' || legacy === 'unusable') {
    // The value may hold a password.
    throw new ConfigError([...problems, 'HTTPS_PROXY: is not a URL that begins with http:// or https://']);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const service = serviceConfigOf(values);
  return {
    ...service,
    proxies: { current, legacy },
    ...liveConfigOf(values),
    ...accessConfigOf(values),
    ...operationConfigOf(values),
    ...webhookConfigOf(values),
    ...assistantConfigOf(values),
    ...coordinationConfigOf(values, service),
    oauth: oauthAppOf(values),
    sockets: socketLimitsOf(values),
    limits: limitsOf(values),
  };
}

/** `docker run --env-file` leaves quotation marks in the value. No setting needs any. */
const QUOTED = /^(["'`]).*\1$/s;

/** Kubernetes sets `SANDBOX_PORT` to such an address in every container if a service is named `sandbox`. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//;

/** Returns the values of the settings that are used, without white space around them. */
function givenIn(environment: Environment): Record<string, string | undefined> {
  const valueOf = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const hasService = valueOf('CURRENT_API_URL') !== undefined || valueOf('LEGACY_API_URL') !== undefined;
  const isIgnored = (name: string): boolean =>
    (hasService && name.startsWith('SANDBOX_')) ||
    (name.endsWith('_PORT') && SERVICE_LINK.test(valueOf(name) ?? ''));
  const names = Object.keys(settings.shape);
  return Object.fromEntries(names.map((name) => [name, isIgnored(name) ? undefined : valueOf(name)]));
}

// An ignored setting is worse than an invalid one. Next to the setting itself, a similar name is another program's.
function misspeltNames(environment: Environment): string[] {
  const names = Object.keys(settings.shape);
  return Object.entries(environment).flatMap(([name, value]) => {
    const meant = value?.trim() && !SERVICE_LINK.test(value) ? meantBy(name, names) : null;
    if (meant === null || environment[meant]?.trim()) return [];
    return [`${name}: is not a setting; did you mean ${meant}?`];
  });
}
