import type {
  BillingCustomer as CustomerView,
  BillingSession as SessionView,
} from '../sources/current/billing.ts';
import { createBillingSession } from '../writes/create-billing-session.ts';
import { builder } from './builder.ts';
import { costsCalls } from './cost.ts';
import { definePayload, unkeyed } from './write.ts';

const BillingCustomer = builder.objectRef<CustomerView>('BillingCustomer').implement({
  description: 'A customer whom a session of the billing portal covers.',
  fields: (t) => ({
    customerId: t.exposeID('customerId', {
      nullable: true,
      description: 'Id of the customer at the billing provider.',
    }),
    email: t.exposeString('email', { nullable: true, description: 'Mail address of the customer.' }),
    hasBillingAddress: t.exposeBoolean('hasBillingAddress', {
      nullable: true,
      description: 'Whether an address is known.',
    }),
    hasPaymentMethod: t.exposeBoolean('hasPaymentMethod', {
      nullable: true,
      description: 'Whether a means of payment is known.',
    }),
    hasActiveSubscription: t.exposeBoolean('hasActiveSubscription', {
      nullable: true,
      description: 'Whether a subscription is running.',
    }),
  }),
});

const BillingPortalSession = builder.objectRef<SessionView>('BillingPortalSession').implement({
  description:
    'A session of the billing portal. It is a short-lived secret: whoever has it can see and change the billing. It is not kept here, and can’t be read again.',
  fields: (t) => ({
    portalUrl: t.expose('portalUrl', {
      type: 'URL',
      nullable: true,
      description: 'Address to send the owner to.',
    }),
    sessionId: t.exposeID('sessionId', {
      nullable: true,
      description: 'What the billing provider calls it.',
    }),
    accessUrl: t.expose('accessUrl', {
      type: 'URL',
      nullable: true,
      description: 'Address at the billing provider.',
    }),
    token: t.exposeString('token', { nullable: true, description: 'Secret of the session.' }),
    status: t.exposeString('status', {
      nullable: true,
      description: 'The provider’s own word for its state.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', nullable: true, description: 'When it was made.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it ends.' }),
    customerId: t.exposeID('customerId', {
      nullable: true,
      description: 'Id of the customer at the billing provider.',
    }),
    redirectUrl: t.expose('redirectUrl', {
      type: 'URL',
      nullable: true,
      description: 'Where the portal leads back to.',
    }),
    linkedCustomers: t.expose('linkedCustomers', {
      type: [BillingCustomer],
      nullable: { list: true, items: false },
      description: 'The customers whom it covers.',
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
    nullable: false,
    description:
      'Makes a session of the billing portal, for the owner to open in a browser soon. Each call makes another.',
    resolve: async (_root, _args, context) => unkeyed(await createBillingSession(context)),
    ...costsCalls(1),
  }),
);
