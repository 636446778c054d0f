import {
  createBillingSession,
  type BillingCustomer as CustomerView,
  type BillingSession as SessionView,
} from '../sources/current/billing.ts';
import { completed, sendOnce } from '../writes/outcome.ts';
import { builder } from './builder.ts';
import { definePayload, unkeyed } from './write.ts';

const HOW_TO_FIND_OUT = 'Create another session; an unopened one does no harm.';

const BillingCustomer = builder.objectRef<CustomerView>('BillingCustomer').implement({
  description: 'A customer linked to a billing portal session.',
  fields: (t) => ({
    customerId: t.expose('customerId', {
      type: 'ServiceId',
      nullable: true,
      description: 'The service’s own id for the customer.',
    }),
    email: t.exposeString('email', { nullable: true, description: 'Email address of the customer.' }),
    hasBillingAddress: t.exposeBoolean('hasBillingAddress', {
      nullable: true,
      description: 'Whether the customer has a billing address.',
    }),
    hasPaymentMethod: t.exposeBoolean('hasPaymentMethod', {
      nullable: true,
      description: 'Whether the customer has a payment method.',
    }),
    hasActiveSubscription: t.exposeBoolean('hasActiveSubscription', {
      nullable: true,
      description: 'Whether the customer has an active subscription.',
    }),
  }),
});

const BillingPortalSession = builder.objectRef<SessionView>('BillingPortalSession').implement({
  description:
    'A billing portal session, including its token: treat it as a secret. It is not stored and cannot be read again.',
  fields: (t) => ({
    portalUrl: t.expose('portalUrl', {
      type: 'URL',
      nullable: true,
      description: 'URL of the billing portal, which the owner opens in a browser.',
    }),
    sessionId: t.expose('sessionId', {
      type: 'ServiceId',
      nullable: true,
      description: 'The service’s own id for the session.',
    }),
    accessUrl: t.expose('accessUrl', {
      type: 'URL',
      nullable: true,
      description:
        'Access URL of the session. How it differs from `portalUrl` is undocumented by the service.',
    }),
    token: t.exposeString('token', {
      nullable: true,
      description: 'Token of the session. Treat it as a secret.',
    }),
    status: t.exposeString('status', {
      nullable: true,
      description: 'Status of the session, such as `created`.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the session was created.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the session expires.',
    }),
    customerId: t.expose('customerId', {
      type: 'ServiceId',
      nullable: true,
      description: 'The service’s own id for the customer.',
    }),
    redirectUrl: t.expose('redirectUrl', {
      type: 'URL',
      nullable: true,
      description: 'Redirect URL of the session. Undocumented by the service.',
    }),
    linkedCustomers: t.expose('linkedCustomers', {
      type: [BillingCustomer],
      nullable: { list: true, items: false },
      description: 'Customers linked to the session.',
    }),
  }),
});

const CreateBillingPortalSessionPayload = definePayload<SessionView>(
  'CreateBillingPortalSessionPayload',
  { takesKey: false },
  (t) => ({
    session: t.field({
      type: BillingPortalSession,
      description: 'The session; null unless it was created.',
      resolve: ({ result }) => result.data,
    }),
  }),
);

builder.mutationField('createBillingPortalSession', (t) =>
  t.field({
    type: CreateBillingPortalSessionPayload,
    description:
      'Creates a billing portal session. The owner opens its URL in a browser before it expires; each call creates a new session.',
    resolve: async (_root, _args, { writes: { sources } }) => {
      const send = async () => completed(await createBillingSession(sources.current()));
      return unkeyed(await sendOnce(send, HOW_TO_FIND_OUT));
    },
  }),
);
