import type { AccountSeed } from './account-seeds.ts';
import { harbourStory } from './harbour/story.ts';
import { networks } from './networks.ts';
import { createRandom } from './random.ts';
import type { Random } from './random.ts';
import type { GenerationSeed, GroupSeed, LibrarySeed, PostSeed, Story } from './story.ts';

// Two of these are on the legacy surface only: the current surface lists 250.
const ACCOUNTS = 252;
const GROUPS = 40;
const POSTS = 1_000;
const LIBRARY_ITEMS = 600;
const GENERATIONS = 500;

const PLACES = [
  'Tarn Row',
  'Gannet Steps',
  'Low Kiln',
  'Saltmarket',
  'Osier Yard',
  'Brine Street',
  'Upper Weir',
];
const SUBJECTS = ['espresso', 'filter', 'moka', 'cold brew', 'the raffle', 'the window bench', 'the new lot'];
const TURNS = [
  'tastes brighter today',
  'waits by the door',
  'is nearly gone',
  'has a new label',
  'sings a little',
];

/** The roaster as a chain: 250 accounts in all, 40 groups, 1,000 queued posts, 600 library items, 500 AI records. */
export function largeHarbourStory(): Story {
  const random = createRandom('large harbour');
  const accounts = fill(harbourStory.accounts, ACCOUNTS, (index) => accountSeed(index, random));
  const listed = accounts.flatMap((account, index) => (account.surfaces?.current === false ? [] : [index]));
  return {
    ...harbourStory,
    queueLimit: 2 * POSTS,
    credits: 5_000,
    postEveryMinutes: 23,
    accounts,
    groups: fill(harbourStory.groups, GROUPS, (index) => groupSeed(index, accounts, random)),
    posts: fill(harbourStory.posts, POSTS, (index) =>
      postSeed(index, listed[index % listed.length] ?? 0, random),
    ),
    library: fill(harbourStory.library, LIBRARY_ITEMS, (index) => librarySeed(index, random)),
    generations: fill(harbourStory.generations, GENERATIONS, (index) => generationSeed(index, random)),
  };
}

/** Returns the hand-written entries, followed by generated ones up to `count`. */
function fill<T>(written: readonly T[], count: number, make: (index: number) => T): T[] {
  const missing = Array.from({ length: count - written.length }, (_, index) => make(written.length + index));
  return [...written, ...missing];
}

function accountSeed(index: number, random: Random): AccountSeed {
  const place = random.pick(PLACES);
  const state = random.pick([
    'running',
    'running',
    'running',
    'running',
    'paused',
    'locked',
    'reconnect',
  ] as const);
  return {
    id: 411_000 + index,
    network: random.pick(Object.values(networks)),
    username: `Kelpgate ${place} ${index}`,
    profile: `kelpgate.${place.toLowerCase().replaceAll(' ', '-')}.${index}`,
    hasPageToken: index % 4 === 0,
    ...(state === 'running' ? {} : { state }),
    ...(index % 9 === 0 ? { bare: true } : {}),
    ...(index % 11 === 0 ? { uniqueId: 17_841_500_000_000_001n + BigInt(index) * 2n } : {}),
  };
}

function groupSeed(index: number, accounts: readonly AccountSeed[], random: Random): GroupSeed {
  const plain = accounts.filter((account) => account.id >= 411_000);
  const members = Array.from({ length: 3 + random.int(9) }, () => random.pick(plain).id);
  return { id: 5_200 + index, name: `${random.pick(PLACES)} ${index}`, members };
}

function postSeed(index: number, account: number, random: Random): PostSeed {
  const subject = random.pick(SUBJECTS);
  return {
    account,
    text: `At ${random.pick(PLACES)}, ${subject} ${random.pick(TURNS)}. Note ${index}.`,
    ...(index % 3 === 0 ? {} : { title: `${subject}, note ${index}` }),
    ...(index % 4 === 0 ? { image: `note-${index}` } : {}),
  };
}

function librarySeed(index: number, random: Random): LibrarySeed {
  const subject = random.pick(SUBJECTS);
  const type = index % 5 === 0 ? 'hashTag' : 'post';
  return {
    title: `${subject} ${index}`,
    type,
    tags: [random.pick(['shop', 'wholesale', 'events', 'how-to']), type === 'post' ? 'evergreen' : 'tags'],
    text: type === 'post' ? `${subject} ${random.pick(TURNS)}.` : `#${subject.replaceAll(' ', '')}`,
    ...(index % 7 === 0 ? { image: `item-${index}` } : {}),
    ...(index % 6 === 0 ? {} : { used: random.int(60) }),
  };
}

function generationSeed(index: number, random: Random): GenerationSeed {
  const subject = random.pick(SUBJECTS);
  return {
    prompt: `Say something about ${subject}, take ${index}`,
    answer: `Today ${subject} ${random.pick(TURNS)}.`,
    tone: random.pick(['Warm', 'Witty', 'Casual', 'Professional']),
    from: index % 5 === 0 ? 'hashtag' : 'post',
  };
}
