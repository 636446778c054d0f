import type {
  BillingCustomer as CustomerView,
  BillingSession as SessionView,
} from '../sources/current/billing.ts';
import { createBillingSession } from '../writes/create-billing-session.ts';
import { builder } from './builder.ts';
import { costsCalls } from './cost.ts';
import { definePayload, unkeyed } from './write.ts';

const BillingCustomer = builder.objectRef<CustomerView>('BillingCustomer').implement({
  description: 'A customer linked with a session of the billing portal.',
  fields: (t) => ({
    customerId: t.expose('customerId', {
      type: 'ServiceId',
      nullable: true,
      description: 'Id of the customer, as the service gives it.',
    }),
    email: t.exposeString('email', { nullable: true, description: 'Mail address of the customer.' }),
    hasBillingAddress: t.exposeBoolean('hasBillingAddress', {
      nullable: true,
      description: 'Whether there is a billing address.',
    }),
    hasPaymentMethod: t.exposeBoolean('hasPaymentMethod', {
      nullable: true,
      description: 'Whether there is a payment method.',
    }),
    hasActiveSubscription: t.exposeBoolean('hasActiveSubscription', {
      nullable: true,
      description: 'Whether there is an active subscription.',
    }),
  }),
});

const BillingPortalSession = builder.objectRef<SessionView>('BillingPortalSession').implement({
  description:
    'A session of the billing portal, with its token: treat it as a secret. It is not kept here, and can’t be read again.',
  fields: (t) => ({
    portalUrl: t.expose('portalUrl', {
      type: 'URL',
      nullable: true,
      description: 'Address of the portal.',
    }),
    sessionId: t.expose('sessionId', {
      type: 'ServiceId',
      nullable: true,
      description: 'Id of the session, as the service gives it.',
    }),
    accessUrl: t.expose('accessUrl', {
      type: 'URL',
      nullable: true,
      description: 'The service’s access address of the session.',
    }),
    token: t.exposeString('token', {
      nullable: true,
      description: 'Token of the session; treat it as a secret.',
    }),
    status: t.exposeString('status', {
      nullable: true,
      description: 'The service’s own word for its status, such as `created`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', nullable: true, description: 'When it was made.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it ends.' }),
    customerId: t.expose('customerId', {
      type: 'ServiceId',
      nullable: true,
      description: 'Id of the customer, as the service gives it.',
    }),
    redirectUrl: t.expose('redirectUrl', {
      type: 'URL',
      nullable: true,
      description: 'The service’s redirect address of the session.',
    }),
    linkedCustomers: t.expose('linkedCustomers', {
      type: [BillingCustomer],
      nullable: { list: true, items: false },
      description: 'Customers linked with the session.',
    }),
  }),
});

const CreateBillingPortalSessionPayload = definePayload<SessionView>(
  'CreateBillingPortalSessionPayload',
  { takesKey: false },
  (t) => ({
    session: t.field({
      type: BillingPortalSession,
      description: 'The session; null unless it was made.',
      resolve: ({ result }) => result.data,
    }),
  }),
);

builder.mutationField('createBillingPortalSession', (t) =>
  t.field({
    type: CreateBillingPortalSessionPayload,
    description:
      'Creates a session of the billing portal. Each call creates another, which ends at its `expiresAt`.',
    resolve: async (_root, _args, context) => unkeyed(await createBillingSession(context)),
    ...costsCalls(1),
  }),
);
