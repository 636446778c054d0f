import type {
  FeatureValue,
  Membership as MembershipView,
  MembershipPlan as MembershipPlanView,
} from '../sources/current/membership.ts';
import type { Entry } from '../sources/view.ts';
import { builder } from './builder.ts';

const OPTIONAL_LIST = { list: true, items: false } as const;

const PlanFeature = builder.objectRef<Entry<FeatureValue>>('PlanFeature').implement({
  description: 'A feature of a plan: a flag, a number or a text.',
  fields: (t) => ({
    key: t.exposeString('key', { nullable: false, description: 'The service’s name for the feature.' }),
    isEnabled: t.boolean({
      description: 'Whether the plan includes the feature; null if it is a number or a text.',
      resolve: ({ value }) => (typeof value === 'boolean' ? value : null),
    }),
    limit: t.int({
      description: 'Numeric limit; null if the feature has no integer value.',
      resolve: ({ value }) => (typeof value === 'number' && (value | 0) === value ? value : null),
    }),
    text: t.string({
      nullable: false,
      description: 'Value of the feature, as text.',
      resolve: ({ value }) => (typeof value === 'boolean' ? (value ? 'Yes' : 'No') : String(value)),
    }),
  }),
});

export const MembershipPlan = builder.objectRef<MembershipPlanView>('MembershipPlan').implement({
  description: 'A plan with its price and features.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: true, description: 'Name of the plan.' }),
    typeCode: t.exposeString('typeCode', {
      nullable: true,
      description: 'Kind of plan, as a code. Undocumented by the service.',
    }),
    membershipId: t.expose('membershipId', {
      type: 'ServiceId',
      nullable: true,
      description: 'The service’s own id for the membership.',
    }),
    mmId: t.expose('mmId', {
      type: 'ServiceId',
      nullable: true,
      description: 'A second id of the plan. Undocumented by the service.',
    }),
    price: t.exposeString('price', { nullable: true, description: 'Price, as formatted by the service.' }),
    planKey: t.exposeString('planKey', { nullable: true, description: 'The service’s key for the plan.' }),
    planGroup: t.exposeString('planGroup', {
      nullable: true,
      description: 'Group that the plan belongs to.',
    }),
    summary: t.exposeStringList('summary', {
      nullable: OPTIONAL_LIST,
      description: 'Short description of the plan.',
    }),
    features: t.expose('features', {
      type: [PlanFeature],
      nullable: OPTIONAL_LIST,
      description: 'All features of the plan, in the service’s order.',
    }),
    feature: t.field({
      type: PlanFeature,
      description: 'The feature with the given key; null if the plan does not list it.',
      args: {
        key: t.arg.string({
          required: true,
          description: 'The service’s name for the feature, such as `Team Members`.',
        }),
      },
      resolve: ({ features }, { key }) => features?.find((feature) => feature.key === key) ?? null,
    }),
  }),
});

const Membership = builder.objectRef<MembershipView>('Membership').implement({
  description: 'The owner’s membership: current plan, discounts and account counts.',
  fields: (t) => ({
    currentPlan: t.expose('currentPlan', {
      type: MembershipPlan,
      nullable: true,
      description: 'The owner’s current plan.',
    }),
    proposedPlans: t.field({
      type: ['JSON'],
      nullable: OPTIONAL_LIST,
      description: 'Proposed plans. Undocumented by the service.',
      resolve: ({ proposedPlans }) => proposedPlans,
    }),
    plans: t.field({
      type: ['JSON'],
      nullable: OPTIONAL_LIST,
      description: 'Plans listed in addition to the current one. Undocumented by the service.',
      resolve: ({ plans }) => plans,
    }),
    isDiscountActive: t.exposeBoolean('isDiscountActive', {
      nullable: true,
      description: 'Whether a discount applies at present.',
    }),
    isOptionDiscountActive: t.exposeBoolean('isOptionDiscountActive', {
      nullable: true,
      description: 'Whether a discount on options is active.',
    }),
    discountPercent: t.exposeFloat('discountPercent', {
      nullable: true,
      description: 'Size of the discount, in percent.',
    }),
    billingCycleCount: t.exposeInt('billingCycleCount', {
      nullable: true,
      description: 'Number of billing cycles. Undocumented by the service.',
    }),
    isBiannual: t.exposeBoolean('isBiannual', {
      nullable: true,
      description: 'Whether the membership is biannual.',
    }),
    biannualDiscountPercent: t.exposeFloat('biannualDiscountPercent', {
      nullable: true,
      description: 'Discount for biannual billing, in percent; null if the service reports only yes or no.',
    }),
    connectedAccountCount: t.exposeInt('connectedAccountCount', {
      nullable: true,
      description: 'Number of accounts that the owner has connected.',
    }),
    connectedAdAccountCount: t.exposeInt('connectedAdAccountCount', {
      nullable: true,
      description: 'Number of ad accounts of the owner.',
    }),
  }),
});

builder.queryField('membership', (t) =>
  t.field({
    type: Membership,
    description: 'The owner’s membership.',
    resolve: (_root, _args, context) => context.loaders.membership(),
  }),
);
