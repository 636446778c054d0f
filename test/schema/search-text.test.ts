import { afterEach, expect, test, vi } from 'vitest';
import { errorsOf, onlyError, shareGraph } from '../support/graph.ts';
import { harbour } from '../support/accounts.ts';
import { eachCase } from '../support/cases.ts';

// Texts to search for: bounded in length, and prepared once, however many records are searched.

const graph = shareGraph();
afterEach(() => vi.restoreAllMocks());

const SEARCHES = [
  ['queuedPosts', 'text', ''],
  ['queuedPosts', 'title', ''],
  ['accounts', 'displayName', 'surface: CURRENT, '],
  ['accounts', 'multiFilter', 'surface: CURRENT, '],
  ['accounts', 'displayName', 'surface: LEGACY, '],
  ['accountGroups', 'name', 'surface: CURRENT, '],
  ['accountGroups', 'name', 'surface: LEGACY, '],
  ['libraryItems', 'text', ''],
] as const;

test('a text to search for has up to 400 characters, and a longer one is refused before any call', () =>
  eachCase(SEARCHES, async ([field, argument, others]) => {
    const search = (text: string) =>
      graph.query(
        `query ($text: String) { ${field}(${others}filter: { ${argument}: $text }) { totalCount } }`,
        {
          variables: { text },
        },
      );
    expect((await search('e'.repeat(400))).errors).toEqual([]);
    graph.sandbox.requests.clear();
    const refused = await search('e'.repeat(401));
    expect(errorsOf(refused)).toEqual([`${field} BAD_USER_INPUT`]);
    expect(onlyError(refused).message).toBe(`filter.${argument} must have at most 400 characters.`);
    expect(graph.sandbox.requests.count()).toBe(0);
  }));

test('a text to search for is put into lower case once, and so is each text that is searched', async () => {
  const posts = harbour(graph).queue;
  expect(posts.length).toBeGreaterThan(20);
  const lowered = vi.spyOn(String.prototype, 'toLowerCase');
  const searches = ['İ', 'Ş', 'Ğ'].map(
    (text, index) => `a${index}: queuedPosts(filter: { text: "${text}" }) { totalCount }`,
  );
  const { errors } = await graph.query(`{ ${searches.join(' ')} }`);
  expect(errors).toEqual([]);
  const times = (wanted: string) => lowered.mock.contexts.filter((text) => String(text) === wanted).length;
  expect(['İ', 'Ş', 'Ğ'].map(times)).toEqual([1, 1, 1]);
  const texts = new Set(posts.map(({ content }) => content.description));
  for (const text of texts)
    expect(times(text)).toBeLessThanOrEqual(
      posts.filter(({ content }) => content.description === text).length,
    );
});
