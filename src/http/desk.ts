import {
  DESK_FILES_PATH,
  sandboxEventOf,
  type DeskCredentials,
  type DeskOptions,
  type SandboxEvent,
} from '../../packages/desk/src/options.ts';
import { contentSecurityPolicy } from '../../packages/explorer/src/served.ts';
import type { Config } from '../config.ts';
import { ServedPage, type ReadPage } from './built-page.ts';
import { GRAPHQL_PATH, Refusal, type Exchange } from './exchange.ts';
import { missingCredentials } from './graphiql.ts';
import { mayOpenSocket, type RefusedOrigins } from './origins.ts';

/** The embedded sandbox, as far as the pages use it. */
export interface PagesSandbox {
  readonly credentials: DeskCredentials;
  /**
   * Makes something happen in the sandbox.
   *
   * @returns A sentence that says what happened, or why it cannot.
   */
  readonly makeHappen: (event: { readonly kind: SandboxEvent }) => string;
}

/** The parts of a server that Desk uses. */
export interface DeskParts {
  readonly config: Config;
  /** Null unless the server uses its embedded sandbox. */
  readonly sandbox: PagesSandbox | null;
  readonly refusedOrigins: RefusedOrigins;
}

const ONLY_POST = new Refusal(405, 'Use POST.', { headers: { allow: 'POST' } });

/** Serves Desk at `/`, its files, and on the embedded sandbox the events that its buttons request. */
export class Desk {
  readonly #page: ServedPage;
  readonly #parts: DeskParts;

  constructor(read: ReadPage, parts: DeskParts) {
    const { config, sandbox } = parts;
    const options: DeskOptions = {
      endpoint: GRAPHQL_PATH,
      graphiql: config.graphiql ? GRAPHQL_PATH : null,
      credentials: sandbox && {
        apiKey: sandbox.credentials.apiKey,
        accessToken: sandbox.credentials.accessToken,
      },
      missing: missingCredentials(config),
    };
    this.#parts = parts;
    this.#page = new ServedPage({
      read,
      filesPath: DESK_FILES_PATH,
      contentSecurityPolicy: contentSecurityPolicy({ isEditor: false }),
      options,
    });
  }

  /** Answers a request; returns false if the path is not one of Desk. */
  async answer(path: string, exchange: Exchange): Promise<boolean> {
    const event = this.#parts.sandbox ? sandboxEventOf(path) : null;
    if (event !== null) {
      this.#answerEvent(event, exchange);
      return true;
    }
    if (path.startsWith(DESK_FILES_PATH)) return await this.#page.sendFile(path, exchange);
    if (path === '/') await this.#page.sendPage(exchange);
    return path === '/';
  }

  // A page of another origin is refused: it could otherwise change the sandbox of whoever opens it.
  #answerEvent(kind: SandboxEvent, exchange: Exchange): void {
    const { sandbox, config, refusedOrigins } = this.#parts;
    const { request } = exchange;
    if (request.method !== 'POST') return exchange.refuse(ONLY_POST);
    if (!mayOpenSocket(request, config))
      return exchange.refuse(refusedOrigins.refuse(request.headers, 'change the sandbox'));
    exchange.sendJson(200, { message: sandbox?.makeHappen({ kind }) });
  }
}
