import type {
  FeatureValue,
  Membership as MembershipView,
  MembershipPlan as MembershipPlanView,
} from '../sources/current/membership.ts';
import type { Entry } from '../sources/view.ts';
import { builder } from './builder.ts';
import { costs } from './cost.ts';

const OPTIONAL_LIST = { list: true, items: false } as const;

const PlanFeature = builder.objectRef<Entry<FeatureValue>>('PlanFeature').implement({
  description: 'One feature of a plan: something that it has or has not, a number, or a text.',
  fields: (t) => ({
    key: t.exposeString('key', { nullable: false, description: 'The service’s own name of the feature.' }),
    isEnabled: t.boolean({
      description: 'Whether the plan has it; null where the service gives a number or a text.',
      resolve: ({ value }) => (typeof value === 'boolean' ? value : null),
    }),
    limit: t.int({
      description: 'The number that the service gives; null where it gives no whole number.',
      resolve: ({ value }) => (typeof value === 'number' && (value | 0) === value ? value : null),
    }),
    text: t.string({
      nullable: false,
      description: 'What the service says, as text.',
      resolve: ({ value }) => (typeof value === 'boolean' ? (value ? 'Yes' : 'No') : String(value)),
    }),
  }),
});

const MembershipPlan = builder.objectRef<MembershipPlanView>('MembershipPlan').implement({
  description: 'A plan of the service.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: true, description: 'Name of the plan.' }),
    typeCode: t.exposeString('typeCode', {
      nullable: true,
      description: 'The service’s own code of the kind of plan; its meaning is not documented.',
    }),
    membershipId: t.expose('membershipId', {
      type: 'ServiceId',
      nullable: true,
      description: 'The service’s own id of the membership.',
    }),
    mmId: t.expose('mmId', {
      type: 'ServiceId',
      nullable: true,
      description: 'Another id of the service’s own; its meaning is not documented.',
    }),
    price: t.exposeString('price', { nullable: true, description: 'The price, as the service writes it.' }),
    planKey: t.exposeString('planKey', { nullable: true, description: 'The service’s own key of the plan.' }),
    planGroup: t.exposeString('planGroup', {
      nullable: true,
      description: 'The service’s own group of plans.',
    }),
    summary: t.exposeStringList('summary', {
      nullable: OPTIONAL_LIST,
      description: 'The service’s short description of it.',
    }),
    features: t.expose('features', {
      type: [PlanFeature],
      nullable: OPTIONAL_LIST,
      description: 'All its features, in the service’s order.',
    }),
    feature: t.field({
      type: PlanFeature,
      description: 'One feature; null where the plan does not name it.',
      args: {
        key: t.arg.string({
          required: true,
          description: 'The service’s own name of it, such as `Team Members`.',
        }),
      },
      resolve: ({ features }, { key }) => features?.find((feature) => feature.key === key) ?? null,
    }),
  }),
});

const Membership = builder.objectRef<MembershipView>('Membership').implement({
  description: 'The owner’s membership: the current plan, and what the service tells with it.',
  fields: (t) => ({
    currentPlan: t.expose('currentPlan', {
      type: MembershipPlan,
      nullable: true,
      description: 'The plan that the owner has.',
    }),
    proposedPlans: t.field({
      type: ['JSON'],
      nullable: OPTIONAL_LIST,
      description: 'What the service calls proposed plans, in a shape that it does not document.',
      resolve: ({ proposedPlans }) => proposedPlans,
    }),
    plans: t.field({
      type: ['JSON'],
      nullable: OPTIONAL_LIST,
      description: 'The service’s `list` beside the current plan, in a shape that it does not document.',
      resolve: ({ plans }) => plans,
    }),
    isDiscountActive: t.exposeBoolean('isDiscountActive', {
      nullable: true,
      description: 'Whether a discount is on.',
    }),
    isOptionDiscountActive: t.exposeBoolean('isOptionDiscountActive', {
      nullable: true,
      description: 'Whether a discount on options is on.',
    }),
    discountPercent: t.exposeFloat('discountPercent', {
      nullable: true,
      description: 'Percentage of the discount.',
    }),
    billingCycleCount: t.exposeInt('billingCycleCount', {
      nullable: true,
      description: 'A number of billing cycles; of what, the service does not document.',
    }),
    isBiannual: t.exposeBoolean('isBiannual', {
      nullable: true,
      description: 'Whether the service calls it biannual.',
    }),
    biannualDiscountPercent: t.exposeFloat('biannualDiscountPercent', {
      nullable: true,
      description: 'The discount for that, in percent; null where the service says no more than yes or no.',
    }),
    connectedAccountCount: t.exposeInt('connectedAccountCount', {
      nullable: true,
      description: 'How many accounts the owner has connected.',
    }),
    connectedAdAccountCount: t.exposeInt('connectedAdAccountCount', {
      nullable: true,
      description: 'How many ad accounts the service counts for the owner.',
    }),
  }),
});

builder.queryField('membership', (t) =>
  t.field({
    type: Membership,
    description: 'The owner’s membership.',
    resolve: (_root, _args, context) => context.loaders.membership(),
    ...costs(({ tally }) => tally.add('membership', 1)),
  }),
);
