import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError, isProxyVariable, readConfig, settingsHelp } from '../config.ts';
import type { Config, Environment } from '../config.ts';
import { reasonOf } from '../config/file-problem.ts';
import { decodeText } from './decode-text.ts';

/**
 * For commands that serve nobody: whatever address HOST contains, nobody can use API_KEY and ACCESS_TOKEN through
 * them.
 */
export const SERVES_NOBODY: Environment = { CLIENT_TOKENS: 'this-command-has-no-callers' };

/** For commands that call no service, whatever is configured. */
export const WITHOUT_SERVICE: Environment = { SANDBOX: 'on', CURRENT_API_URL: '', LEGACY_API_URL: '' };

/** For commands that use the sandbox whatever is configured, and never a real credential on it. */
export const ON_SANDBOX: Environment = { ...WITHOUT_SERVICE, API_KEY: '', ACCESS_TOKEN: '' };

/** True if NODE_ENV was set by this program, so that it says nothing about what the operator wants. */
let isNodeEnvOurs = false;

/**
 * Sets NODE_ENV unless the operator did. Called before any command is loaded: graphql checks it once, and is twice as
 * slow without it.
 */
export function setNodeEnv(): void {
  isNodeEnvOurs = !process.env['NODE_ENV'];
  if (isNodeEnvOurs) process.env['NODE_ENV'] = 'production';
}

/**
 * Reads the configuration from the environment, then from a file named `.env` for variables that the environment lacks; an
 * empty one there hides that of the file. Throws a ConfigError that names every problem, and one if neither a service nor
 * the sandbox is to be used. Names in the file that are not settings are reported on standard error, except those of
 * proxies and of OpenTelemetry, the latter of which are copied to the environment of the process for its SDK.
 *
 * @param fixed - Settings fixed by the command, which override the environment.
 * @param defaults - Settings of the command that are used where the environment has none.
 */
export function configFromEnvironment(fixed: Environment = {}, defaults: Environment = {}): Config {
  const file = readDotEnv();
  const nodeEnv = isNodeEnvOurs ? { NODE_ENV: file['NODE_ENV'] } : {};
  const given: Environment = { ...file, ...process.env, ...nodeEnv, ...fixed };
  const missing = Object.entries(defaults).filter(([name]) => !given[name]?.trim());
  const config = readConfig({ ...given, ...Object.fromEntries(missing) });
  for (const [name, value] of Object.entries(file)) if (isOpenTelemetry(name)) process.env[name] ??= value;
  const unknown = Object.keys(file).filter((name) => !isRead(name));
  if (unknown.length > 0)
    process.stderr.write(`.env contains names that are not settings of this server: ${unknown.join(', ')}\n`);
  if (config.usesSandbox && !config.allowsSandbox) throw new ConfigError([NO_SERVICE]);
  return config;
}

const NO_SERVICE =
  'CURRENT_API_URL, LEGACY_API_URL: neither is set. Set one of them, or SANDBOX=on to use the sandbox with sample data; without SANDBOX=on, the sandbox is used only if HOST is a loopback address and NODE_ENV is not production';

/** Whether a variable is one that this program reads. */
function isRead(name: string): boolean {
  return (
    settingsHelp().some((setting) => setting.name === name) || isOpenTelemetry(name) || isProxyVariable(name)
  );
}

function isOpenTelemetry(name: string): boolean {
  return name.startsWith('OTEL_');
}

const FILE = '.env';

/**
 * Reads the variables set in `.env`, if it exists. Throws a ConfigError that names each line that sets nothing, or only a
 * part of its value.
 */
function readDotEnv(): Environment {
  const text = textOfFile();
  const problems = problemsIn(text);
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...parseEnv(text) };
}

function textOfFile(): string {
  try {
    return decodeText(readFileSync(FILE), 'it');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw new ConfigError([`${FILE}: cannot be read: ${reasonOf(error)}`]);
  }
}

const SETS_OR_SAYS_NOTHING = /^\s*(?:#|$)|^\s*(?:export\s+)?[^\s=]+\s*=/;
/** A quoted value, which may span several lines. */
const QUOTED_VALUE = /(?<==[^\S\n]*)(["'`])[^]*?\1/g;

/** An unquoted value with a `#` in it, where the parser would cut it. */
const CUT_VALUE = /^\s*(?:export\s+)?([^\s=#]+)\s*=(?:\s*[^\s#][^#]*(?<=\S)#|#\S)/;

function problemsIn(text: string): string[] {
  // A quoted value counts as a comment after a space.
  const lines = text
    .replaceAll(QUOTED_VALUE, (value) => ` ${value.slice(1).replaceAll(/[^\n]/g, '#')}`)
    .split('\n');
  return lines.flatMap((line, index) => {
    const place = `${FILE}: line ${index + 1}`;
    if (!SETS_OR_SAYS_NOTHING.test(line)) return [`${place} is not of the form NAME=value`];
    const [, cut] = CUT_VALUE.exec(line) ?? [];
    return cut !== undefined && isRead(cut)
      ? [
          `${place} has a # in its value; enclose the value in quotation marks, or put a space before a comment`,
        ]
      : [];
  });
}
