import { Hono } from 'hono';
import { requireKey } from '../../credentials.ts';
import type { Owner } from '../../data/model.ts';
import type { Routes, SandboxEnv, Service } from '../../service.ts';
import { succeed } from '../../wire/envelope.ts';

const SESSION_SECONDS = 3_600;

/** GET /payment/billing/portalcreate: each call creates a new session. */
export function billingRoutes(service: Service): Routes {
  const { book, clock, world } = service;
  const routes: Routes = new Hono<SandboxEnv>();

  routes.get('/payment/billing/portalcreate', requireKey(service), (c) => {
    const owner = c.get('owner');
    const id = `portal_${world.random.hex(20)}`;
    const token = book.note('billingSessions', `billing-${owner.credentials.name}-${world.random.hex(32)}`);
    owner.billingSessions.push(id);
    return succeed(portalSession(owner, { id, token, now: clock.now() }), 'Portal session created.');
  });

  return routes;
}

function portalSession(
  owner: Owner,
  { id, token, now }: { readonly id: string; readonly token: string; readonly now: number },
) {
  const customerId = `customer-${owner.companyId}`;
  const accessUrl = `https://billing.example.com/portal/${id}?token=${token}`;
  const createdAt = Math.floor(now / 1_000);
  return {
    portalUrl: accessUrl,
    portal: {
      id,
      token,
      access_url: accessUrl,
      status: 'created',
      created_at: createdAt,
      expires_at: createdAt + SESSION_SECONDS,
      object: 'portal_session',
      customer_id: customerId,
      redirect_url: 'https://app.example.com/billing',
      linked_customers: [
        {
          object: 'linked_customer',
          customer_id: customerId,
          email: owner.email,
          has_billing_address: true,
          has_payment_method: true,
          has_active_subscription: true,
        },
      ],
    },
  };
}
