/**
 * The 22 calls of the interface, in its own spelling, and the surface of each.
 *
 * `changes` says whether a call has an effect, whatever its HTTP verb: four of the GETs do.
 */
export const endpoints = [
  { name: 'GET /oauth/', surface: 'legacy', changes: false, livesIn: 'routes/legacy/authorization.ts' },
  { name: 'POST /oauth/accesstoken', surface: 'legacy', changes: true, livesIn: 'routes/legacy/token.ts' },
  { name: 'GET /oauth/accounts', surface: 'legacy', changes: false, livesIn: 'routes/legacy/accounts.ts' },
  {
    name: 'GET /oauth/account/status/:id',
    surface: 'legacy',
    changes: true,
    livesIn: 'routes/legacy/accounts.ts',
  },
  {
    name: 'GET /oauth/account/delete/:id',
    surface: 'legacy',
    changes: true,
    livesIn: 'routes/legacy/accounts.ts',
  },
  { name: 'GET /oauth/groups', surface: 'legacy', changes: false, livesIn: 'routes/legacy/groups.ts' },
  {
    name: 'GET /oauth/group/delete/:id',
    surface: 'legacy',
    changes: true,
    livesIn: 'routes/legacy/groups.ts',
  },
  { name: 'POST /oauth/post/update', surface: 'legacy', changes: true, livesIn: 'routes/legacy/posts.ts' },
  {
    name: 'POST /oauth/post/updatewithimage',
    surface: 'legacy',
    changes: true,
    livesIn: 'routes/legacy/posts.ts',
  },
  { name: 'GET /posts/queued', surface: 'current', changes: false, livesIn: 'routes/current/posts.ts' },
  { name: 'GET /accounts/list', surface: 'current', changes: false, livesIn: 'routes/current/accounts.ts' },
  {
    name: 'GET /accounts/view/{loginId}',
    surface: 'current',
    changes: false,
    livesIn: 'routes/current/accounts.ts',
  },
  {
    name: 'GET /openai/historyList',
    surface: 'current',
    changes: false,
    livesIn: 'routes/current/openai.ts',
  },
  { name: 'POST /openai/response', surface: 'current', changes: true, livesIn: 'routes/current/openai.ts' },
  { name: 'GET /group/list', surface: 'current', changes: false, livesIn: 'routes/current/groups.ts' },
  { name: 'GET /library/list', surface: 'current', changes: false, livesIn: 'routes/current/library.ts' },
  { name: 'POST /library/create', surface: 'current', changes: true, livesIn: 'routes/current/library.ts' },
  {
    name: 'GET /library/view/{contentid}',
    surface: 'current',
    changes: false,
    livesIn: 'routes/current/library.ts',
  },
  { name: 'POST /posts/create', surface: 'current', changes: true, livesIn: 'routes/current/posts.ts' },
  { name: 'POST /draft/create', surface: 'current', changes: true, livesIn: 'routes/current/drafts.ts' },
  {
    name: 'GET /membership/plan/list',
    surface: 'current',
    changes: false,
    livesIn: 'routes/current/membership.ts',
  },
  {
    name: 'GET /payment/billing/portalcreate',
    surface: 'current',
    changes: true,
    livesIn: 'routes/current/billing.ts',
  },
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
