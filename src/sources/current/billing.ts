import { malformed } from '../client.ts';
import { epochSeconds, flag, id, listOf, privateUrl, text } from '../decode.ts';
import { endpoint, WRITE } from '../endpoint.ts';
import { defineView, field, inspected, readable, record, type Seen } from '../view.ts';
import type { CurrentClient } from './client.ts';

// Billing portal sessions. The response is a short-lived secret.

const PORTAL_CREATE = endpoint('current', 'GET /payment/billing/portalcreate', WRITE);

/** A customer covered by a session. */
export const billingCustomer = defineView({
  customerId: field('customer_id', id),
  email: field('email', text),
  hasBillingAddress: field('has_billing_address', flag),
  hasPaymentMethod: field('has_payment_method', flag),
  hasActiveSubscription: field('has_active_subscription', flag),
});
export type BillingCustomer = Seen<typeof billingCustomer>;

/** A session of the billing portal. */
export const billingSession = defineView({
  portalUrl: field('portalUrl', privateUrl),
  sessionId: field('portal.id', id),
  accessUrl: field('portal.access_url', privateUrl),
  token: field('portal.token', text),
  status: field('portal.status', text),
  createdAt: field('portal.created_at', epochSeconds),
  expiresAt: field('portal.expires_at', epochSeconds),
  customerId: field('portal.customer_id', id),
  redirectUrl: field('portal.redirect_url', privateUrl),
  linkedCustomers: field('portal.linked_customers', listOf(record(billingCustomer))),
});
export type BillingSession = Seen<typeof billingSession>;

/**
 * GET /payment/billing/portalcreate: CREATES a session of the billing portal.
 *
 * Repeatable: no, although it is a GET: each call creates another session with its own token.
 * Interface: "Billing portal session", "Current surface".
 */
export async function createBillingSession(client: CurrentClient): Promise<BillingSession> {
  const { response, origin } = await client.call(PORTAL_CREATE);
  const session = inspected(billingSession, response, origin);
  if (readable(() => session.portalUrl) === null && readable(() => session.accessUrl) === null)
    throw malformed(PORTAL_CREATE, 'a session URL', origin);
  return session;
}
