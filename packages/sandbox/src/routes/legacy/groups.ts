import { Hono } from 'hono';
import { requireToken } from '../../credentials.ts';
import { removeGroup } from '../../domain/accounts.ts';
import { Refusal } from '../../refusal.ts';
import type { Routes, SandboxEnv, Service } from '../../service.ts';
import { answerLegacy, succeedLegacy } from '../../wire/envelope.ts';
import { legacyGroup } from '../../wire/group.ts';
import { tryAgainLater } from '../../wire/legacy-messages.ts';

/** GET /oauth/groups and GET /oauth/group/delete/:id. */
export function legacyGroupRoutes(service: Service): Routes {
  const { quirks } = service;
  const routes: Routes = new Hono<SandboxEnv>();

  routes.get('/oauth/groups', requireToken(service), (c) =>
    answerLegacy(c.get('owner').groups.map(legacyGroup), quirks),
  );

  routes.get('/oauth/group/delete/:id', requireToken(service), (c) => {
    const id = c.req.param('id');
    const removed = /^\d+$/.test(id) && removeGroup(c.get('owner'), Number(id));
    if (!removed) throw new Refusal(quirks.legacyFailureStatus, tryAgainLater);
    return succeedLegacy(quirks);
  });

  return routes;
}
