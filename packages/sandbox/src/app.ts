import { Hono } from 'hono';
import { settleQueue } from './domain/queue.ts';
import { Refusal } from './refusal.ts';
import { accountRoutes } from './routes/current/accounts.ts';
import { billingRoutes } from './routes/current/billing.ts';
import { draftRoutes } from './routes/current/drafts.ts';
import { groupRoutes } from './routes/current/groups.ts';
import { libraryRoutes } from './routes/current/library.ts';
import { membershipRoutes } from './routes/current/membership.ts';
import { openaiRoutes } from './routes/current/openai.ts';
import { postRoutes } from './routes/current/posts.ts';
import { legacyAccountRoutes } from './routes/legacy/accounts.ts';
import { authorizationRoutes } from './routes/legacy/authorization.ts';
import { legacyGroupRoutes } from './routes/legacy/groups.ts';
import { legacyPostRoutes } from './routes/legacy/posts.ts';
import { tokenRoutes } from './routes/legacy/token.ts';
import type { Routes, SandboxEnv, Service } from './service.ts';
import { failCurrent, failLegacy } from './wire/envelope.ts';

const legacySurface = [
  authorizationRoutes,
  tokenRoutes,
  legacyAccountRoutes,
  legacyGroupRoutes,
  legacyPostRoutes,
];
const currentSurface = [
  postRoutes,
  accountRoutes,
  openaiRoutes,
  groupRoutes,
  libraryRoutes,
  draftRoutes,
  membershipRoutes,
  billingRoutes,
];

/** Both surfaces in one app; a refusal is written in the format of its surface. */
export function createApp(service: Service): Routes {
  const { clock, quirks, world } = service;
  const app: Routes = new Hono<SandboxEnv>();
  const refuse = (path: string, refusal: Refusal) =>
    path.startsWith('/oauth') ? failLegacy(refusal, quirks) : failCurrent(refusal, quirks);

  app.use(async (_c, next) => {
    for (const owner of world.owners) settleQueue(owner, clock.now());
    await next();
  });
  for (const routes of [...legacySurface, ...currentSurface]) app.route('/', routes(service));
  app.notFound((c) => refuse(c.req.path, new Refusal(404, 'There is no such endpoint.')));
  app.onError((error, c) =>
    refuse(
      c.req.path,
      error instanceof Refusal ? error : new Refusal(500, `The sandbox failed: ${error.message}`),
    ),
  );
  return app;
}
