/**
 * The 22 calls of the interface, in its own spelling, and the surface of each.
 *
 * `changes` says whether a call has an effect, whatever its HTTP verb: four of the GETs do.
 */
export const endpoints = [
  { name: 'GET /oauth/', surface: 'legacy', changes: false },
  { name: 'POST /oauth/accesstoken', surface: 'legacy', changes: true },
  { name: 'GET /oauth/accounts', surface: 'legacy', changes: false },
  { name: 'GET /oauth/account/status/:id', surface: 'legacy', changes: true },
  { name: 'GET /oauth/account/delete/:id', surface: 'legacy', changes: true },
  { name: 'GET /oauth/groups', surface: 'legacy', changes: false },
  { name: 'GET /oauth/group/delete/:id', surface: 'legacy', changes: true },
  { name: 'POST /oauth/post/update', surface: 'legacy', changes: true },
  { name: 'POST /oauth/post/updatewithimage', surface: 'legacy', changes: true },
  { name: 'GET /posts/queued', surface: 'current', changes: false },
  { name: 'GET /accounts/list', surface: 'current', changes: false },
  { name: 'GET /accounts/view/{loginId}', surface: 'current', changes: false },
  { name: 'GET /openai/historyList', surface: 'current', changes: false },
  { name: 'POST /openai/response', surface: 'current', changes: true },
  { name: 'GET /group/list', surface: 'current', changes: false },
  { name: 'GET /library/list', surface: 'current', changes: false },
  { name: 'POST /library/create', surface: 'current', changes: true },
  { name: 'GET /library/view/{contentid}', surface: 'current', changes: false },
  { name: 'POST /posts/create', surface: 'current', changes: true },
  { name: 'POST /draft/create', surface: 'current', changes: true },
  { name: 'GET /membership/plan/list', surface: 'current', changes: false },
  { name: 'GET /payment/billing/portalcreate', surface: 'current', changes: true },
] as const;

/** One row of the table. */
export type Endpoint = (typeof endpoints)[number];

/** The name of a call: method, space, path template exactly as in the interface. */
export type EndpointName = Endpoint['name'];

const patterns = endpoints.map((endpoint) => {
  const [method = '', template = ''] = endpoint.name.split(' ');
  const path = template.replace(/:\w+|\{\w+\}/g, '[^/]+');
  return { endpoint, method, path: new RegExp(`^${path}$`) };
});

/** Returns the call that a request line matches, or null for a path outside the interface. */
export function matchEndpoint(method: string, path: string): Endpoint | null {
  return patterns.find((entry) => entry.method === method && entry.path.test(path))?.endpoint ?? null;
}
