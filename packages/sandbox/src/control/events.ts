import { z } from 'zod';
import { TOKEN_REFUSED } from '../data/account-seeds.ts';
import type { Account, Owner, Post } from '../data/model.ts';
import { accountNamed } from '../domain/accounts.ts';
import { publishEarly, settleQueue } from '../domain/queue.ts';
import { endpointField } from '../faults/read-fault.ts';
import type { Fault } from '../faults/fault.ts';
import type { FaultPlan } from '../faults/fault-plan.ts';
import { Refusal, badParameter, validate } from '../refusal.ts';
import type { Service } from '../service.ts';
import { isoTime } from '../wire/dates.ts';

/** What an event has to work with. */
interface Scene {
  readonly service: Service;
  readonly plan: FaultPlan;
  readonly owner: Owner;
  /** Returns a field that was checked; undefined if it was left out. */
  readonly field: (name: string) => unknown;
}

/** What has happened: a sentence for people, and what it happened to. */
interface Happened {
  readonly message: string;
  readonly [detail: string]: unknown;
}

/** Something that can be made to happen in the sandbox. */
export interface EventForm {
  readonly summary: string;
  readonly fields: Readonly<Record<string, z.ZodType>>;
  /** True if it happens to all owners; otherwise it takes an `owner`, by default the first one. */
  readonly isForAll?: boolean;
  readonly happen: (scene: Scene) => Happened;
}

const MINUTE_MS = 60_000;
const MINUTES_OF_A_YEAR = 525_600;

const postId = z.string().optional();

/** The events by the `kind` that requests them. */
export const EVENTS = {
  disconnect: accountEvent({
    summary: 'An account loses its connection and must be reconnected.',
    applies: isRunning,
    change: (account, now) => {
      if (!account.needsReconnect) account.errorCount += 1;
      Object.assign(account, { ...TOKEN_REFUSED, needsReconnect: true, disconnectedAt: now });
    },
    message: (name) => `${name} has lost its connection.`,
  }),
  reconnect: accountEvent({
    summary: 'A disconnected account is reconnected.',
    applies: ({ needsReconnect }) => needsReconnect,
    change: (account, _now, { companyId }) =>
      Object.assign(account, { needsReconnect: false, reconnectedBy: companyId, errorCount: 0 }),
    message: (name) => `${name} is connected again.`,
  }),
  pause: flagEvent('paused', true, 'An account is paused.'),
  resume: flagEvent('paused', false, 'A paused account is resumed.'),
  lock: flagEvent('locked', true, 'An account is locked.'),
  unlock: flagEvent('locked', false, 'A locked account is unlocked.'),
  block: flagEvent('blocked', true, 'An account is blocked.'),
  unblock: flagEvent('blocked', false, 'A blocked account is unblocked.'),
  publish: {
    summary: 'The next post that can go out is published now and leaves the queue.',
    fields: { postId },
    happen: ({ owner, service, field }) => {
      const post = postFor(owner, field('postId'));
      publishEarly(owner, [post], service.clock.now());
      return { postId: post.postId, message: `${nameOf(post.account)} has published ${quoted(post)}.` };
    },
  },
  fail: {
    summary: 'The next post that can go out fails and stays in the queue until it is due.',
    fields: { postId, error: z.string().optional() },
    happen: ({ owner, field }) => {
      const post = postFor(owner, field('postId'));
      const error = field('error');
      post.errorMsg = typeof error === 'string' ? error : 'The network rejected the post.';
      return { postId: post.postId, message: `${nameOf(post.account)} could not publish ${quoted(post)}.` };
    },
  },
  advance: {
    summary: "The sandbox's clock moves forward, by an hour by default; due posts leave the queue.",
    fields: { minutes: z.int().min(1).max(MINUTES_OF_A_YEAR).optional() },
    isForAll: true,
    happen: ({ service: { clock, world }, field }) => {
      const minutes = Number(field('minutes') ?? 60);
      clock.advance(minutes * MINUTE_MS);
      const before = world.owners.reduce((sum, owner) => sum + owner.published.length, 0);
      for (const owner of world.owners) settleQueue(owner, clock.now());
      const published = world.owners.reduce((sum, owner) => sum + owner.published.length, -before);
      return {
        publishedPosts: published,
        message: `The clock moved forward by ${minutes} minutes; posts published: ${published}.`,
      };
    },
  },
  'lose-answer': {
    summary:
      'The response to the next POST /posts/create, or another endpoint, is lost after the request took effect.',
    fields: { endpoint: endpointField.optional() },
    happen: ({ plan, owner, field }) => {
      const endpoint = (field('endpoint') ?? 'POST /posts/create') as Fault['endpoint'];
      const target = { endpoint, owner: owner.credentials.name };
      plan.faults.add({ ...target, kind: 'reset-before-headers', effect: 'done' });
      const call = endpoint === '*' ? 'the next request' : `the next ${endpoint}`;
      return { ...target, faultId: plan.list().at(-1)?.id, message: `The response to ${call} will be lost.` };
    },
  },
} satisfies Readonly<Record<string, EventForm>>;

