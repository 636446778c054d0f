import type { Owner, Surfaces } from '../data/model.ts';
import { accountNamed } from '../domain/accounts.ts';
import { endpoints } from '../endpoints.ts';
import { FAULT_FORMS } from '../faults/kinds.ts';
import type { FaultPlan } from '../faults/fault-plan.ts';
import { WEB_SOCKET_PATH } from '../push/web-socket.ts';
import type { Service } from '../service.ts';
import { EVENTS } from './events.ts';
import type { EventForm } from './events.ts';

/** Maximum number of owners shown individually; there may be thousands. */
const MOST_OWNERS = 10;

/** The sandbox's description of itself. */
export type Overview = ReturnType<typeof overviewOf>;

/** Collects the sandbox's description of itself: credentials, calls, push sockets, events and faults. */
export function overviewOf({
  service,
  plan,
  origin,
}: {
  readonly service: Service;
  readonly plan: FaultPlan;
  readonly origin: () => string;
}) {
  const { world, authorization } = service;
  const url = origin();
  return {
    name: 'Sandbox',
    about:
      'This server simulates the social publishing service. Both of its HTTP surfaces are at this address. The sample data is kept in memory until the process ends and never reaches a real network.',
    url,
    owners: world.owners.slice(0, MOST_OWNERS).map(ownerOverview),
    moreOwners: Math.max(0, world.owners.length - MOST_OWNERS),
    oauthApp: {
      clientId: authorization.app.clientId,
      clientSecret: authorization.app.clientSecret,
      consentPage: `${url}/oauth/`,
    },
    push: { socketIo: url, webSocket: `${url.replace('http', 'ws')}${WEB_SOCKET_PATH}` },
    calls: { current: callsOf('current'), legacy: callsOf('legacy') },
    events: {
      kinds: Object.entries<EventForm>(EVENTS).map(([kind, { summary, fields, isForAll }]) => ({
        kind,
        summary,
        fields: [...(isForAll ? [] : ['owner']), ...Object.keys(fields)],
      })),
      tryIt: [
        `curl -s ${url}/sandbox/events -H 'content-type: application/json' -d '{"kind":"disconnect"}'`,
        `curl -s ${url}/sandbox/events -H 'content-type: application/json' -d '{"kind":"publish"}'`,
        `curl -s ${url}/sandbox/calls`,
      ],
    },
    faults: {
      url: `${url}/sandbox/faults`,
      plannedCount: plan.list().filter(({ handle }) => handle.remaining > 0).length,
      kinds: Object.entries(FAULT_FORMS).map(([kind, { summary, fields }]) => ({
        kind,
        summary,
        fields: Object.entries(fields).map(([name, field]) => ({ name, isRequired: !field.isOptional() })),
      })),
      tryIt: [
        `curl -s ${url}/sandbox/faults -H 'content-type: application/json' -d '{"endpoint":"GET /accounts/list","kind":"status","status":503,"times":3}'`,
        `curl -s ${url}/sandbox/faults`,
        `curl -s -X DELETE ${url}/sandbox/faults`,
      ],
    },
  };
}

function ownerOverview(owner: Owner) {
  const { credentials, companyName, accounts, queue } = owner;
  // An event names an account by its id.
  const named = accounts.filter((account) => accountNamed(owner, account.loginId) === account);
  const countOn = (surface: keyof Surfaces) => accounts.filter(({ surfaces }) => surfaces[surface]).length;
  return {
    ...credentials,
    company: companyName,
    accountCounts: { current: countOn('current'), legacy: countOn('legacy') },
    accounts: named.map(({ loginId, username }) => ({ loginId, username })),
    queuedPostCount: queue.length,
  };
}

function callsOf(surface: 'current' | 'legacy'): string[] {
  return endpoints.filter((endpoint) => endpoint.surface === surface).map(({ name }) => name);
}
