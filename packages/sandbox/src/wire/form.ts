import qs from 'qs';

/**
 * The fields of a request body: bracketed form fields (`account_id[0]`, `preview[title]`) nested, multipart likewise,
 * a JSON object unchanged; no fields for anything else.
 */
export async function readFields(contentType: string, body: Buffer): Promise<Record<string, unknown>> {
  if (body.length === 0) return {};
  if (contentType.startsWith('application/x-www-form-urlencoded')) return parseForm(body.toString('utf8'));
  if (contentType.startsWith('multipart/form-data'))
    return parseForm(await flattenMultipart(contentType, body));
  if (contentType.includes('json')) return parseObject(body.toString('utf8'));
  return {};
}

/** Reads the fields of a form; a JSON body has none. */
export async function readFormFields(request: Request): Promise<Record<string, unknown>> {
  const contentType = request.headers.get('content-type') ?? '';
  const body = Buffer.from(await request.arrayBuffer());
  return contentType.includes('json') ? {} : readFields(contentType, body);
}

function parseForm(text: string): Record<string, unknown> {
  return qs.parse(text, { arrayLimit: 10_000, parameterLimit: 100_000 });
}

async function flattenMultipart(contentType: string, body: Buffer): Promise<string> {
  const headers = { 'content-type': contentType };
  // An unreadable form has no fields; the route then reports what is missing.
  const form = await new Response(new Uint8Array(body), { headers }).formData().catch(() => new FormData());
  const pairs = [...form].map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : value.name,
  ]);
  return new URLSearchParams(pairs).toString();
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    // Invalid JSON contains no credentials; a route that requires JSON reports the error.
    return {};
  }
}