const KINDS = Object.keys(EVENTS) as (keyof typeof EVENTS)[];
const kindField = z.enum(KINDS, `Expected one of ${KINDS.join(', ')}.`);

/**
 * Makes an event happen, as the JSON of a request describes it.
 *
 * @returns What has happened, for the response.
 * @throws Refusal with status 400 for an invalid field, or 409 if there is nothing that the event could happen to.
 */
export function makeHappen(value: unknown, { service, plan }: Pick<Scene, 'service' | 'plan'>) {
  const { owners } = service.world;
  const { kind } = validate(z.looseObject({ kind: kindField }), value);
  const form: EventForm = EVENTS[kind];
  const owner = z.enum(owners.map(({ credentials }) => credentials.name)).optional();
  const fields = form.isForAll ? form.fields : { owner, ...form.fields };
  const given = new Map(Object.entries(validate(z.strictObject({ kind: kindField, ...fields }), value)));
  const named = owners.find(({ credentials }) => credentials.name === given.get('owner')) ?? owners[0];
  settleQueue(named, service.clock.now());
  const happened = form.happen({ service, plan, owner: named, field: (name) => given.get(name) });
  const ofOwner = form.isForAll ? {} : { owner: named.credentials.name };
  return { kind, ...ofOwner, ...happened, at: isoTime(service.clock.now()) };
}

/** Makes an event happen, and returns the sentence for people: what has happened, or why it cannot. */
export function messageOf(value: object, scene: Pick<Scene, 'service' | 'plan'>): string {
  try {
    return makeHappen(value, scene).message;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

interface AccountChange {
  readonly summary: string;
  /** Whether it can happen to an account; the first one of those is taken if none is given. */
  readonly applies: (account: Account) => boolean;
  readonly change: (account: Account, now: number, owner: Owner) => void;
  readonly message: (name: string) => string;
}

function accountEvent({ summary, applies, change, message }: AccountChange): EventForm {
  return {
    summary,
    fields: { loginId: z.int().min(1).optional() },
    happen: ({ owner, service, field }) => {
      const account = accountFor(owner, field('loginId'), applies);
      change(account, service.clock.now(), owner);
      return { loginId: account.loginId, message: message(nameOf(account)) };
    },
  };
}

function flagEvent(flag: 'paused' | 'locked' | 'blocked', value: boolean, summary: string): EventForm {
  return accountEvent({
    summary,
    applies: value ? isRunning : (account) => account[flag],
    change: (account) => (account[flag] = value),
    message: (name) => `${name} is ${value ? '' : 'no longer '}${flag}.`,
  });
}

function isRunning({ paused, locked, blocked, needsReconnect }: Account): boolean {
  return !paused && !locked && !blocked && !needsReconnect;
}

function accountFor(owner: Owner, id: unknown, applies: AccountChange['applies']): Account {
  if (id === undefined) {
    const account = owner.accounts.find(applies);
    if (account) return account;
    throw new Refusal(409, 'No account can be used for this event.', 'loginId');
  }
  const account = accountNamed(owner, Number(id));
  if (account) return account;
  throw badParameter('loginId', `must be that of an account of the owner, not ${Number(id)}.`);
}

function postFor(owner: Owner, id: unknown): Post {
  if (id === undefined) {
    const post = owner.queue.find(({ errorMsg, account }) => errorMsg === '' && isRunning(account));
    if (post) return post;
    throw new Refusal(409, 'The queue contains no post that can go out.', 'postId');
  }
  const post = owner.queue.find((entry) => entry.postId === id);
  if (post) return post;
  throw badParameter(
    'postId',
    `must be that of a post in the queue of the owner, not ${JSON.stringify(id).slice(0, 60)}.`,
  );
}

const nameOf = ({ username, network, loginId: id }: Account): string =>
  username || `${network.displayName} account ${id}`;

const QUOTED_LENGTH = 60;

/** Quotes the beginning of a post's text; not every post has a title. */
function quoted({ content: { description, title } }: Post): string {
  const words = description || title;
  return words.length > QUOTED_LENGTH ? `“${words.slice(0, QUOTED_LENGTH)}…”` : `“${words}”`;
}
