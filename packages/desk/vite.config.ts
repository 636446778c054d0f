import { join } from 'node:path';
import { defineConfig } from 'vite';
import { DESK_FILES_PATH } from './src/options.ts';

/** Desk's page and its files, with nothing inline, so that the page's policy can forbid it. */
export default defineConfig({
  root: join(import.meta.dirname, 'src'),
  base: DESK_FILES_PATH,
  publicDir: false,
  logLevel: 'error',
  // Smaller than the automatic runtime.
  oxc: {
    jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' },
    jsxInject: "import { Fragment, h } from 'preact'",
  },
  define: {
    // Nobody opens the developer tools of the signals.
    'window.__PREACT_SIGNALS_DEVTOOLS__': 'undefined',
    'typeof window': '"object"',
  },
  build: {
    // Kept in memory: `build.js` writes each file, compressed.
    write: false,
    assetsDir: '',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The first browsers with `light-dark()`, which takes 3 % of the style sheet if it is written out, and `AbortSignal.any`.
    target: ['chrome123', 'edge123', 'firefox124', 'safari17.5', 'ios17.5'],
  },
});
