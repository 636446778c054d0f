import { isEnumType, isInputObjectType, isInterfaceType, isObjectType, isScalarType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';

// A description says no more of the service than its interface documents. What it once said beyond that is named here.

/** Every description, by the path of its element. */
const DESCRIPTIONS: ReadonlyMap<string, string> = new Map(
  Object.values(schema.getTypeMap()).flatMap((type) => {
    if (type.name.startsWith('__') || isScalarType(type)) return [];
    const parts = isEnumType(type)
      ? type.getValues()
      : isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
        ? Object.values(type.getFields())
        : [];
    return [type, ...parts].map(
      (part) =>
        [part === type ? type.name : `${type.name}.${part.name}`, part.description ?? ''] as [string, string],
    );
  }),
);

/** What the interface does not document, where it is told, and how. */
const CLAIMS: readonly (readonly [what: string, where: RegExp, told: RegExp])[] = [
  ['whose user data an item has', /^LibraryEditor$|\.lastEditor$/, /^Who\b/],
  ['in which order the queue is', /^Query\.queuedPosts$/, /first|front/],
  ['where in the queue a post goes', /^PostPlacement/, /end of|front of|next free|at once|never/i],
  ['what the queue of the legacy surface is', /^StatusUpdatePlacement/, /queue/],
  ['whom the flags of the queue are about', /^QueuedPost\.(?:is|needs)/, /^Whether (?:it|the post|its)\b/],
  ['what expires with the header', /credentialExpiresAt$/, /credential/],
  ['what the plans in lists are', /^Membership/, /bought|proposes/],
  ['an order of the states of an account', /^AccountHealthState/, /worst|that order|above/],
  ['whether an account can publish', /^Account/, /^Whether an? .*can publish/],
  ['titles and links of drafts and tabs', /^(?:DraftVariant|EditorTabInput)\./, /title|link/],
  ['where a comment stands', /comment$/i, /first comment/],
  ['when slots are used', /^(?:Account\.postingSchedule|PostingScheduleDay)/, /go out/],
  ['what a session of the portal allows', /^BillingPortalSession/, /short-lived|can see and change/],
  ['who provides the billing', /^Billing/, /provider/],
  ['what a text was generated for', /^AiOrigin|\.origin$/, /for\.|hashtags/],
  ['that a post of the service’s Instagram type stands in the feed', /instagramPostType/i, /feed/],
  ['which kinds of account a network has', /^SocialNetwork/, /pages,|boards|channels|blogs/],
  ['whom a target audience reaches', /Audience/, /\bshow/],
];

test.each(CLAIMS)('no description says %s', (_what, where, told) => {
  const about = [...DESCRIPTIONS].filter(([path]) => where.test(path));
  expect(about.length).toBeGreaterThan(0);
  expect(about.filter(([, description]) => told.test(description))).toEqual([]);
});

test('each flag of the queue is described as a flag of its queue entry', () => {
  const flags = [...DESCRIPTIONS].filter(([path]) =>
    /^QueuedPost\.(?:is(?!UrlShortening)|needs|canMove|publishes)/.test(path),
  );
  expect(flags).toHaveLength(16);
  for (const [path, description] of flags)
    expect(description, path).toMatch(/^Whether the queue entry (?:is flagged|flags)\b/);
});
