import type { Hono } from 'hono';
import type { Clock } from './clock.ts';
import type { Caller, Credentials } from './credentials.ts';
import type { Owner } from './data/model.ts';
import type { World } from './data/world.ts';
import type { AuthorizationDesk } from './domain/authorization.ts';
import type { GenerationDesk } from './domain/generations.ts';
import type { PushHub } from './push/hub.ts';
import type { Quirks } from './quirks.ts';
import type { SecretBook } from './secret-book.ts';

/** What the routes work with. */
export interface Service {
  readonly clock: Clock;
  readonly quirks: Quirks;
  readonly world: World;
  readonly book: SecretBook;
  readonly credentials: Credentials;
  readonly hub: PushHub;
  readonly generations: GenerationDesk;
  readonly authorization: AuthorizationDesk;
}

/** The context of a request in the app: who calls and, once checked, which owner it acts for. */
export interface SandboxEnv {
  Bindings: { caller: Caller };
  Variables: { owner: Owner };
}

/** The calls of one resource. */
export type Routes = Hono<SandboxEnv>;
