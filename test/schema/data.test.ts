import * as fc from 'fast-check';
import {
  defaultFieldResolver,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLOutputType,
} from 'graphql';
import { expect, test } from 'vitest';
import { DATA } from '../../src/schema/data.ts';
import { schema } from '../../src/schema/index.ts';
import {
  accountDetail,
  accountListItem,
  groupId,
  groupOfAccount,
} from '../../src/sources/current/accounts.ts';
import { billingCustomer, billingSession } from '../../src/sources/current/billing.ts';
import { group, groupMember } from '../../src/sources/current/groups.ts';
import { libraryContent, libraryEditor, libraryItem } from '../../src/sources/current/library.ts';
import { membership, membershipPlan } from '../../src/sources/current/membership.ts';
import { aiHistoryRecord, aiRelayedResult, aiResult, tokenUsage } from '../../src/sources/current/openai.ts';
import {
  facebookAudience,
  mention,
  place,
  queuedAccount,
  queuedPost,
} from '../../src/sources/current/posts.ts';
import { legacyAccount } from '../../src/sources/legacy/accounts.ts';
import { legacyGroup } from '../../src/sources/legacy/groups.ts';
import type { Origin } from '../../src/sources/drift.ts';
import type { AnyView } from '../../src/sources/view.ts';
import '../support/properties.ts';

type ViewOfAny = AnyView & ((wire: unknown, origin: Origin) => object);

const ACCOUNTS = [accountListItem, accountDetail, groupMember, queuedAccount, legacyAccount];

/** The views of the records that each type shows. */
const VIEWS: Readonly<Record<string, readonly ViewOfAny[]>> = {
  Account: ACCOUNTS,
  AccountHealth: ACCOUNTS,
  LinkShortener: ACCOUNTS,
  AccountGroup: [group, groupOfAccount, groupId, legacyGroup],
  QueuedPost: [queuedPost],
  Place: [place],
  Mention: [mention],
  FacebookAudience: [facebookAudience],
  LibraryItem: [libraryItem],
  LibraryContent: [libraryContent],
  LibraryEditor: [libraryEditor],
  AiGeneration: [aiHistoryRecord, aiResult, aiRelayedResult],
  AiTokenUsage: [tokenUsage],
  Membership: [membership],
  MembershipPlan: [membershipPlan],
  BillingCustomer: [billingCustomer],
  BillingPortalSession: [billingSession],
};

const ORIGIN: Origin = { surface: 'current', endpoint: 'GET /accounts/list', onDrift: () => undefined };

const readers = Object.entries(VIEWS).flatMap(([typeName, views]) => {
  const type = schema.getType(typeName);
  const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
  return views.flatMap((view) =>
    fields.flatMap((field) => {
      const read = DATA.readerOf(field, view);
      return read ? [{ name: `${typeName}.${field.name}`, view, field, read }] : [];
    }),
  );
});

test('most fields of records are read as data', () => {
  expect(new Set(readers.map(({ name }) => name)).size).toBeGreaterThan(150);
});

const ABSENT = [null, undefined, '', 'null', [], {}];
const TYPED = ['Y', 'N', true, false, 0, 7, -1, 2 ** 31, 2 ** 53, 1.5, -0, ['a', null, ''], [1, 2], [true]];
const TEXTS = ['12', '-3', '12345678901234567890', 'https://example.org/a?b=c', 'http://x', 'example.org'];
const DATES = [
  '2026-03-01T09:30:00.000Z',
  '2026-03-01T09:30:00Z',
  '2026-02-30T09:30:00.000Z',
  '2026-03-01T10:30:00+01:00',
  '0000-01-01T00:00:00.000Z',
  '+010000-01-01T00:00:00.000Z',
];

/** What the service sends, and what it should not send, for any field. */
const anyValue = fc.oneof(
  fc.constantFrom<unknown>(...ABSENT, ...TYPED, ...TEXTS, ...DATES),
  fc.string(),
  fc.integer(),
  fc.double(),
  fc.jsonValue(),
);

/** Records with such a value under the service's names of a field, and without one. */
const recordOf = (wire: readonly string[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.tuple(...wire.map((path) => nestedIn(path, anyValue))).map(merged) },
    { weight: 1, arbitrary: anyValue },
  );

function nestedIn(path: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  const [step = '', ...deeper] = path.split('.');
  const inner = deeper.length === 0 ? value : fc.oneof(nestedIn(deeper.join('.'), value), anyValue);
  return inner.map((child) => ({ [step]: child }));
}

const merged = (records: readonly object[]): object => Object.assign({}, ...records) as object;

/** The types whose objects are records with a part; all others are views themselves. */
const RECORDS = [
  'Account',
  'AccountHealth',
  'LinkShortener',
  'AccountGroup',
  'QueuedPost',
  'LibraryItem',
  'AiGeneration',
];

test.each(readers)('$name is read as its resolver and type show it', ({ name, view, field, read }) => {
  const { shows } = field.extensions as Record<string, string | undefined>;
  const { wire = [] } = view.fields[shows ?? ''] ?? {};
  const isRecord = RECORDS.includes(name.slice(0, name.indexOf('.')));
  fc.assert(
    fc.property(recordOf(wire), (json) => {
      const part = view(json, ORIGIN);
      const direct = read(part);
      if (direct === undefined) return;
      const source = isRecord ? { part, surface: 'current', status: 'COMPLETE' } : part;
      const { resolve = defaultFieldResolver } = field;
      const resolved: unknown = resolve(source, {}, {}, { fieldName: field.name } as never);
      expect(direct).toEqual(completed(field.type, resolved));
    }),
  );
});

function completed(type: GraphQLOutputType, value: unknown): unknown {
  if (isNonNullType(type)) return completed(type.ofType, value);
  if (value === null) return null;
  if (isListType(type)) return (value as unknown[]).map((item) => completed(type.ofType, item));
  return isLeafType(type) ? type.serialize(value) : value;
}
