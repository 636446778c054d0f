import { buildSchema, parse, type OperationDefinitionNode } from 'graphql';
import { describe, expect, test } from 'vitest';
import { inputOf, OperationFileError, type Arguments } from '../src/input.ts';
import { createToolbox, toolOf, type Toolbox } from '../src/tool.ts';
import { schema } from '../../../src/schema/index.ts';
import { ownTools } from '../../../test/support/assistants.ts';

const { toolbox } = await ownTools();
const make = (text: string) => toolOf({ name: 'mine.graphql', text }, schema);
/** An object in JSON Schema with these properties alone. */
const object = (properties: object) => ({ type: 'object', properties, additionalProperties: false });

test('a file becomes a tool: its comment, its name, its variables', () => {
  const tool = make(`# Counts the accounts
# of a surface.
#
# It is quick.
query CountAIAccounts2($surface: Surface!, $name: String = "a") {
  accounts(surface: $surface, filter: { displayName: $name }) { totalCount }
}`);
  const surfaceText = expect.stringMatching(/^Surface to read from\.\n- CURRENT: /);
  const surface = { type: 'string', enum: ['CURRENT', 'LEGACY'], description: surfaceText };
  const nameText = expect.stringMatching(/^Searches by account name/);
  const name = { type: 'string', default: 'a', description: nameText };
  expect(tool).toMatchObject({
    name: 'count_ai_accounts_2',
    title: 'Count ai accounts 2',
    description: 'Counts the accounts of a surface.\n\nIt is quick.',
    kind: 'read',
    takesKey: false,
    inputSchema: { ...object({ surface, name }), required: ['surface'] },
  });
});

test.each(['\n', '\r\n', '\r'])('the comment alone is the description where lines end with %j', (end) => {
  const lines = ['# Counts.', '#', '# All of them.', 'query Count { accounts { totalCount } }'];
  expect(make(lines.join(end)).description).toBe('Counts.\n\nAll of them.');
});

/** The input of the only operation of a document. */
function inputIn(text: string, graph = schema) {
  const document = parse(text);
  const [operation] = document.definitions as readonly OperationDefinitionNode[];
  if (!operation) throw new Error('there is no operation');
  return inputOf(operation, document, graph);
}

const unchanged = (given: Arguments): [Arguments, Arguments] => [given, given];

test.each<[Arguments, Arguments]>([
  [{ ids: '["a", "b"]' }, { ids: ['a', 'b'] }],
  [{ ids: 'a' }, { ids: 'a' }],
  [{ ids: [1, 'b'] }, { ids: ['1', 'b'] }],
  [{ timing: '{"placement": "QUEUE"}' }, { timing: { placement: 'QUEUE' } }],
  [{ timing: { placement: 'QUEUE', scheduledAt: null } }, { timing: { placement: 'QUEUE' } }],
  [{ timing: { placement: 'QUEUE', scheduledAt: '' } }, { timing: { placement: 'QUEUE' } }],
  [{ timing: { scheduledAt: '["2030-01-15T09:00Z"]' } }, { timing: { scheduledAt: ['2030-01-15T09:00Z'] } }],
  [{ utm: ['{"parameter": "a", "value": 5}'] }, { utm: [{ parameter: 'a', value: '5' }] }],
  [{ first: '5' }, { first: 5 }],
  [{ last: '' }, { last: null }],
  [{ first: null, last: 'null' }, { last: null }],
  [{ open: 'true' }, { open: true }],
  [{ text: 12 }, { text: '12' }],
  [{ node: '', kind: '' }, { node: null }],
  [{ unknown: null }, {}],
  unchanged({ unknown: '' }),
  unchanged({ text: '' }),
  unchanged({ text: '[1]' }),
  unchanged({ ids: '' }),
  unchanged({ ids: ['', null] }),
  unchanged({ ids: '[a]' }),
  unchanged({ first: 'five', open: 'yes' }),
  unchanged({ timing: '["QUEUE"]' }),
  unchanged({ timing: 'tomorrow' }),
  unchanged({ more: '{"a": null}' }),
  unchanged({ more: { a: null, b: '5' } }),
])(
  'arguments of which only one meaning is possible are accepted as assistants send them: %j',
  (given, read) => {
    const declarations = `$ids: [ID!]!, $timing: PostTimingInput, $utm: [UtmParameterInput!], $first: Int = 20,
    $last: Int, $open: Boolean, $text: String, $node: ID, $kind: Surface! = CURRENT, $more: JSON`;
    expect(inputIn(`query (${declarations}) { __typename }`).read(given)).toEqual(read);
  },
);

