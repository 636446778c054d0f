import { accountCalls } from './interface-account-fields.ts';
import { planCalls } from './interface-plan-fields.ts';
import { LIBRARY, LIBRARY_VIEW } from './interface-library-fields.ts';
import { QUEUE } from './interface-post-fields.ts';
import type { InterfaceTable } from './interface-table.ts';
import { writeAnswers } from './interface-write-fields.ts';

/** Every documented field of every answer of the interface: where the graph shows it, or why it does not. */
export const interfaceFields: InterfaceTable = {
  ...accountCalls,
  'GET /posts/queued': QUEUE,
  'GET /library/list': LIBRARY,
  'GET /library/view/{contentid}': LIBRARY_VIEW,
  ...planCalls,
  ...writeAnswers,
};

/** Fields of the graph that no single field of the service feeds, and where their values come from. */
export const computedFields: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['Account', 'AccountGroup', 'QueuedPost', 'LibraryItem', 'AiGeneration'].map((type) => [
      `${type}.id`,
      'made from the record’s own id',
    ]),
  ),
  'Account.surface': 'the call that answered',
  'Account.label': 'displayName, or else the network and the id',
  'AccountGroup.surface': 'the call that answered',
  'AccountHealth.state': 'the flags of the account',
  'PostingScheduleDay.day': 'the key of the day',
  'QueuedPost.scheduledAt': 'scheduledAtLocal and the configured zone',
  'Mention.key': 'the key of the entry',
  'TaggedPeople.imageUrl': 'the key of the entry',
  'PlanFeature.key': 'the key of the entry',
};
