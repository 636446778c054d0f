import { isDecodable, isLoopback } from './setting.ts';

/** The proxies through which the surfaces are called; null for a surface that is called directly. */
export interface ProxyConfig {
  readonly proxies: { readonly current: URL | null; readonly legacy: URL | null };
}

/** The environment variables for proxies are shared with other programs, and may be written in lower case. */
type Variables = Readonly<Record<string, string | undefined>>;

/** True for the name of one of these variables. */
export function isProxyVariable(name: string): boolean {
  return /^(?:https|no)_proxy$/i.test(name);
}

/** Finds the proxy for calls to an address; null if there is none, `unusable` if its address cannot be used. */
export function proxyFor(url: URL | null, variables: Variables): URL | 'unusable' | null {
  const value = valueOf('HTTPS_PROXY', variables);
  const exempted = valueOf('NO_PROXY', variables)
    .toLowerCase()
    .split(/[\s,]+/);
  // Only an address on this machine may be without TLS, and no proxy leads there.
  if (url === null || value === '' || isLoopback(url.hostname)) return null;
  if (exempted.some((entry) => isExempted(url, entry))) return null;
  const text = value.includes('://') ? value : `http://${value}`;
  if (!URL.canParse(text)) return 'unusable';
  const proxy = new URL(text);
  const isUsable = /^https?:$/.test(proxy.protocol) && [proxy.username, proxy.password].every(isDecodable);
  return isUsable ? proxy : 'unusable';
}

function valueOf(name: string, variables: Variables): string {
  return (variables[name.toLowerCase()] ?? variables[name] ?? '').trim();
}

/** Whether an entry of NO_PROXY covers an address: everything, or a host and its subdomains, perhaps with a port. */
function isExempted({ hostname, port }: URL, entry: string): boolean {
  if (entry === '*') return true;
  const [, name, itsPort] = /^(?:\*?\.)?([^:]+|\[.+\])(?::(\d+))?$/.exec(entry) ?? [];
  if (name === undefined || (itsPort !== undefined && itsPort !== (port || '443'))) return false;
  return hostname === name || hostname.endsWith(`.${name}`);
}
