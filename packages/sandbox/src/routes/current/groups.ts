import { Hono } from 'hono';
import { requireKey } from '../../credentials.ts';
import type { Routes, SandboxEnv, Service } from '../../service.ts';
import { succeed } from '../../wire/envelope.ts';
import { groupItem } from '../../wire/group.ts';
import { listResponse, takePage } from '../paging.ts';
import { containing, oneOf } from '../parameters.ts';
import type { Query } from '../parameters.ts';

/** GET /group/list. */
export function groupRoutes(service: Service): Routes {
  const routes: Routes = new Hono<SandboxEnv>();

  routes.get('/group/list', requireKey(service), (c) => {
    const owner = c.get('owner');
    const query: Query = (name) => c.req.query(name);
    const named = containing(query, 'q');
    const found = owner.groups.filter((group) => named(group.name));
    const sortBy = oneOf(query, 'sortBy', ['groupName']);
    const sortOrder = oneOf(query, 'sortOrder', ['ASC', 'DESC']);
    if (sortBy || sortOrder) found.sort((a, b) => a.name.localeCompare(b.name, 'en'));
    if (sortOrder === 'DESC') found.reverse();
    const page = takePage(found, query, service.quirks);
    return succeed(
      listResponse(page, (group) => groupItem(group, owner)),
      'Groups listed.',
    );
  });

  return routes;
}
