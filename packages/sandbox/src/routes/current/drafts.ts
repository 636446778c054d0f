import { Hono } from 'hono';
import { requireKey } from '../../credentials.ts';
import type { Routes, SandboxEnv, Service } from '../../service.ts';
import { succeed } from '../../wire/envelope.ts';
import { readBody } from '../body.ts';
import { namedAccounts } from './posts.ts';
import { createDraftBody } from './request-bodies.ts';

/** POST /draft/create; no call reads a draft back. */
export function draftRoutes(service: Service): Routes {
  const { clock, quirks, world } = service;
  const routes: Routes = new Hono<SandboxEnv>();

  routes.post('/draft/create', requireKey(service), async (c) => {
    const owner = c.get('owner');
    const body = await readBody(c, createDraftBody);
    namedAccounts(owner, body.loginIds, quirks);
    const draftId = world.random.hex(24);
    owner.drafts.push({ draftId, createdAt: clock.now(), body });
    return succeed({ draftId }, 'Draft saved.');
  });

  return routes;
}
