import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { Plugin } from 'vitest/config';

const ROOT = resolve(import.meta.dirname, '../..');
const TYPESCRIPT = /\.ts$/;

/** What builds.ts makes for one run of the tests. Vitest's main process alone asks for it. */
export const BUILDS = join(tmpdir(), `tested-server-${process.pid}`);
/** Those files' names, for Vitest to leave their loading to Node. */
export const COMPILED_NAMES = /\/tested-server-\d+\/(?:src|packages)\//;

/**
 * Gives the tests `src` and the packages as they were compiled before them, and Node loads it. Vite's own loading takes each worker two
 * seconds more, and what a module imports is got through a getter each time: a tenth of the tests' processor time.
 *
 * While Vitest watches for changes or tells coverage, and wherever modules are replaced, that is Vite's business.
 */
export function compiledSources(): Plugin {
  let isOn = true;
  return {
    name: 'compiled-sources',
    enforce: 'pre',
    configureVitest({ vitest: { config } }) {
      isOn = !config.watch && !config.coverage.enabled;
    },
    async resolveId(name, importer) {
      if (!isOn || !TYPESCRIPT.test(name)) return null;
      const source = await this.resolve(name, importer, { skipSelf: true });
      if (!source) return null;
      const compiled = join(BUILDS, relative(ROOT, source.id).replace(TYPESCRIPT, '.js'));
      return existsSync(compiled) ? compiled : source;
    },
  };
}
