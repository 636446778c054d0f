import type { AccountSeed } from '../account-seeds.ts';
import { networks } from '../networks.ts';
import type { GroupSeed } from '../story.ts';

/** The bookshop's accounts; no id, name or address is shared with the roaster. */
export const fernlightAccounts: readonly AccountSeed[] = [
  {
    id: 730_501,
    network: networks.facebookPage,
    username: 'Fernlight Books',
    profile: 'fernlight.books',
    hasPageToken: true,
  },
  {
    id: 730_502,
    network: networks.instagram,
    username: 'fernlightbooks',
    profile: 'fernlightbooks',
    uniqueId: 17_841_409_876_543_213n,
  },
  { id: 730_503, network: networks.x, username: 'fernlightreads', profile: 'fernlightreads' },
  {
    id: 730_504,
    network: networks.linkedinPage,
    username: 'Fernlight Books and Paper',
    profile: 'company/fernlight-books',
  },
  {
    id: 730_505,
    network: networks.pinterest,
    username: 'Fernlight reading nooks',
    profile: 'fernlight/reading-nooks',
    state: 'paused',
  },
  {
    id: 730_506,
    network: networks.googleBusiness,
    username: 'Fernlight Books, Mill Bridge',
    profile: 'place/fernlight-mill-bridge',
  },
  {
    id: 730_507,
    network: networks.youtube,
    username: 'Fernlight story hour',
    profile: 'channel/fernlight-story-hour',
    state: 'reconnect',
  },
  {
    id: 730_508,
    network: networks.tumblr,
    username: 'fernlight-margins',
    profile: 'fernlight-margins',
    bare: true,
  },
  { id: 730_509, network: networks.tiktok, username: 'fernlightshelves', profile: '@fernlightshelves' },
  {
    id: 730_510,
    network: networks.facebookGroup,
    username: 'Mill Bridge night readers',
    profile: 'groups/millbridge.nightreaders',
  },
  {
    id: 730_511,
    network: networks.linkedinGroup,
    username: 'Paper and print guild',
    profile: 'groups/paper-print-guild',
  },
  {
    id: 730_512,
    network: networks.linkedinProfile,
    username: 'Bram Eddowhistle',
    profile: 'in/bram-eddowhistle',
    state: 'locked',
  },
];

export const fernlightGroups: readonly GroupSeed[] = [
  { id: 8_801, name: 'Shop window', members: [730_501, 730_502, 730_503, 730_506] },
  { id: 8_802, name: 'Story hour', members: [730_507, 730_509] },
  { id: 8_803, name: 'Reading circles', members: [730_510, 730_511, 730_501] },
  { id: 8_804, name: 'Midsummer fair', members: [] },
];
