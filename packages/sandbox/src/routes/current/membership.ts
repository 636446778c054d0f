import { Hono } from 'hono';
import { requireKey } from '../../credentials.ts';
import type { Routes, SandboxEnv, Service } from '../../service.ts';
import { succeed } from '../../wire/envelope.ts';
import { planData } from '../../wire/plan.ts';

/** GET /membership/plan/list. */
export function membershipRoutes(service: Service): Routes {
  const routes: Routes = new Hono<SandboxEnv>();
  routes.get('/membership/plan/list', requireKey(service), (c) =>
    succeed(planData(c.get('owner')), 'Plan found.'),
  );
  return routes;
}
