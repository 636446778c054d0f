import { GraphQLWorker as Worker } from 'monaco-graphql/esm/GraphQLWorker.js';

/**
 * GraphiQL's language service, with suggestions in the order of the schema. The editor sorts them by `sortText`, which the
 * service starts with a number without leading zeros, or by name if they have none. The build puts this in its place.
 */
export class GraphQLWorker extends Worker {
  override async doComplete(...where: Parameters<Worker['doComplete']>) {
    const suggestions = await super.doComplete(...where);
    return suggestions.map((one, index) => ({ ...one, sortText: String(index).padStart(5, '0') }));
  }
}
