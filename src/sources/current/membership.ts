import { decimal, flag, id, integer, listOf, text, undocumentedList, wholeNumber } from '../decode.ts';
import { endpoint, RECORD_READ } from '../endpoint.ts';
import { withoutSecrets } from '../secrets.ts';
import { defineView, field, inspected, mapOf, record, type Decoder, type Seen } from '../view.ts';
import type { CurrentClient } from './client.ts';

// The owner's plan. The service misspells some keys.

const PLAN_LIST = endpoint('current', 'GET /membership/plan/list', RECORD_READ);

/** The value of one feature of a plan: yes or no, a number, or a text. */
export type FeatureValue = boolean | number | string;

const featureValue: Decoder<FeatureValue> = (value) => {
  if (value === 'Yes') return true;
  if (value === 'No') return false;
  if (typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string') return value;
  // The map changes without notice; a value of another kind is returned as JSON.
  return JSON.stringify(withoutSecrets(value));
};

/** The owner's current plan. */
export const membershipPlan = defineView({
  name: field('planName', text),
  typeCode: field('palnType', text),
  membershipId: field('membershipId', id),
  mmId: field('mmId', id),
  price: field('price', text),
  planKey: field('paymentKey', text),
  planGroup: field('planGroup', text),
  summary: field('summary', listOf(text)),
  features: field('features', mapOf(featureValue, { absent: '' })),
});
export type MembershipPlan = Seen<typeof membershipPlan>;

const QUEUE_LIMIT = 'Post In scheduling queue';

/** Returns how many posts a plan allows in the queue; null if it states no number. */
export function queueLimitOf({ features }: MembershipPlan): number | null {
  const value = features?.find(({ key }) => key === QUEUE_LIMIT)?.value;
  const limit = wholeNumber(value);
  return limit !== undefined && limit >= 0 ? limit : null;
}

/** A percentage that is documented as a boolean but arrives as a number; a boolean yields no number. */
const percentOrFlag: Decoder<number> = (value, origin) =>
  typeof value === 'boolean' ? null : decimal(value, origin);

/** The owner's plan, and the plans offered instead. */
export const membership = defineView({
  currentPlan: field('currentPlan', record(membershipPlan)),
  proposedPlans: field('praposedPlans', undocumentedList),
  plans: field('list', undocumentedList),
  isDiscountActive: field('discountRuning', flag),
  isOptionDiscountActive: field('optionDiscountRuning', flag),
  discountPercent: field('discountPercent', decimal),
  billingCycleCount: field('numberOfBillingCycle', integer),
  isBiannual: field('biannual', flag),
  biannualDiscountPercent: field('biannualDiscountPercent', percentOrFlag),
  connectedAccountCount: field('ownerConnectedAccounts', integer),
  connectedAdAccountCount: field('ownerAdsAccounts', integer),
});
export type Membership = Seen<typeof membership>;

/**
 * GET /membership/plan/list: the owner's plan.
 *
 * Repeatable: yes.  Interface: "Membership plan data", "Current surface".
 */
export async function getMembership(client: CurrentClient): Promise<Membership> {
  const { response, origin } = await client.call(PLAN_LIST);
  return inspected(membership, response, origin);
}