test('input types of GraphQL become JSON Schema where they are used', () => {
  const sdl = buildSchema(`
    enum Colour { "Like the sea." BLUE, RED }
    "Given one way." input When @oneOf { at: String, after: Int }
    input Thing { "How many." count: Int! = 3, colours: [Colour!]!, when: When }
    "Lower-case letters." scalar Slug
    scalar Json
    type Query { things(
      thing: Thing!, ids: [ID!], share: Float, isOpen: Boolean, slug: Slug, "Anything." more: Json
    ): Int }
  `);
  const { schema: inputSchema } = inputIn(
    `query ($thing: Thing!, $ids: [ID!], $share: Float, $isOpen: Boolean, $slug: Slug, $inner: String) {
      things(thing: $thing, ids: $ids, share: $share, isOpen: $isOpen, slug: $slug, more: { inner: $inner })
    }`,
    sdl,
  );
  const described = '- BLUE: Like the sea.\n- RED: not described';
  const when = {
    ...object({ at: { type: 'string' }, after: { type: 'integer' } }),
    minProperties: 1,
    maxProperties: 1,
    description: 'Set exactly one of the properties.',
  };
  const thing = {
    count: { type: 'integer', description: 'How many.', default: 3 },
    colours: { type: 'array', items: { type: 'string', enum: ['BLUE', 'RED'], description: described } },
    when,
  };
  const properties = {
    thing: { ...object(thing), required: ['colours'] },
    ids: { type: 'array', items: { type: 'string' } },
    share: { type: 'number' },
    isOpen: { type: 'boolean' },
    slug: { type: 'string', description: 'Lower-case letters.' },
    inner: { type: 'string', description: 'Anything.' },
  };
  expect(inputSchema).toEqual({ ...object(properties), required: ['thing'] });
});

