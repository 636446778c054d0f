// The documents that bench/engine.mjs measures, with the schemas and sources that they are executed on.
import { graphql } from '../graphql.mjs';

const { buildSchema } = graphql;

const SDL = /* GraphQL */ `
  type Query {
    items: [Item!]!
    posts: [Post!]!
    nodes: [Node]
  }
  interface Node {
    id: ID!
  }
  type Item implements Node {
    id: ID!
    name: String!
    network: String
    status: Status!
    isPaused: Boolean!
    followers: Int
    score: Float
    url: String
    createdAt: String
    note: String
    groups: [Group!]!
  }
  enum Status {
    ACTIVE
    PAUSED
  }
  type Group {
    id: ID!
    name: String!
  }
  type Post implements Node {
    id: ID!
    text: String!
    at: String
    isDraft: Boolean!
    likes: Int
    network: String
    author: Author
  }
  type Author {
    id: ID!
    name: String!
    url: String
  }
`;

const ITEM = 'id name network status isPaused followers score url createdAt note';
const POST = 'id text at isDraft likes network';

const item = (index) => ({
  __typename: 'Item',
  id: `item-${index}`,
  name: `Account ${index}`,
  network: index % 3 === 0 ? null : 'mastodon',
  status: index % 2 ? 'ACTIVE' : 'PAUSED',
  isPaused: index % 2 === 0,
  followers: index * 131,
  score: index / 7,
  url: `https://example.com/${index}`,
  createdAt: '2026-01-02T03:04:05Z',
  note: null,
  groups: [1, 2, 3].map((group) => ({ id: `group-${group}`, name: `Group ${group}` })),
});

const post = (index) => ({
  __typename: 'Post',
  id: `post-${index}`,
  text: `Text ${index} “quoted”`,
  at: '2026-01-02T03:04:05Z',
  isDraft: false,
  likes: index,
  network: 'bluesky',
  author: { id: `author-${index % 12}`, name: 'Somebody', url: null },
});

const times = (count, make) => Array.from({ length: count }, (_, index) => make(index));

/** Gives every field of object types a resolver of its own, as schema builders do. */
function withResolvers(schema) {
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__') || !type.getFields || type.constructor.name !== 'GraphQLObjectType')
      continue;
    for (const field of Object.values(type.getFields())) field.resolve ??= (source) => source[field.name];
  }
  return schema;
}

/** Posts whose authors come as twelve promises, as from a DataLoader. */
function withPromises(schema) {
  schema.getQueryType().getFields().posts.resolve = ({ posts }) => {
    const details = new Map();
    return posts.map((one) => ({ ...one, author: authorOf(details, one) }));
  };
  return schema;
}

function authorOf(details, { author }) {
  const known = details.get(author.id);
  if (known) return known;
  const promise = Promise.resolve().then(() => author);
  details.set(author.id, promise);
  return promise;
}

/** Workloads, each with a schema of its own. */
export function workloads() {
  const rootValue = {
    items: times(10, item),
    posts: times(50, post),
    nodes: [...times(10, item), ...times(10, post)],
  };
  const ten = `{ items { ${ITEM} groups { id name } } }`;
  const fifty = `{ posts { ${POST} author { id name url } } }`;
  return [
    { name: '10 rows', schema: buildSchema(SDL), source: ten, rootValue },
    { name: '10 rows, a resolver each', schema: withResolvers(buildSchema(SDL)), source: ten, rootValue },
    { name: '50 rows + 12 promises', schema: withPromises(buildSchema(SDL)), source: fifty, rootValue },
    {
      name: '50 rows + 12 promises, a resolver each',
      schema: withResolvers(withPromises(buildSchema(SDL))),
      source: fifty,
      rootValue,
    },
    {
      name: '20 nodes, fragments and variables',
      schema: buildSchema(SDL),
      source: `query ($more: Boolean!) { nodes { __typename id ...on Item { name @include(if: $more) ...F } ...on Post { ${POST} } } } fragment F on Item { groups { id name @skip(if: $more) } }`,
      rootValue,
      variableValues: { more: true },
    },
  ];
}
