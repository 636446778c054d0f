import type { DeskCredentials } from '../../packages/desk/src/options.ts';
import { EXPLORER_PATH, type ExplorerOptions } from '../../packages/explorer/src/options.ts';
import {
  contentSecurityPolicy,
  headersOfSandbox,
  headersToFillIn,
} from '../../packages/explorer/src/served.ts';
import { EXAMPLE_TABS, TOKEN_TAB } from '../../packages/explorer/src/tabs.ts';
import type { Config } from '../config.ts';
import { CLIENT_TOKEN_HEADER } from './access.ts';
import { digest, ServedPage, type ReadPage } from './built-page.ts';
import { GRAPHQL_PATH } from './exchange.ts';

/** What GraphiQL is served with. */
interface GraphiqlParts {
  readonly config: Config;
  /** Credentials of the sandbox, to fill in; null for those of the caller's own. */
  readonly credentials: DeskCredentials | null;
  /** Whether Desk is served as well. */
  readonly hasDesk: boolean;
}

/** Returns GraphiQL with its options. */
export function createGraphiql(read: ReadPage, { config, credentials, hasDesk }: GraphiqlParts): ServedPage {
  const options: ExplorerOptions = {
    endpoint: GRAPHQL_PATH,
    desk: hasDesk ? '/' : null,
    headers:
      credentials === null ? headersToFillIn(missingCredentials(config)) : headersOfSandbox(credentials),
    examples: EXAMPLE_TABS,
    handoverTab: TOKEN_TAB,
    edition: digest(JSON.stringify(EXAMPLE_TABS)),
  };
  return new ServedPage({
    read,
    filesPath: EXPLORER_PATH,
    contentSecurityPolicy: contentSecurityPolicy({ isEditor: true }),
    options,
  });
}

/** Returns what a caller has to send, because the server does not have it. */
export function missingCredentials({ clientTokens, operator }: Config) {
  return {
    clientToken: clientTokens.length > 0 ? CLIENT_TOKEN_HEADER : null,
    apiKey: operator.apiKey === null,
    accessToken: operator.accessToken === null,
  };
}
