import type {
  FeatureValue,
  Membership as MembershipView,
  MembershipPlan as MembershipPlanView,
} from '../sources/current/membership.ts';
import type { Entry } from '../sources/view.ts';
import { builder } from './builder.ts';
import { boolean, field, float, int, serviceId, shown, string } from './data.ts';

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
  fields: (t) =>
    shown(t, {
      name: string('Name of the plan.'),
      typeCode: string('Kind of plan, as a code. Undocumented by the service.'),
      membershipId: serviceId('The service’s own id for the membership.'),
      mmId: serviceId('A second id of the plan. Undocumented by the service.'),
      price: string('Price, as formatted by the service.'),
      planKey: string('The service’s key for the plan.'),
      planGroup: string('Group that the plan belongs to.'),
      summary: field(['String'], 'Short description of the plan.'),
      features: field([PlanFeature], 'All features of the plan, in the service’s order.'),
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
  fields: (t) =>
    shown(t, {
      currentPlan: field(MembershipPlan, 'The owner’s current plan.'),
      proposedPlans: field(['JSON'], 'Proposed plans. Undocumented by the service.'),
      plans: field(['JSON'], 'Plans listed in addition to the current one. Undocumented by the service.'),
      isDiscountActive: boolean('Whether a discount applies at present.'),
      isOptionDiscountActive: boolean('Whether a discount on options is active.'),
      discountPercent: float('Size of the discount, in percent.'),
      billingCycleCount: int('Number of billing cycles. Undocumented by the service.'),
      isBiannual: boolean('Whether the membership is biannual.'),
      biannualDiscountPercent: float(
        'Discount for biannual billing, in percent; null if the service reports only yes or no.',
      ),
      connectedAccountCount: int('Number of accounts that the owner has connected.'),
      connectedAdAccountCount: int('Number of ad accounts of the owner.'),
    }),
});

builder.queryField('membership', (t) =>
  t.field({
    type: Membership,
    description: 'The owner’s membership.',
    resolve: (_root, _args, context) => context.loaders.membership(),
  }),
);
