import { expect, test } from 'vitest';
import { shareGraph } from '../support/shared-graph.ts';

const graph = shareGraph();

interface Named {
  readonly name: string;
}

interface ShownType {
  readonly fields: readonly (Named & { readonly args: readonly Named[] })[] | null;
  readonly inputFields: readonly Named[] | null;
  readonly enumValues: readonly Named[] | null;
}

const namesOf = (members: readonly Named[] | null): string[] => (members ?? []).map(({ name }) => name);

async function shown(name: string): Promise<ShownType> {
  const members = 'fields { name args { name } } inputFields { name } enumValues { name }';
  const { data } = await graph.query(`{ shown: __type(name: "${name}") { ${members} } }`);
  return data.shown as ShownType;
}

test.each([
  ['Account', ['id'], ['adminData', 'extraData', 'extraParameters']],
  ['QueuedPost', ['id', 'postId', 'account', 'title', 'text', 'scheduledAtLocal'], ['spamData']],
  ['AccountConnection', ['nodes', 'edges', 'totalCount'], ['pageInfo']],
  ['WritePayload', ['outcome', 'userErrors'], ['query']],
  ['CreatePostPayload', ['outcome', 'userErrors', 'replayed', 'postIds'], ['customResponse', 'query']],
  ['PlaceInput', ['name'], ['placeId']],
  ['Weekday', ['MONDAY', 'TUESDAY'], ['SATURDAY', 'SUNDAY']],
  ['WriteOutcome', ['COMPLETED', 'PARTIAL', 'REJECTED', 'UNKNOWN'], []],
  ['AccountHealthState', ['DELETED'], ['UNKNOWN']],
  ['Mutation', ['createPost', 'createDraft'], ['exchangeAuthorizationCode']],
  ['Subscription', ['queueChanged', 'accountHealthChanged'], ['aiGenerationFinished']],
])('introspection shows the members of %s in order', async (name, first, last) => {
  const { fields, inputFields, enumValues } = await shown(name);
  const names = namesOf(fields ?? inputFields ?? enumValues);
  expect(names.slice(0, first.length)).toEqual(first);
  expect(names.slice(names.length - last.length)).toEqual(last);
});

test('the query root begins with what is reachable and the accounts, and ends with any object', async () => {
  const { fields } = await shown('Query');
  const names = namesOf(fields);
  const begin = names.indexOf('surfaces');
  expect(names.slice(begin, begin + 3)).toEqual(['surfaces', 'accounts', 'account']);
  expect(names.slice(-2)).toEqual(['node', 'nodes']);
  const accounts = fields?.find((field) => field.name === 'accounts');
  const args = ['filter', 'orderBy', 'surface', 'first', 'after', 'last', 'before'];
  expect(namesOf(accounts?.args ?? null)).toEqual(args);
});

test('an account shows its name, network and state before anything else', async () => {
  const names = namesOf((await shown('Account')).fields);
  const place = (name: string) => names.indexOf(name);
  const places = ['displayName', 'network', 'health', 'isPaused', 'loginId', 'avatarUrl', 'pageId'].map(
    place,
  );
  expect(places).toEqual(places.toSorted((one, other) => one - other));
});

test('types are listed by name', async () => {
  const { data } = await graph.query('{ shown: __schema { types { name } } }');
  const names = namesOf(data.shown.types as Named[]);
  expect(names).toEqual(names.toSorted((one, other) => one.localeCompare(other)));
});
