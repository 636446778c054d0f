/**
 * The text of a GraphQL operation. Its type also carries the types of the result and of the variables, in the form that
 * `DocumentTypeDecoration` has in other clients: `TypedDocumentString` of GraphQL Code Generator is one as well.
 *
 * An operation of your own without generated types is one by assertion:
 * `'query Count { accounts { totalCount } }' as TypedDocument<Result, Variables>`.
 */
// oxlint-disable-next-line typescript/no-wrapper-object-types -- TypedDocumentString is a String object
export type TypedDocument<Result, Variables> = (string | String) & {
  readonly __apiType?: (variables: Variables) => Result;
};
