import type { Clock } from '../clock.ts';
import { buildAccount } from '../data/account-seeds.ts';
import type { AccountSeed } from '../data/account-seeds.ts';
import { buildGeneration } from '../data/build-owner.ts';
import type {
  Account,
  Draft,
  Generation,
  Group,
  LibraryItem,
  Owner,
  Post,
  PublishedPost,
} from '../data/model.ts';
import { networks } from '../data/networks.ts';
import { accountNamed, removeAccount } from '../domain/accounts.ts';
import { publishEarly, settleQueue } from '../domain/queue.ts';
import type { Service } from '../service.ts';

/** An owner's state as seen from inside, with methods to change it without the callers' knowledge. */
export interface OwnerState {
  readonly ownerId: number;
  readonly companyId: number;
  /** Accounts of both surfaces; `surfaces` of each shows which of them list it. */
  readonly accounts: readonly Account[];
  readonly groups: readonly Group[];
  /** In order, without posts that are already due. */
  readonly queue: readonly Post[];
  readonly published: readonly PublishedPost[];
  /** Not readable over HTTP. */
  readonly drafts: readonly Draft[];
  readonly library: readonly LibraryItem[];
  /** Oldest first. */
  readonly history: readonly Generation[];
  /** Ids of the billing portal sessions made so far. */
  readonly billingSessions: readonly string[];
  /** Remaining AI credits; may be set. */
  creditsRemaining: number;
  /** The plan's `Post In scheduling queue`; may be set. */
  queueLimit: number;
  /** How often an account was toggled. */
  toggles(loginId: number): number;
  /** Publishes the first posts of the queue ahead of time, and returns them. */
  drainQueue(count: number): readonly Post[];
  /** Adds finished records to the AI history, newer than all others. */
  addHistory(count: number): readonly Generation[];
  /** Adds an account at a position in the lists; values missing from the seed are made up. */
  insertAccount(index: number, seed?: Partial<AccountSeed>): Account;
  /** Removes an account of either surface, with its posts. */
  removeAccount(loginId: number): void;
}

/** The owners' state, by name. */
export interface StateHandle {
  owner(name: string): OwnerState;
}

/** Creates the handle on a service's world. */
export function createStateHandle(service: Service): StateHandle {
  const states = new Map(
    service.world.owners.map((owner) => [owner.credentials.name, ownerState(owner, service)] as const),
  );
  return {
    owner(name) {
      const state = states.get(name);
      if (!state) throw new Error(`there is no owner ${name}`);
      return state;
    },
  };
}

function ownerState(owner: Owner, service: Service): OwnerState {
  const { clock } = service;
  return {
    ownerId: owner.ownerId,
    companyId: owner.companyId,
    get accounts() {
      return owner.accounts;
    },
    get groups() {
      return owner.groups;
    },
    get queue() {
      settleQueue(owner, clock.now());
      return owner.queue;
    },
    get published() {
      settleQueue(owner, clock.now());
      return owner.published;
    },
    drafts: owner.drafts,
    library: owner.library,
    history: owner.history,
    billingSessions: owner.billingSessions,
    get creditsRemaining() {
      return owner.creditsRemaining;
    },
    set creditsRemaining(credits) {
      owner.creditsRemaining = credits;
    },
    get queueLimit() {
      return owner.queueLimit;
    },
    set queueLimit(limit) {
      owner.queueLimit = limit;
    },
    toggles: (loginId) => owner.toggles.get(loginId) ?? 0,
    drainQueue: (count) => drain(owner, count, clock),
    addHistory: (count) => addHistory(owner, count, service),
    insertAccount: (index, seed) => insertAccount(owner, { index, seed: seed ?? {} }, service),
    removeAccount(loginId) {
      const account = accountNamed(owner, loginId);
      if (account) removeAccount(owner, account);
    },
  };
}

function drain(owner: Owner, count: number, clock: Clock): readonly Post[] {
  settleQueue(owner, clock.now());
  const drained = owner.queue.slice(0, count);
  publishEarly(owner, drained, clock.now());
  return drained;
}

function addHistory(owner: Owner, count: number, { clock, world }: Service): readonly Generation[] {
  const added = Array.from({ length: count }, (_, index) => {
    const prompt = `Asked elsewhere, number ${owner.history.length + index + 1}`;
    const seed = { prompt, answer: 'Answered elsewhere.', tone: 'Warm', from: 'post' } as const;
    return buildGeneration(seed, world.random.hex(24), clock.now());
  });
  owner.history.push(...added);
  return added;
}

function insertAccount(
  owner: Owner,
  { index, seed }: { readonly index: number; readonly seed: Partial<AccountSeed> },
  { book, clock, world }: Service,
): Account {
  const { name: ownerName } = owner.credentials;
  const id = 1 + owner.accounts.reduce((highest, account) => Math.max(highest, account.loginId), 0);
  const defaults = {
    id,
    network: networks.facebookPage,
    username: `Inserted ${id}`,
    profile: `inserted.${id}`,
  };
  const kit = { ownerName, companyId: owner.companyId, startedAt: clock.now(), random: world.random, book };
  const account = buildAccount({ ...defaults, ...seed }, kit);
  owner.accounts = owner.accounts.toSpliced(index, 0, account);
  return account;
}
