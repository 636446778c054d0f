import { inspect } from 'node:util';
import { getNamedType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { endpoints, type EndpointName } from '../../packages/sandbox/src/endpoints.ts';
import { schema } from '../../src/schema/index.ts';
import { isDeep } from '../support/depth.ts';
import { fieldAt, selectionOf } from '../support/selection.ts';
import { shareGraph } from '../support/graph.ts';
import { MISSING, onlyFaults, rewriting, valueAt, withValue } from '../support/sandbox.ts';
import { WRITE_CALLS } from '../support/calls.ts';
import { write } from '../support/writes.ts';
import { WRONG_VALUES } from '../support/faults.ts';
import { computedFields, interfaceFields } from './interface-fields.ts';
import { expectedOf, expectProbes, filled, type Probe } from './interface-probes.ts';
import {
  isNumber,
  isOmission,
  json,
  kindOf,
  type Kind,
  type ReadCall,
  type WriteAnswer,
  type Shows,
} from './interface-table.ts';

// Sixty records with every field are more than an operation may usually ask for.
const graph = shareGraph({
  environment: { MAX_COST: '10000', MAX_SELECTIONS: '1000', SERVICE_TIME_ZONE: 'Europe/Berlin' },
});

type Call = ReadCall | WriteAnswer;
const rows = Object.entries(interfaceFields) as [EndpointName, Call][];
const isWrite = (call: Call): call is WriteAnswer => 'mutation' in call;
const reads = rows.flatMap(([, call]) => (isWrite(call) ? [] : [[call.endpoint, call] as const]));
const writes = rows.flatMap(([endpoint, call]) => (isWrite(call) ? [[endpoint, call] as const] : []));

/** Every place of the graph that the table names for a call, below its record. */
function pathsOf({ fields }: Call): string[] {
  return Object.values(fields).flatMap((entry) => (isOmission(entry) ? [] : Object.keys(entry)));
}

/** True for a field whose value is a record itself: its own fields are what counts. */
function leadsOn(field: string): boolean {
  const [type = '', name = ''] = field.split('.');
  const definition = schema.getType(type);
  const inner = isObjectType(definition) ? definition.getFields()[name]?.type : undefined;
  return isObjectType(inner && getNamedType(inner));
}

describe('the table of the interface', () => {
  test('has every call that answers records', () => {
    const calls = endpoints.flatMap(({ name }) =>
      name === 'GET /oauth/' || name === 'POST /oauth/accesstoken' ? [] : [name],
    );
    expect(rows.map(([name]) => name).toSorted()).toEqual(calls.toSorted());
  });

  test('feeds every field of the graph’s records, but for those that are computed', () => {
    const fed = new Set(rows.flatMap(([, call]) => pathsOf(call).map((path) => fieldAt(call.type, path))));
    const types = new Set([...fed, ...Object.keys(computedFields)].map((field) => field.split('.')[0] ?? ''));
    const all = [...types].flatMap((type) => {
      const definition = schema.getType(type);
      if (type.endsWith('Payload') || !isObjectType(definition)) return [];
      return Object.keys(definition.getFields()).map((name) => `${type}.${name}`);
    });
    const isFed = (field: string): boolean => fed.has(field) || leadsOn(field) || field in computedFields;
    expect(all.length).toBeGreaterThan(150);
    expect(all.filter((field) => !isFed(field))).toEqual([]);
  });
});

/** What is wrong with an answer: fields that are missing, that nobody documents, or that are of another kind. */
function problemsIn(answer: unknown, call: Call): string[] {
  const inRecord = isWrite(call) ? '' : `${call.record.replace('#', '0')}.`;
  const around = isWrite(call) ? [] : Object.entries(call.around);
  const kinds = new Map<string, Kind>([
    ...around.map(([wire, entry]): [string, Kind] => [wire, isOmission(entry) ? entry.kind : isNumber]),
    ...Object.entries(call.fields).map(([wire, entry]): [string, Kind] => [inRecord + wire, kindOf(entry)]),
  ]);
  const optional = call.optional?.map((wire) => inRecord + wire) ?? [];
  /** The names of the fields right below a place; `0` for a list, `*` for a map. */
  const namesBelow = (prefix: string): string[] => {
    const below = [...kinds.keys()].filter((name) => name.startsWith(prefix));
    return [...new Set(below.map((name) => name.slice(prefix.length).split('.')[0] ?? ''))];
  };
  const look = (value: unknown, path: string): string[] => {
    const kind = kinds.get(path);
    if (kind) return kind(value) ? [] : [`${path} is ${inspect(value)}`];
    const prefix = path === '' ? '' : `${path}.`;
    const names = namesBelow(prefix);
    const [first = ''] = names;
    if (first === '') return [`${path} is not documented`];
    const isEmptyList = Array.isArray(value) && value.length === 0;
    if ((value === null || isEmptyList) && optional.includes(path)) return [];
    if (typeof value !== 'object' || value === null || Array.isArray(value) !== (first === '0'))
      return [`${path} is ${inspect(value)}`];
    if (first === '0' || first === '*')
      return Object.values(value).flatMap((one) => look(one, prefix + first));
    return [
      ...names.filter((name) => !(name in value)).map((name) => `${prefix}${name} is missing`),
      ...Object.entries(value).flatMap(([name, one]) => look(one, prefix + name)),
    ];
  };
  return look(answer, '');
}

const MALFORMED = Symbol('malformed');
type Odd = readonly [wire: string, value: unknown, shows: Readonly<Record<string, unknown>>];

/** Codes of the service by the name that the graph has for each. */
const names = (
  wire: string,
  [code, name]: readonly [string, string],
  codes: Readonly<Record<string, string>>,
): Odd[] =>
  Object.entries(codes).flatMap(([shown, values]) =>
    values.split(' ').map((value): Odd => [wire, value, { [code]: value, [name]: shown }]),
  );
/** Each of the values, with the same result. */
const each = (wire: string, values: readonly unknown[], shows: Odd[2]): Odd[] =>
  values.map((value) => [wire, value, shows]);

const days = (times: Readonly<Record<string, string[]>>) =>
  Object.entries(times).map(([day, all]) => ({ day, times: all }));

// Signed: what they are signed with is no secret of the service's.
const S3 =
  'https://bucket.s3.example/a.jpg?X-Amz-Credential=AKIA%2F20260301&X-Amz-Security-Token=IQoJb3JpZ2lu&X-Amz-Signature=0123456789abcdef';
const CDN = 'https://cdn.example/a.mp4?Policy=eyJTdGF0ZW1l&Signature=Zm9vYmFyYmF6&Key-Pair-Id=APKA01234567';
const GCS =
  'https://storage.example/a.pdf?X-Goog-Signature=0123456789abcdef&token=53a0d1a2-0123-4567#sig=abcdefgh';

/** An id that no double can hold. */
const BIG = 9_007_199_254_740_993n;
const EXPIRY_MS = Date.parse('2027-01-02T03:04:05Z');
const NEVER = ['0000-00-00 00:00:00', 'null', '', null];
const KINDS = { POST: 'Post', HASHTAG: 'Hashtag hashtag', UNKNOWN: 'carousel __proto__' };
const CONTENT_KINDS = { TEXT: 'T', IMAGE: 'I', UNKNOWN: 'V constructor' };
const MENTION = Object.fromEntries(
  'name linkUrl avatarUrl mentionedId userName mentionAccountId activeTab displayName'
    .split(' ')
    .map((name) => [name, null]),
);

const localOf = (createdAtLocal: string | null) => ({ createdAt: null, createdAtLocal });
const INSTANT = { createdAt: '2026-01-05T10:20:00.000Z', createdAtLocal: null };
/** Times of generated texts: instants only with an offset, whatever the zone of the service's clock. */
const TEXT_TIMES = {
  '20-Nov-2026 03:19 PM': localOf('2026-11-20T15:19'),
  '20-Nov-2026 12:00 AM': localOf('2026-11-20T00:00'),
  '29-Feb-2028 01:05 AM': localOf('2028-02-29T01:05'),
  '01-Jan-2027 01:05 am': localOf('2027-01-01T01:05'),
  ' 1-Dec-2026 1:05 PM ': localOf('2026-12-01T13:05'),
  '2026-01-05T10:20:00': localOf('2026-01-05T10:20'),
  '2026-01-05T10:20:59': localOf('2026-01-05T10:20'),
  '2026-01-05T10:20': localOf('2026-01-05T10:20'),
  '2026-01-05 10:20:00': localOf('2026-01-05T10:20'),
  '0000-00-00T00:00:00': localOf(null),
  '0000-00-00 00:00:00': localOf(null),
  '2026-01-05T10:20:00Z': INSTANT,
  '2026-01-05T12:20:00+02:00': INSTANT,
  '2026-01-05 10:20:00+0000': INSTANT,
};
const NO_TEXT_TIMES = [
  '20-Nov-2026 13:19 PM',
  '20-Nov-2026 00:19 AM',
  '31-Nov-2026 03:19 PM',
  '29-Feb-2027 03:19 PM',
  '20-Foo-2026 03:19 PM',
  '20-11-2026 03:19 PM',
  '20-Nov-2026',
  '20-Nov-26 03:19 PM',
  'yesterday',
  '2026-11-31T10:20:00',
  '2026-11-20T10:20:60',
  '2026-11-20T10',
];

/** What the service sends where it is easily misread, and what the graph shows of it. */
const ODD_VALUES: Partial<Record<EndpointName, readonly Odd[]>> = {
  'GET /oauth/accounts': ['running', 'PAUSED', 'Stopped'].map((status): Odd => [
    'status',
    status,
    { statusCode: status, isPaused: MALFORMED },
  ]),
  'GET /accounts/list': [
    // Whether in seconds or milliseconds, nobody says.
    ...each('expiryHeader', [EXPIRY_MS, EXPIRY_MS / 1_000, String(EXPIRY_MS / 1_000)], {
      'health.credentialExpiresAt': '2027-01-02T03:04:05.000Z',
    }),
    ['profilePicture', S3, { avatarUrl: S3 }],
    ...each('groups', [[{ id: BIG }], [{ id: String(BIG) }]], {
      'groups.0.groupId': String(BIG),
      'groups.0.name': null,
    }),
    ...each(
      'groups',
      [{}, { id: null }, { id: {} }, [[]], true].map((group) => [{ id: 5_101 }, group]),
      { groups: MALFORMED },
    ),
    ['shortenerMaster', 'null', { 'linkShortener.code': null, 'linkShortener.name': null }],
  ],
  'GET /accounts/view/{loginId}': [
    ...each('lastDisconnectOn', NEVER, { 'health.disconnectedAt': null }),
    ...each('groups', [[{ groupId: '9', groupName: 'Nine' }], [{ id: 9, group_name: 'Nine' }]], {
      'groups.0.groupId': '9',
      'groups.0.name': 'Nine',
    }),
    // In the order of the week, and of a 24-hour clock.
    [
      'scheduleSlots',
      { Wed: [], Mon: ['09:30 AM'] },
      { postingSchedule: days({ MONDAY: ['09:30'], WEDNESDAY: [] }), 'postingSchedule.0.day': 'MONDAY' },
    ],
    [
      'scheduleSlots',
      { Sun: ['12:00 PM', '12:59 AM', '01:05 pm', '11:59 PM'], Mon: [] },
      { postingSchedule: days({ MONDAY: [], SUNDAY: ['00:59', '12:00', '13:05', '23:59'] }) },
    ],
    [
      'scheduleSlots',
      { Sat: ['07:00 AM'], Mon: null, Tue: '', Fri: ['06:00 AM'] },
      { postingSchedule: days({ FRIDAY: ['06:00'], SATURDAY: ['07:00'] }) },
    ],
    ...each('scheduleSlots.Mon', ['Y', {}, ['25:00 PM'], ['09:30'], [930], [['09:30 AM']]], {
      postingSchedule: MALFORMED,
    }),
    // Ids alone: the list of groups has the names.
    ['groups', [5_102], { 'groups.0.groupId': '5102', 'groups.0.name': 'Wholesale' }],
  ],
  'GET /posts/queued': [
    ...each('loginId', [MISSING, null, '', [], {}, 1e21, true], { account: MALFORMED }),
    ...names('postStatus', ['statusCode', 'status'], { QUEUED: 'N', UNKNOWN: 'n P published' }),
    ...names('postType', ['contentCode', 'contentKind'], CONTENT_KINDS),
    ...names('scenario', ['account.platformCode', 'account.network'], {
      FACEBOOK: 'facebook-page fb-group',
      X: 'twitter twitter-profile x-profile',
      LINKEDIN: 'linkedin-pages LinkedIn-Group',
      INSTAGRAM: 'instagram-business',
      GOOGLE_BUSINESS: 'gmb-location google-business',
      YOUTUBE: 'youtube',
      TIKTOK: 'tiktok-business',
      UNKNOWN: 'xing-profile mastodon',
    }),
    ['errorMsg', '<p>Fish &amp; <b>chips</b> &#8211; closed.</p>', { failureText: 'Fish & chips – closed.' }],
    ['errorMsg', '<br/>', { failureText: null }],
    [
      'errorMsg',
      'Bad access_token=4f2ab8c9d0e1, sorry',
      { failureText: 'Bad access_token=[redacted], sorry' },
    ],
    ['postImage', ['', S3, null, CDN], { imageUrls: [S3, CDN] }],
    ['postUrl', GCS, { linkUrl: GCS }],
    ['postVideo', CDN, { videoUrl: CDN }],
    ['postDocument', GCS, { documentUrl: GCS }],
    ['thumbImage', [GCS], { thumbnailUrls: [GCS] }],
    ['profilePicture', S3, { 'account.avatarUrl': S3 }],
    ['accountUrl', CDN, { 'account.profileUrl': CDN }],
    [
      'extraData.mention',
      { token: { link: GCS, avatar: S3 }, 'x.y/z': {} },
      {
        mentions: {
          token: { ...MENTION, key: 'token', linkUrl: GCS, avatarUrl: S3 },
          'x.y/z': { ...MENTION, key: 'x.y/z' },
        },
      },
    ],
    ['tagIds', [BIG, String(BIG), 7], { tagIds: [String(BIG), String(BIG), '7'] }],
    ['extraData.place', 'null', { place: null }],
    ['extraData.fbAudianceTargeting', 'null', { facebookAudience: null }],
    ['extraData.mention', 'null', { mentions: null }],
    [
      'extraData',
      'null',
      { place: null, facebookAudience: null, mentions: null, comment: null, isUrlShorteningEnabled: null },
    ],
    ['accountExtraParam', 'null', { accountExtraParameters: null }],
    ['spamData', 'null', { spamData: null }],
  ],
  'GET /library/list': [
    ...names('type', ['kindCode', 'kind'], KINDS),
    ...names('content.postType', ['content.contentCode', 'content.contentKind'], CONTENT_KINDS),
    ...each('lastUsed', NEVER, { lastUsedAt: null }),
    ['tags', ['', 'shop', null], { tags: ['shop'] }],
    ['content.postImage', [S3, CDN, GCS], { 'content.imageUrls': [S3, CDN, GCS] }],
    [
      'content.taggedPeople',
      {
        [S3]: ['Ada'],
        'https://p.example/secret/password.png': [{ username: 'Bo' }],
        'relative/key.png': [],
      },
      {
        'content.taggedPeople': [
          { imageUrl: S3, people: ['Ada'] },
          { imageUrl: 'https://p.example/secret/password.png', people: [{ username: 'Bo' }] },
          { imageUrl: null, people: [] },
        ],
        'content.taggedPeople.2.imageUrl': MALFORMED,
      },
    ],
    ['content.taggedPeople', 'null', { 'content.taggedPeople': null }],
    ['content.utmParameters', 'null', { 'content.utmParameters': null }],
    ['content.extraData.place', 'null', { 'content.place': null }],
  ],
  'GET /openai/historyList': [
    ...names('generatedFrom', ['originCode', 'origin'], KINDS),
    ['templateUsed', 'No Template', { template: null }],
    ...Object.entries(TEXT_TIMES).map(([time, shows]): Odd => ['createdOn', time, shows]),
    ...each('createdOn', NO_TEXT_TIMES, { createdAtLocal: MALFORMED }),
  ],
  'GET /membership/plan/list': each('biannualDiscountPercent', [true, false], {
    biannualDiscountPercent: null,
  }),
};

/** Another value of the documented kind, by the first of a field's readings. */
function otherProbe(wire: string, shows: Shows, record: unknown): Probe {
  const now = valueAt(record, wire);
  const value = Object.values(shows)[0]?.other(now);
  expect(value, `${wire} has no other value`).not.toEqual(now);
  return { wire, shows, value };
}

/** Probes of a field with all values that it is not documented to hold, by what becomes of them. */
function wrongProbes(wire: string, shows: Shows): Probe[][] {
  const becomes = (value: unknown): string => {
    if (value === MISSING || value === null || value === '') return 'absent';
    const outcomes = Object.values(shows).map((reading) => reading.of(value, null));
    return outcomes.includes('malformed') ? 'malformed' : 'readable';
  };
  return ['absent', 'malformed', 'readable'].map((kind) =>
    WRONG_VALUES.filter((value) => becomes(value) === kind).map((value) => ({ wire, shows, value })),
  );
}

/** Probes of a call's fields with the values that are easily misread. */
function oddProbes(call: ReadCall): Probe[] {
  return (ODD_VALUES[call.endpoint] ?? []).map(([wire, value, shown]) => {
    const shows = Object.entries(shown).map(([path, expected]) => [
      path,
      { ...json, of: () => (expected === MALFORMED ? 'malformed' : { value: expected }) },
    ]);
    return { wire, value, shows: Object.fromEntries(shows) as Shows };
  });
}

/** Probes of a call's fields with values that are not as documented, also of those that show nowhere. */
function spoilingProbes({ fields, apart, wholes }: ReadCall): Probe[] {
  const alone = Object.entries(fields).flatMap(([wire, entry]): [string, Shows][] => {
    if (isOmission(entry)) return wire.includes('.') ? [] : [[wire, {}]];
    return apart.includes(wire) || wire in wholes ? [] : [[wire, entry]];
  });
  return [
    // One probe of each kind: the turn of a field decides which, so that the fields of a record have all.
    ...alone.flatMap(([wire, shows], turn) =>
      wrongProbes(wire, shows).flatMap((probes) => (isDeep ? probes : (probes[turn % probes.length] ?? []))),
    ),
    // What holds other fields, or none at all, has rules of its own for each kind of value.
    ...Object.entries(wholes).flatMap(([wire, shows]) => wrongProbes(wire, shows).flat()),
  ];
}

test.each(reads)(
  'each field of a record of %s shows where the table says and nowhere else, and spoils itself alone',
  async (...row) => {
    const [endpoint, call] = row;
    const answers: unknown[] = [];
    const take = (answer: unknown): unknown => (answers.push(answer), answer);
    graph.sandbox.faults.add(rewriting(endpoint, take));
    await graph.query(call.query('__typename', graph, call.copies?.ids(graph).length ?? 1));
    expect(answers.length).toBeGreaterThan(0);
    for (const answer of answers) expect(problemsIn(answer, call)).toEqual([]);
    // A library item has the same fields by itself as in its list.
    const isRepeated = !isDeep && endpoint === 'GET /library/view/{contentid}';
    const probes = [...(isRepeated ? [] : spoilingProbes(call)), ...oddProbes(call)];
    const paths = [...pathsOf(call), ...probes.flatMap(({ shows }) => Object.keys(shows))];
    await expectProbes(graph, call, paths, (record) => [
      ...Object.entries(call.fields).map(([wire, entry]) =>
        isOmission(entry) ? { wire, value: 'something else', shows: {} } : otherProbe(wire, entry, record),
      ),
      ...probes,
    ]);
  },
);

/** Makes a write whose answer is `answer`, or else what the service answers with values put into it. */
async function payloadOf(endpoint: EndpointName, call: WriteAnswer, change: (answer: unknown) => unknown) {
  const maker = WRITE_CALLS.find((candidate) => candidate.endpoint === endpoint);
  if (!maker) throw new Error(`no mutation makes ${endpoint}`);
  onlyFaults(graph.sandbox, { kind: 'rewrite', endpoint, change });
  const selection = selectionOf(call.type, pathsOf(call));
  const {
    outcome,
    userErrors: _userErrors,
    ...shown
  } = await write(graph, call.mutation, await maker.input(graph.sandbox), { selection });
  return { outcome, shown };
}

// Each field has another value in writes of its own, so that no two fields can be taken for each other.
test.each(writes)(
  'the sandbox answers %s as documented, and each field shows where the table says, and nowhere else',
  async (...row) => {
    const [endpoint, call] = row;
    let answered: unknown;
    let wire: unknown;
    const before = await payloadOf(endpoint, call, (answer) => {
      answered = answer;
      wire = filled(answer, call);
      return wire;
    });
    expect(before.outcome).toBe('COMPLETED');
    expect(problemsIn(answered, call)).toEqual([]);
    const probes = Object.entries(call.fields)
      .flatMap(([name, entry]) => (isOmission(entry) ? [] : [otherProbe(name, entry, wire)]))
      // A field that shows in several places, such as whether there is a text yet, decides over those that show in one.
      .toSorted((one, other) => Object.keys(one.shows).length - Object.keys(other.shows).length);
    for (let bit = 1; bit <= probes.length; bit *= 2) {
      const changed = probes.filter((_, index) => ((index + 1) & bit) !== 0);
      const { shown } = await payloadOf(endpoint, call, () =>
        changed.reduce((whole, { wire: name, value }) => withValue(whole, name, value), wire),
      );
      expect(shown).toEqual(
        changed.reduce((whole, probe) => expectedOf(whole, probe).shown, before.shown as unknown),
      );
    }
  },
);
