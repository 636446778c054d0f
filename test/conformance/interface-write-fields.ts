import {
  code,
  flag,
  id,
  ids,
  instant,
  integer,
  integers,
  jsons,
  named,
  text,
  url,
  whenPresent,
  type Reading,
} from '../support/readings.ts';
import { libraryItemFields, LIBRARY_SAMPLE } from './interface-library-fields.ts';
import { allOmitted, type FieldTable, type WriteAnswer } from './interface-table.ts';

const DECIDES = 'decides between success and failure; the outcome of the mutation tells';
const CONSTANT = { omitted: 'a constant that names the kind of object' };
const OTHER_ID = { omitted: 'repeats the id of the answer' };

/** Epoch seconds. */
const seconds = whenPresent(
  (value) => ({ value: new Date(Number(value) * 1_000).toISOString() }),
  (value) => Number(value) + 86_400,
);

// A text that is still to come is not there yet, whatever the answer holds in its place.
const status: Reading = {
  of: (value) => ({ value: value === true ? 'PENDING' : 'COMPLETE' }),
  other: flag.other,
};
const pendingText: Reading = {
  of: (value, before) => ({ value: value === true ? null : before }),
  other: flag.other,
};

const GENERATION: FieldTable = {
  message: { message: text },
  'response.contentId': { 'aiGeneration.contentId': id },
  'response.timeConsuming': { 'aiGeneration.status': status, 'aiGeneration.text': pendingText },
  'response.userInput': { 'aiGeneration.prompt': text },
  'response.aiResponse': { 'aiGeneration.text': text },
  'response.tone': { 'aiGeneration.tone': text },
  'response.ownerId': { 'aiGeneration.ownerId': id },
  'response.companyId': { 'aiGeneration.companyId': id },
  'response.aiToken.inputToken': { 'aiGeneration.tokenUsage.input': integer },
  'response.aiToken.outputToken': { 'aiGeneration.tokenUsage.output': integer },
  'response.aiToken.totalToken': { 'aiGeneration.tokenUsage.total': integer },
  'response.generatedFrom': {
    'aiGeneration.originCode': code,
    'aiGeneration.origin': named({ post: 'POST', hashtag: 'HASHTAG' }),
  },
  'response.templateUsed': { 'aiGeneration.template': text },
  'response.createdOn': { 'aiGeneration.createdAt': instant },
  'response.totalCredit': { 'aiGeneration.creditsRemaining': integer },
};

// The created item is the record that the library's list shows, with an instant where that has a relative text.
const CREATED_ITEM: FieldTable = {
  message: { message: text },
  'response.id': { 'libraryItem.itemId': id },
  ...Object.fromEntries(
    Object.entries(libraryItemFields).map(([wire, entry]) => [
      `response.post.${wire}`,
      'omitted' in entry
        ? entry
        : Object.fromEntries(
            Object.entries(entry).map(([path, reading]) => [`libraryItem.${path}`, reading]),
          ),
    ]),
  ),
  'response.post.id': OTHER_ID,
  'response.post._id': OTHER_ID,
  'response.post.lastEditedOn': { 'libraryItem.lastEditedAt': instant },
  'response.post.accountId': { accountNumbers: integers },
};

const CUSTOMER = 'response.portal.linked_customers.0';
const SESSION: FieldTable = {
  message: { omitted: 'prose; the session itself tells that there is one' },
  'response.portalUrl': { 'session.portalUrl': url },
  'response.portal.id': { 'session.sessionId': id },
  'response.portal.token': { 'session.token': text },
  'response.portal.access_url': { 'session.accessUrl': url },
  'response.portal.status': { 'session.status': code },
  'response.portal.created_at': { 'session.createdAt': seconds },
  'response.portal.expires_at': { 'session.expiresAt': seconds },
  'response.portal.object': CONSTANT,
  'response.portal.customer_id': { 'session.customerId': id },
  'response.portal.redirect_url': { 'session.redirectUrl': url },
  [`${CUSTOMER}.object`]: CONSTANT,
  [`${CUSTOMER}.customer_id`]: { 'session.linkedCustomers.0.customerId': id },
  [`${CUSTOMER}.email`]: { 'session.linkedCustomers.0.email': text },
  [`${CUSTOMER}.has_billing_address`]: { 'session.linkedCustomers.0.hasBillingAddress': flag },
  [`${CUSTOMER}.has_payment_method`]: { 'session.linkedCustomers.0.hasPaymentMethod': flag },
  [`${CUSTOMER}.has_active_subscription`]: { 'session.linkedCustomers.0.hasActiveSubscription': flag },
};

const statusUpdate: WriteAnswer = {
  mutation: 'createStatusUpdate',
  type: 'CreateStatusUpdatePayload',
  fields: { ...allOmitted(['error'], DECIDES), 'data.post_id': { postId: id } },
  sample: {},
};

/** What the calls with an effect answer. */
export const writeAnswers = {
  'GET /oauth/account/status/:id': {
    mutation: 'pauseAccount',
    type: 'PauseAccountPayload',
    fields: allOmitted(['error', 'data.new_status'], DECIDES),
    sample: {},
  },
  'GET /oauth/account/delete/:id': {
    mutation: 'deleteAccount',
    type: 'DeleteAccountPayload',
    fields: allOmitted(['error'], DECIDES),
    sample: {},
  },
  'GET /oauth/group/delete/:id': {
    mutation: 'deleteAccountGroup',
    type: 'DeleteAccountGroupPayload',
    fields: allOmitted(['error'], DECIDES),
    sample: {},
  },
  'POST /oauth/post/update': statusUpdate,
  'POST /oauth/post/updatewithimage': statusUpdate,
  'POST /openai/response': {
    mutation: 'generateAiText',
    type: 'GenerateAiTextPayload',
    fields: GENERATION,
    sample: { 'response.templateUsed': 'Explain it simply' },
  },
  'POST /library/create': {
    mutation: 'createLibraryItem',
    type: 'CreateLibraryItemPayload',
    fields: CREATED_ITEM,
    sample: Object.fromEntries(
      Object.entries(LIBRARY_SAMPLE).map(([wire, value]) => [`response.post.${wire}`, value]),
    ),
  },
  'POST /posts/create': {
    mutation: 'createPost',
    type: 'CreatePostPayload',
    fields: {
      message: { message: text },
      'response.postIds': { postIds: ids },
      'response.postScheduledLimitOver': { isScheduledLimitReached: flag },
      'response.customResponse': { customResponse: jsons },
      'response.postCreatedCount': { createdCount: integer },
    },
    sample: {},
  },
  'POST /draft/create': {
    mutation: 'createDraft',
    type: 'CreateDraftPayload',
    fields: { message: { message: text }, 'response.draftId': { draftId: id } },
    sample: {},
  },
  'GET /payment/billing/portalcreate': {
    mutation: 'createBillingPortalSession',
    type: 'CreateBillingPortalSessionPayload',
    fields: SESSION,
    sample: {},
  },
} as const satisfies Readonly<Record<string, WriteAnswer>>;
