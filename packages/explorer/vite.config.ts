import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { EXPLORER_PATH } from './src/options.ts';

const FONT = /url\("?data:font\/(woff2?|ttf);base64,([^)"]+)"?\)/g;

/**
 * Puts fonts that stand within style sheets, which is more than half of these, into files of their own: a browser loads
 * those that it needs.
 */
const fontsApart: Plugin = {
  name: 'fonts-apart',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'asset' || !file.fileName.endsWith('.css')) continue;
        file.source = String(file.source).replaceAll(FONT, (_url, type: string, base64: string) => {
          const source = Buffer.from(base64, 'base64');
          const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8);
          const fileName = `font-${hash}.${type}`;
          this.emitFile({ type: 'asset', fileName, source });
          return `url(${fileName})`;
        });
      }
    },
  },
};

/** The explorer's page and its files, with nothing inline, so that the page's policy can forbid it. */
export default defineConfig({
  root: join(import.meta.dirname, 'src'),
  base: EXPLORER_PATH,
  publicDir: false,
  // Warnings come by the hundred, of `"use client"` in packages; what fails the build is an error.
  logLevel: 'error',
  plugins: [fontsApart],
  resolve: {
    // As the worker of GraphQL imports it.
    alias: [{ find: /^\.\/GraphQLWorker$/, replacement: join(import.meta.dirname, 'src/graphql-worker.ts') }],
  },
  worker: { format: 'es' },
  build: {
    // Kept in memory: `build.js` writes each file, compressed.
    write: false,
    assetsDir: '',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The editor alone is larger, and loaded as one in any case.
    chunkSizeWarningLimit: 10_000,
  },
});
