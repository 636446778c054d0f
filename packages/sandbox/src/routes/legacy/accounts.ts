import { Hono } from 'hono';
import { requireToken } from '../../credentials.ts';
import type { Account, Owner } from '../../data/model.ts';
import { findAccount, removeAccount, toggle } from '../../domain/accounts.ts';
import { Refusal } from '../../refusal.ts';
import type { Routes, SandboxEnv, Service } from '../../service.ts';
import { legacyAccount } from '../../wire/account.ts';
import { answerLegacy, succeedLegacy } from '../../wire/envelope.ts';
import { tryAgainLater } from '../../wire/legacy-messages.ts';

/** GET /oauth/accounts, GET /oauth/account/status/:id (a toggle) and GET /oauth/account/delete/:id. */
export function legacyAccountRoutes(service: Service): Routes {
  const { quirks } = service;
  const routes: Routes = new Hono<SandboxEnv>();

  const named = (owner: Owner, id: string): Account => {
    const account = /^\d+$/.test(id) ? findAccount(owner, Number(id), 'legacy') : undefined;
    // This surface has the same message for not found, not owned and broken.
    if (!account) throw new Refusal(quirks.legacyFailureStatus, tryAgainLater);
    return account;
  };

  routes.get('/oauth/accounts', requireToken(service), (c) => {
    const listed = c.get('owner').accounts.filter((account) => account.surfaces.legacy);
    return answerLegacy(listed.map(legacyAccount), quirks);
  });

  routes.get('/oauth/account/status/:id', requireToken(service), (c) => {
    const owner = c.get('owner');
    const account = named(owner, c.req.param('id'));
    toggle(owner, account);
    return succeedLegacy(quirks, { new_status: account.paused ? 'Paused' : 'Running' });
  });

  routes.get('/oauth/account/delete/:id', requireToken(service), (c) => {
    const owner = c.get('owner');
    removeAccount(owner, named(owner, c.req.param('id')));
    return succeedLegacy(quirks);
  });

  return routes;
}