test('hints say what is true', () => {
  const hintsOf = (name: string) => toolbox.get(name)?.annotations;
  const hints = { idempotentHint: true, openWorldHint: true, destructiveHint: false };
  expect(hintsOf('list_queue')).toMatchObject({ ...hints, readOnlyHint: true });
  expect(hintsOf('create_post')).toMatchObject({ ...hints, readOnlyHint: false });
  expect(hintsOf('write_outcome')).toMatchObject({ readOnlyHint: true, openWorldHint: false });
  const deletion =
    '# Deletes.\nmutation Remove($id: ID!) { deleteAccount(input: { accountId: $id }) { outcome userErrors { code } } }';
  expect(make(deletion).annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
});

/** A mutation with one key among its variables, or none. */
const draft = (variables: string, key: string) =>
  `# Saves.\nmutation Save${variables} { createDraft(input: { accountIds: ["a"] ${key} }) { outcome userErrors { code } } }`;
const KEY_NEEDED = 'createDraft must take its idempotencyKey from a variable "$idempotencyKey: String!"';

/** A mutation of an account, and perhaps a fragment. */
const pause = (selection: string, fragment = ''): string =>
  `# A\nmutation A($id: ID!) { ${selection} } ${fragment && `fragment ${fragment}`}`;
const PAUSE = 'pauseAccount(input: { accountId: $id })';
const ONE_FIELD = 'a mutation must select exactly one field, without a fragment';
const NO_FIELD = 'its first field is not a field of Query or Mutation';

describe('a file that can’t be a tool says why', () => {
  test.each([
    ['', 'Syntax Error: Unexpected <EOF>.'],
    ['# A\nquery A { accounts { nodes { idd } } }', 'line 2, column 30: Cannot query field "idd"'],
    ['# A\nquery A { __typename } query B { __typename }', 'contains 2 operations'],
    ['# A\nscalar A', 'The "A" definition is not executable.'],
    ['# A\n{ surfaces { surface } }', 'its operation has no name'],
    ['query A { surfaces { surface } }', 'must begin with a comment'],
    ['# A\nsubscription A { queueChanged { kind } }', 'contains a subscription; a tool must be a query'],
    [
      '# A\nmutation A { createBillingPortalSession { outcome userErrors { code } } }',
      'createBillingPortalSession cannot be a tool because its result contains a credential',
    ],
    [draft('', ''), KEY_NEEDED],
    [draft('', 'idempotencyKey: "fixed"'), KEY_NEEDED],
    [draft('($key: String!)', 'idempotencyKey: $key'), KEY_NEEDED],
    [draft('($idempotencyKey: String)', 'idempotencyKey: $idempotencyKey'), KEY_NEEDED],
    [draft('($idempotencyKey: String! = "a")', 'idempotencyKey: $idempotencyKey'), KEY_NEEDED],
    [
      '# A\nmutation A($input: CreateDraftInput!) { createDraft(input: $input) { outcome userErrors { code } } }',
      KEY_NEEDED,
    ],
    [pause(`a: ${PAUSE} { outcome }`), 'pauseAccount must not have an alias'],
    [pause(`${PAUSE} { outcome }`), 'pauseAccount must select userErrors, without an alias'],
    [pause(`${PAUSE} { outcome } b: __typename`), ONE_FIELD],
    [
      pause(`${PAUSE} { ...F is: outcome userErrors { code } }`, 'F on PauseAccountPayload { outcome }'),
      'pauseAccount must select outcome, without an alias',
    ],
    [pause('...F', `F on Mutation { ${PAUSE} { outcome userErrors { code } } }`), ONE_FIELD],
    ['# A\nquery A { __typename surfaces { surface } }', NO_FIELD],
    ['# A\nquery A { ...F } fragment F on Query { surfaces { surface } }', NO_FIELD],
    [`# A\nquery ${'A'.repeat(65)} { surfaces { surface } }`, 'more than 64 characters'],
  ])('%j', (text, message) => {
    const said = message.replace('’', "'");
    const { problems } = createToolbox([{ name: 'mine.graphql', text }], schema, { writes: true });
    expect(problems).toEqual([expect.stringMatching(/^mine\.graphql: /)]);
    expect(problems[0]).toContain(said);
  });

  test('an input type within itself, which no schema of JSON without references could hold', () => {
    const sdl = buildSchema('input Tree { leaf: Int, trees: [Tree!] } type Query { count(tree: Tree): Int }');
    const text = '# Counts.\nquery Count($tree: Tree) { count(tree: $tree) }';
    const refusal = new OperationFileError('the input type Tree contains itself');
    expect(() => toolOf({ name: 'mine.graphql', text }, sdl)).toThrow(refusal);
  });

  test('two files with tools of one name', () => {
    const text = '# A\nquery ListQueue { surfaces { surface } }';
    const files = ['one.graphql', 'two.graphql'].map((name) => ({ name, text }));
    const { problems } = createToolbox(files, schema, { writes: false });
    expect(problems).toEqual(['two.graphql: the tool list_queue is already defined by one.graphql']);
  });
});

/** How much an assistant reads before it does anything. */
const charsOf = (tools: Toolbox): number =>
  [...tools.values()]
    .map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }))
    .join('').length;

test('the descriptions of all tools together are as short as the page says', async () => {
  const { toolbox: readers } = await ownTools({ writes: false });
  expect(charsOf(readers)).toBeLessThan(15_000);
  expect(charsOf(toolbox)).toBeLessThan(24_000);
});
