import { createClock } from './clock.ts';
import { createCredentials } from './credentials.ts';
import { createRandom } from './data/random.ts';
import { createWorld } from './data/world.ts';
import type { World } from './data/world.ts';
import { createAuthorizationDesk } from './domain/authorization.ts';
import { createGenerationDesk } from './domain/generations.ts';
import type { SandboxOptions } from './options.ts';
import { createPushHub } from './push/hub.ts';
import { defaultQuirks } from './quirks.ts';
import type { Quirks } from './quirks.ts';
import { createSecretBook } from './secret-book.ts';
import type { SecretBook } from './secret-book.ts';
import type { Service } from './service.ts';

const DEMO_APP = { clientId: 'demo-client', clientSecret: 'demo-client-secret-3f9ab71c' };

/** Creates everything that the routes work with, in its initial state. */
export function createService(options: SandboxOptions): Service {
  const clock = createClock(options.now, options.timers);
  const quirks: Quirks = { ...defaultQuirks, ...options.quirks };
  const book = createSecretBook(createRandom('planted secrets'));
  const world = createWorld(
    { data: options.data ?? 'small', moreOwners: options.moreOwners ?? 0 },
    clock.now(),
    book,
  );
  const hub = createPushHub();
  noteCredentials(world, book);
  return {
    clock,
    quirks,
    book,
    world,
    hub,
    credentials: createCredentials(world.owners, quirks, clock),
    generations: createGenerationDesk({
      clock,
      quirks,
      hub,
      random: world.random,
      slowAiDelayMs: options.slowAiDelayMs ?? 3_000,
    }),
    authorization: createAuthorizationDesk({ clock, book, app: DEMO_APP }),
  };
}

function noteCredentials(world: World, book: SecretBook): void {
  for (const { credentials } of world.owners) {
    book.note('apiKeys', credentials.apiKey);
    book.note('accessTokens', credentials.accessToken);
    book.note('passwords', credentials.password);
  }
  book.note('clientSecrets', DEMO_APP.clientSecret);
}
