import {
  code,
  decimal,
  flag,
  id,
  integer,
  isAbsent,
  jsons,
  named,
  percent,
  record,
  text,
  texts,
  whenPresent,
  type Reading,
} from '../support/readings.ts';
import { copyIds, pageOf, RECORD_AROUND, type FieldTable, type ReadCall } from './interface-table.ts';

const historyTime = whenPresent(
  (value) => (value === '05-Mar-2031 12:07 AM' ? { value: '2031-03-05T00:07' } : 'malformed'),
  () => '05-Mar-2031 12:07 AM',
);

/** Record of the AI history. */
export const aiHistoryFields: FieldTable = {
  userInput: { prompt: text },
  aiResponse: { text },
  tone: { tone: text },
  ownerId: { ownerId: id },
  companyId: { companyId: id },
  'aiToken.inputToken': { 'tokenUsage.input': integer },
  'aiToken.outputToken': { 'tokenUsage.output': integer },
  'aiToken.totalToken': { 'tokenUsage.total': integer },
  generatedFrom: { originCode: code, origin: named({ post: 'POST', hashtag: 'HASHTAG' }) },
  templateUsed: { template: text },
  createdOn: { createdAtLocal: historyTime },
  contentId: { contentId: id },
};

/** Only a text that is absent makes a record pending: one that can't be read is there. */
const status: Reading = {
  of: (value) => ({ value: isAbsent(value) ? 'PENDING' : 'COMPLETE' }),
  other: (value) => value,
};

const HISTORY: ReadCall = {
  endpoint: 'GET /openai/historyList',
  type: 'AiGeneration',
  record: 'response.list.#',
  where: 'aiGenerations.nodes.#',
  query: (selection, _graph, count) =>
    `{ aiGenerations(first: ${count}) { totalCount nodes { ${selection} } } }`,
  sample: { templateUsed: 'Explain it simply' },
  copies: { wire: 'contentId', ids: copyIds(String) },
  apart: ['contentId'],
  fields: aiHistoryFields,
  wholes: { aiToken: { tokenUsage: record }, aiResponse: { status, text } },
  around: pageOf('aiGenerations'),
};

const YES_NO = [
  'Priority Support,White Label,Personalized Onboarding,Client Management,Curated Content,Boost Post',
  'Social Media Analytics,Bulk Scheduling,Brandable PDF Analytics Report,Social Inbox,LinkedIn Analytics',
  'enableRssFeed,enableTeam,enableCreatePostPreview,schedulePdf,enableAdvancedPost,enableCustomFields',
  'enableDraft,enableDropbox,enableFbBranding,enableGiphy,enableBuffer,enableCanva,enableFacebookEvent',
  'enableStore,enableVideoPostLabels,enableInstagramFirstComment,enableImageEditor,enableYouTube,enableUTM',
  'enableContentLibrary,enablePdfLogo,enableWatermark',
].flatMap((names) => names.split(','));
const COUNTS =
  'Connected Profiles,Connected Ad Accounts,RSS Feeds,Post In scheduling queue,Team Members'.split(',');

const swapped = (value: unknown): unknown => (value === 'Yes' ? 'No' : 'Yes');
const isEnabled = whenPresent((value) => ({ value: value === 'Yes' }), swapped);
const yesNoText = whenPresent((value) => ({ value }), swapped);
const countText: Reading = { ...integer, of: (value) => ({ value: String(value) }) };

const feature = (key: string, part: string): string => `currentPlan.features.${key}.${part}`;
const features: FieldTable = {
  ...Object.fromEntries(
    YES_NO.map((key) => [key, { [feature(key, 'isEnabled')]: isEnabled, [feature(key, 'text')]: yesNoText }]),
  ),
  ...Object.fromEntries(
    COUNTS.map((key) => [key, { [feature(key, 'limit')]: integer, [feature(key, 'text')]: countText }]),
  ),
  Post: { [feature('Post', 'text')]: text },
};

/** `response` of the plan list. */
export const membershipFields: FieldTable = {
  'currentPlan.planName': { 'currentPlan.name': text },
  'currentPlan.palnType': { 'currentPlan.typeCode': code },
  'currentPlan.membershipId': { 'currentPlan.membershipId': id },
  'currentPlan.mmId': { 'currentPlan.mmId': id },
  'currentPlan.price': { 'currentPlan.price': text },
  'currentPlan.paymentKey': { 'currentPlan.planKey': code },
  'currentPlan.planGroup': { 'currentPlan.planGroup': text },
  'currentPlan.summary': { 'currentPlan.summary': texts },
  ...Object.fromEntries(
    Object.entries(features).map(([key, shows]) => [`currentPlan.features.${key}`, shows]),
  ),
  praposedPlans: { proposedPlans: jsons },
  list: { plans: jsons },
  discountRuning: { isDiscountActive: flag },
  numberOfBillingCycle: { billingCycleCount: integer },
  discountPercent: { discountPercent: decimal },
  ownerConnectedAccounts: { connectedAccountCount: integer },
  ownerAdsAccounts: { connectedAdAccountCount: integer },
  optionDiscountRuning: { isOptionDiscountActive: flag },
  biannual: { isBiannual: flag },
  biannualDiscountPercent: { biannualDiscountPercent: percent },
};

const MEMBERSHIP: ReadCall = {
  endpoint: 'GET /membership/plan/list',
  type: 'Membership',
  record: 'response',
  where: 'membership',
  query: (selection) => `{ membership { ${selection} } }`,
  sample: {},
  apart: Object.keys(features).map((key) => `currentPlan.features.${key}`),
  fields: membershipFields,
  wholes: { currentPlan: { currentPlan: record } },
  around: RECORD_AROUND,
};

/** What the reads of the AI history and of the plan answer. */
export const planCalls = { 'GET /openai/historyList': HISTORY, 'GET /membership/plan/list': MEMBERSHIP };
