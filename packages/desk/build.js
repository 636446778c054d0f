// Plain JavaScript: it runs before anything is compiled, on a Node that takes no TypeScript.
import { join } from 'node:path';
import { buildPage } from '../../build-page.js';
import { DESK } from '../../up-to-date.js';

await buildPage(DESK, join(import.meta.dirname, 'vite.config.ts'));
