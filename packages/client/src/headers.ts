/** Who calls: a credential for each surface of the service. Send one or both. */
export interface Credentials {
  /** The API key of the current surface. */
  readonly apiKey?: string | undefined;
  /** The access token of the legacy surface. */
  readonly accessToken?: string | undefined;
}

/** What a client sends along with each operation. */
export interface HeaderOptions {
  /** Who calls; a function is called for each operation, once for all attempts of a write, and for each new WebSocket. */
  readonly credentials?: Credentials | (() => Credentials | Promise<Credentials>) | undefined;
  /** Further headers. Over WebSocket they are sent in `connection_init`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The credentials of one operation. */
export async function credentialsOf({ credentials = {} }: HeaderOptions): Promise<Credentials> {
  return typeof credentials === 'function' ? await credentials() : credentials;
}

/** The headers of one operation, with names in lower case. */
export async function headersOf({ headers = {}, ...options }: HeaderOptions) {
  const { apiKey, accessToken } = await credentialsOf(options);
  const all = new Headers(headers);
  if (apiKey !== undefined) all.set('x-api-key', apiKey);
  if (accessToken !== undefined) all.set('authorization', `Bearer ${accessToken}`);
  const record: Record<string, string> = {};
  all.forEach((value, name) => (record[name] = value));
  return record;
}
