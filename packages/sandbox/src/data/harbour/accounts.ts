import type { AccountSeed } from '../account-seeds.ts';
import { networks } from '../networks.ts';
import type { GroupSeed } from '../story.ts';

const WHOLESALE_CLIENT = '71';

/** The roaster's accounts: one in each state, on each kind of network. */
export const harbourAccounts: readonly AccountSeed[] = [
  {
    id: 410_201,
    network: networks.facebookPage,
    username: 'Kelpgate Roasters',
    profile: 'kelpgate.roasters',
    hasPageToken: true,
    teamIds: ['12'],
    slots: { Sun: ['12:00 PM', '12:00 AM', '08:30 AM'] },
  },
  {
    id: 410_202,
    network: networks.instagram,
    username: 'kelpgate.roasters',
    profile: 'kelpgate.roasters',
    uniqueId: 17_841_401_234_567_891n,
    hasPageToken: true,
    teamIds: ['12', '14'],
  },
  {
    id: 410_203,
    network: networks.x,
    username: '',
    profile: 'kelpgateroast',
    uniqueId: 1_498_233_117_406_281_729n,
  },
  {
    id: 410_204,
    network: networks.linkedinPage,
    username: 'Kelpgate Roasters Wholesale',
    profile: 'company/kelpgate-roasters',
    state: 'paused',
    clientId: WHOLESALE_CLIENT,
  },
  {
    id: 410_205,
    network: networks.pinterest,
    username: 'Kelpgate slow mornings',
    profile: 'kelpgate/slow-mornings',
    state: 'locked',
  },
  {
    id: 410_206,
    network: networks.googleBusiness,
    username: 'Kelpgate Roasters, Net Loft Lane',
    profile: 'place/kelpgate-net-loft-lane',
    state: 'blocked',
  },
  {
    id: 410_207,
    network: networks.youtube,
    username: 'The Kelpgate cupping room',
    profile: 'channel/kelpgate-cupping-room',
    state: 'reconnect',
    teamIds: ['14'],
  },
  {
    id: 410_208,
    network: networks.tumblr,
    username: 'kelpgate-notes',
    profile: 'kelpgate-notes',
    bare: true,
  },
  {
    id: 410_209,
    network: networks.tiktok,
    username: 'kelpgatepours',
    profile: '@kelpgatepours',
    uniqueId: 9_007_199_254_740_993n,
    teamIds: ['14'],
  },
  { id: 410_210, network: networks.quillnet, username: 'kelpgate loft', profile: 'lofts/kelpgate' },
  {
    id: 410_211,
    network: networks.facebookGroup,
    username: 'Net Loft Lane home brewers',
    profile: 'groups/netloft.homebrewers',
    surfaces: { current: true, legacy: false },
  },
  {
    id: 410_212,
    network: networks.linkedinProfile,
    username: 'Ottoline Marsk',
    profile: 'in/ottoline-marsk',
    clientId: WHOLESALE_CLIENT,
  },
  // Has the same id as the home brewers on the other surface, but is a different account.
  {
    id: 410_211,
    network: networks.linkedinGroup,
    username: 'Lantern Quay traders',
    profile: 'groups/lantern-quay-traders',
    surfaces: { current: false, legacy: true },
  },
  {
    id: 410_213,
    network: networks.linkedinGroup,
    username: 'Small-batch roasters circle',
    profile: 'groups/small-batch-roasters',
    surfaces: { current: false, legacy: true },
  },
];

export const harbourGroups: readonly GroupSeed[] = [
  { id: 5_101, name: 'Shopfront', members: [410_201, 410_202, 410_203, 410_206] },
  { id: 5_102, name: 'Wholesale', members: [410_204, 410_212, 410_213] },
  { id: 5_103, name: 'Moving pictures', members: [410_202, 410_207, 410_209] },
  { id: 5_104, name: 'Spring market stall', members: [] },
];
