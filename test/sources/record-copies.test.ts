import { expect, test } from 'vitest';
import { resultsIn } from '../../src/sources/ai-results/message.ts';
import { accountDetail, withState } from '../../src/sources/current/accounts.ts';
import { libraryItem } from '../../src/sources/current/library.ts';
import { REDACTED } from '../../src/sources/blank-runs.ts';
import type { Origin } from '../../src/sources/drift.ts';
import { wireOf } from '../../src/sources/view.ts';

const ORIGIN: Origin = { surface: 'current', endpoint: 'GET /x', onDrift: () => undefined };
const TOKEN = 'EAAB/credential+of=the|account';
const GUESSED = 'guessed-0123456789abcdef';
const SIGNED = 'https://cdn.example/a.jpg?token=abcdefgh&X-Amz-Signature=abcdefgh';

const UNDOCUMENTED = {
  refresh_token: GUESSED,
  remark: `now ${GUESSED} and ${TOKEN}`,
  call: `https://x.example/?token=abcdefgh`,
  features: { 'Inbox Tokens': 'Yes' },
};
const CLEAN = {
  remark: `now ${REDACTED} and ${REDACTED}`,
  call: `https://x.example/?token=${REDACTED}`,
  features: { 'Inbox Tokens': 'Yes' },
};

test('a paused account is read as the one that was paused: signed addresses and all', () => {
  const read = accountDetail(
    {
      loginId: 1,
      isPaused: false,
      accessToken: TOKEN,
      accountUsername: `${SIGNED} and ${GUESSED}`,
      profilePicture: SIGNED,
      accountUrl: `https://x.example/?t=${encodeURIComponent(TOKEN)}`,
      groups: [{ id: 1, group_name: `${SIGNED} group` }, '2'],
      scheduleSlots: { Mon: ['09:00 AM'] },
      userAccess: [UNDOCUMENTED],
      extraData: UNDOCUMENTED,
    },
    ORIGIN,
  );
  for (const account of [read, withState(read, true)]) {
    expect(account.displayName).toBe(`${SIGNED} and ${GUESSED}`);
    expect(account.avatarUrl).toBe(SIGNED);
    expect(account.profileUrl).toBe(`https://x.example/?t=${REDACTED}`);
    expect(account.groups?.map((group) => group.groupId)).toEqual(['1', '2']);
    expect(account.groups?.[0]).toMatchObject({ name: `${SIGNED} group` });
    expect(account.scheduleSlots?.monday).toEqual(['09:00']);
    expect(account.userAccess).toEqual([CLEAN]);
    expect(account.extraData).toEqual(CLEAN);
  }
  expect(withState(read, true).isPaused).toBe(true);
});

test('what is kept of an item of the library holds no secret, and is read as the item was', () => {
  const wire = {
    id: 'a1',
    title: `${SIGNED} title`,
    client_secret: GUESSED,
    meta: { note: GUESSED },
    content: {
      postDesc: `${SIGNED} has token=abcdefgh`,
      postImage: [SIGNED],
      taggedPeople: { [SIGNED]: [UNDOCUMENTED] },
      boostExtraParams: { ...UNDOCUMENTED, access_token: TOKEN },
    },
  };
  const item = libraryItem(wire, ORIGIN);
  const kept = wireOf(item);
  expect(kept).toEqual({
    id: 'a1',
    title: wire.title,
    meta: { note: REDACTED },
    content: {
      postDesc: wire.content.postDesc,
      postImage: [SIGNED],
      taggedPeople: { [SIGNED]: [CLEAN] },
      boostExtraParams: CLEAN,
    },
  });
  for (const { title, content } of [item, libraryItem(kept, ORIGIN)]) {
    expect(title).toBe(wire.title);
    expect(content?.text).toBe(wire.content.postDesc);
    expect(content?.imageUrls).toEqual([SIGNED]);
    expect(content?.taggedPeople).toEqual([{ key: SIGNED, value: [CLEAN] }]);
    expect(content?.boostParameters).toEqual(CLEAN);
  }
});

test('a damaged field of a copy is as damaged, and holds no secret', () => {
  const kept = wireOf(libraryItem({ title: { note: 'fine', apiKey: GUESSED, said: [GUESSED] } }, ORIGIN));
  expect(kept).toEqual({ title: { note: 'fine', said: [REDACTED] } });
  expect(() => libraryItem(kept, ORIGIN).title).toThrow('title is not text');
});

test('a text that comes over a socket is the text that was written', () => {
  const aiResponse = `${SIGNED} is signed; use token=abcdefgh`;
  const message = {
    contentId: 'abc',
    aiResponse,
    userInput: `Say ${TOKEN}.`,
    access_token: TOKEN,
    meta: { apiKey: GUESSED, said: `${GUESSED}, token=abcdefgh` },
  };
  expect(resultsIn(message)).toEqual([
    {
      contentId: 'abc',
      aiResponse,
      userInput: `Say ${REDACTED}.`,
      meta: { said: `${REDACTED}, token=${REDACTED}` },
    },
  ]);
});
