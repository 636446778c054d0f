import { Hono } from 'hono';
import type { Context } from 'hono';
import { requireToken } from '../../credentials.ts';
import { emptyContent } from '../../data/build-post.ts';
import type { Account, Owner, PostContent } from '../../data/model.ts';
import { findAccount } from '../../domain/accounts.ts';
import { placePosts } from '../../domain/queue.ts';
import type { Timing } from '../../domain/queue.ts';
import type { Quirks } from '../../quirks.ts';
import { Refusal } from '../../refusal.ts';
import type { Routes, SandboxEnv, Service } from '../../service.ts';
import { parseLegacySchedule } from '../../wire/dates.ts';
import { succeedLegacy } from '../../wire/envelope.ts';
import { readFormFields } from '../../wire/form.ts';
import { errorSummary, tryAgainLater } from '../../wire/legacy-messages.ts';

type Fields = Readonly<Record<string, unknown>>;

/** POST /oauth/post/update and POST /oauth/post/updatewithimage. */
export function legacyPostRoutes(service: Service): Routes {
  const routes: Routes = new Hono<SandboxEnv>();

  routes.post('/oauth/post/update', requireToken(service), async (c) => {
    const fields = await readFormFields(c.req.raw);
    const description = required(fields, 'post_content', 'Status description', service.quirks);
    const preview = fields['preview'];
    const { title, url, image, description: summary } = isRecord(preview) ? preview : {};
    const images = text(image) === '' ? [] : [text(image)];
    return place(c, service, fields, {
      ...emptyContent,
      title: text(title),
      description,
      longDescription: text(summary),
      url: text(url),
      images,
      thumbs: images,
    });
  });

  routes.post('/oauth/post/updatewithimage', requireToken(service), async (c) => {
    const fields = await readFormFields(c.req.raw);
    const description = required(fields, 'post_content', 'Status description', service.quirks);
    const image = required(fields, 'image_url', 'Image URL', service.quirks);
    return place(c, service, fields, {
      ...emptyContent,
      description,
      images: [image],
      thumbs: [image],
      postType: 'I',
    });
  });

  return routes;
}

function place(c: Context<SandboxEnv>, service: Service, fields: Fields, content: PostContent): Response {
  const { clock, quirks, world } = service;
  const owner = c.get('owner');
  if (fields['account_id'] === undefined) fail('Accounts cannot be blank.', quirks);
  const accounts = targets(owner, fields);
  if (accounts.length === 0) {
    if (quirks.legacyNoAccounts === 'failure') throw new Refusal(quirks.legacyFailureStatus, tryAgainLater);
    return succeedLegacy(quirks, { post_id: '' });
  }
  const timing = timingOf(fields, quirks, clock.now());
  const tools = { now: clock.now(), ...quirks, makeId: () => world.random.hex(24) };
  const order = { accounts, timing, contentFor: () => content, via: 'Api', clientReview: false };
  const { created } = placePosts(owner, order, tools);
  const [first] = created;
  if (!first) throw new Refusal(quirks.legacyFailureStatus, 'The scheduling queue is full.');
  return succeedLegacy(quirks, { post_id: first.postId });
}

/** Returns the named accounts and those of the named group, each once; unknown ids are ignored. */
function targets(owner: Owner, fields: Fields): Account[] {
  const listed = fields['account_id'];
  const ids = isRecord(listed) || Array.isArray(listed) ? Object.values(listed) : [listed];
  const named = ids.flatMap((id) => findAccount(owner, Number(id), 'legacy') ?? []);
  const group = owner.groups.find((entry) => String(entry.groupId) === fields['group_id']);
  const members = group?.members.filter((account) => account.surfaces.legacy) ?? [];
  return [...new Set([...named, ...members])];
}

/** `schedule_date` takes precedence over `now`; an empty one is ignored; without either, the post is queued. */
function timingOf(fields: Fields, quirks: Quirks, now: number): Timing {
  const schedule = text(fields['schedule_date']);
  if (schedule !== '') {
    const at = parseLegacySchedule(schedule, quirks.utcOffsetMinutes, quirks.scheduleMeridiem === 'strict');
    if (at === null) fail('schedule_date is not of the form Y-m-d H:i A.', quirks);
    if (at <= now && quirks.pastSchedule === 'error') fail('schedule_date is in the past.', quirks);
    return { kind: 'at', times: [at] };
  }
  return { kind: ['true', '1'].includes(text(fields['now'])) ? 'now' : 'queue' };
}

function required(fields: Fields, name: string, label: string, quirks: Quirks): string {
  const value = text(fields[name]);
  if (value.trim() === '') fail(`${label} cannot be blank.`, quirks);
  return value;
}

function fail(problem: string, quirks: Quirks): never {
  throw new Refusal(quirks.legacyFailureStatus, errorSummary(problem));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
