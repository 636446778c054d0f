import { options } from '../state/session.ts';

/** A link that opens GraphiQL with exactly the operation behind a part of the page. */
export function GraphLink({
  of,
  document,
  variables,
}: {
  /** The part, for people who do not see it. */
  readonly of: string;
  readonly document: unknown;
  readonly variables?: object;
}) {
  if (options.graphiql === null) return null;
  const operation = String(document);
  // After the #, which is not sent to the server: a text may be longer than the address of a request.
  const query = new URLSearchParams({ query: operation });
  if (variables) query.set('variables', JSON.stringify(variables, null, 2));
  return (
    <a
      class="graph-link"
      href={`${options.graphiql}#${query}`}
      target="_blank"
      rel="noopener"
      title={`Open this operation in GraphiQL${operation.startsWith('mutation') ? ', where running it takes effect too' : ''}`}
      aria-label={`${of}: open this operation in GraphiQL`}
    >
      {'{ }'}
    </a>
  );
}
