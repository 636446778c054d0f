import type { Owner } from '../data/model.ts';

const YES_NO_FEATURES = {
  'Priority Support': 'Yes',
  'White Label': 'No',
  'Personalized Onboarding': 'No',
  'Client Management': 'Yes',
  'Curated Content': 'Yes',
  'Boost Post': 'No',
  'Social Media Analytics': 'Yes',
  'Bulk Scheduling': 'Yes',
  'Brandable PDF Analytics Report': 'No',
  'Social Inbox': 'Yes',
  'LinkedIn Analytics': 'Yes',
  enableRssFeed: 'Yes',
  enableTeam: 'Yes',
  enableCreatePostPreview: 'Yes',
  schedulePdf: 'No',
  enableAdvancedPost: 'Yes',
  enableCustomFields: 'No',
  enableDraft: 'Yes',
  enableDropbox: 'Yes',
  enableFbBranding: 'No',
  enableGiphy: 'Yes',
  enableBuffer: 'No',
  enableCanva: 'Yes',
  enableFacebookEvent: 'No',
  enableStore: 'No',
  enableVideoPostLabels: 'Yes',
  enableInstagramFirstComment: 'Yes',
  enableImageEditor: 'Yes',
  enableYouTube: 'Yes',
  enableUTM: 'Yes',
  enableContentLibrary: 'Yes',
  enablePdfLogo: 'No',
  enableWatermark: 'No',
} as const;

/** `response` of GET /membership/plan/list, with the service's own misspellings. */
export function planData(owner: Owner) {
  return {
    currentPlan: currentPlan(owner),
    // The element shape of the two lists is not documented.
    praposedPlans: [{ planName: 'Studio', membershipId: owner.plan.id + 20, price: '85.00' }],
    list: [
      { planName: owner.plan.name, membershipId: owner.plan.id, price: owner.plan.price },
      { planName: 'Studio', membershipId: owner.plan.id + 20, price: '85.00' },
    ],
    discountRuning: false,
    numberOfBillingCycle: 1,
    discountPercent: 0,
    ownerConnectedAccounts: owner.accounts.length,
    ownerAdsAccounts: 1,
    optionDiscountRuning: false,
    biannual: true,
    // Declared a boolean, returned as a number.
    biannualDiscountPercent: 15,
  };
}

function currentPlan({ plan, queueLimit }: Owner) {
  return {
    planName: plan.name,
    palnType: 'Y',
    membershipId: plan.id,
    mmId: plan.id + 4_000,
    price: plan.price,
    paymentKey: plan.key,
    planGroup: 'standard',
    summary: ['Everything a small shop needs', `${queueLimit} posts in the queue`],
    features: {
      ...YES_NO_FEATURES,
      'Connected Profiles': 300,
      'Connected Ad Accounts': 2,
      'RSS Feeds': 5,
      'Post In scheduling queue': queueLimit,
      'Team Members': 4,
      Post: '50 per day',
    },
  };
}
