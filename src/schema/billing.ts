import {
  createBillingSession,
  type BillingCustomer as CustomerView,
  type BillingSession as SessionView,
} from '../sources/current/billing.ts';
import { completed, sendOnce } from '../writes/outcome.ts';
import { builder } from './builder.ts';
import { boolean, dateTime, field, serviceId, shown, string, url } from './data.ts';
import { definePayload, unkeyed } from './write.ts';

const HOW_TO_FIND_OUT = 'Create another session; an unopened one does no harm.';

const BillingCustomer = builder.objectRef<CustomerView>('BillingCustomer').implement({
  description: 'A customer linked to a billing portal session.',
  fields: (t) =>
    shown(t, {
      customerId: serviceId('The service’s own id for the customer.'),
      email: string('Email address of the customer.'),
      hasBillingAddress: boolean('Whether the customer has a billing address.'),
      hasPaymentMethod: boolean('Whether the customer has a payment method.'),
      hasActiveSubscription: boolean('Whether the customer has an active subscription.'),
    }),
});

const BillingPortalSession = builder.objectRef<SessionView>('BillingPortalSession').implement({
  description:
    'A billing portal session, including its token: treat it as a secret. It is not stored and cannot be read again.',
  fields: (t) =>
    shown(t, {
      portalUrl: url('URL of the billing portal, which the owner opens in a browser.'),
      sessionId: serviceId('The service’s own id for the session.'),
      accessUrl: url(
        'Access URL of the session. How it differs from `portalUrl` is undocumented by the service.',
      ),
      token: string('Token of the session. Treat it as a secret.'),
      status: string('Status of the session, such as `created`.'),
      createdAt: dateTime('When the session was created.'),
      expiresAt: dateTime('When the session expires.'),
      customerId: serviceId('The service’s own id for the customer.'),
      redirectUrl: url('Redirect URL of the session. Undocumented by the service.'),
      linkedCustomers: field([BillingCustomer], 'Customers linked to the session.'),
    }),
});

const CreateBillingPortalSessionPayload = definePayload<SessionView>('createBillingPortalSession', (t) => ({
  session: t.field({
    type: BillingPortalSession,
    description: 'The session; null unless it was created.',
    resolve: ({ result }) => result.data,
  }),
}));

builder.mutationField('createBillingPortalSession', (t) =>
  t.field({
    type: CreateBillingPortalSessionPayload,
    description:
      'Creates a billing portal session. The owner opens its URL in a browser before it expires; each call creates a new session.',
    resolve: async (_root, _args, { writes }) => {
      const send = async () => completed(await createBillingSession(writes.sources.current()));
      return unkeyed(await writes.track(sendOnce(send, HOW_TO_FIND_OUT)));
    },
  }),
);
