// @ts-check
// `graphql` parses a document and knows its types: what it answers, and which variables it takes. The compiler works them
// out from the text of the document and from `graphql-env.d.ts`, which was made from the schema.
import { initGraphQLTada } from 'gql.tada';

/**
 * @typedef {object} Graph
 * @property {import('./graphql-env.d.ts').introspection} introspection
 * @property {Scalars} scalars
 *
 * @typedef {object} Scalars What the scalars of the graph are in JSON.
 * @property {string} DateTime
 * @property {string} LocalDateTime
 * @property {string} LocalTime
 * @property {string} ServiceId
 * @property {string} URL
 * @property {string | number | boolean | object | null} JSON
 */

const tada = /** @type {typeof initGraphQLTada<Graph>} */ (initGraphQLTada)();

/**
 * A document with its types. `tsc`, and the editor, take one that asks for a field that the graph does not have for no
 * document at all, and say so where it is sent.
 *
 * @template {string} Text
 * @param {Text} text
 */
export const graphql = (text) => checked(tada(text));

/**
 * @template Document
 * @param {Document} document
 */
const checked = (document) => /** @type {Checked<Document>} */ (document);

/**
 * @template Document
 * @typedef {true extends HasUnknown<import('gql.tada').ResultOf<Document>> ? { error: 'it asks for a field that the graph does not have' } : Document} Checked
 */

/**
 * gql.tada says `unknown` for a field that it does not find.
 *
 * @template Result
 * @typedef {unknown extends Result ? true
 *   : Result extends readonly (infer Item)[] ? HasUnknown<Item>
 *   : Result extends object ? { [Name in keyof Result]: HasUnknown<Result[Name]> }[keyof Result]
 *   : false} HasUnknown
 */
