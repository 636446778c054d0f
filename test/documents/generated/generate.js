// @ts-check
// Plain JavaScript, since Node 20 takes no TypeScript. Writes every generated file: `npm run generate`.
import { join } from 'node:path';
import { runnerImport } from 'vite';

const root = join(import.meta.dirname, '../../..');
const files = join(import.meta.dirname, 'files.ts');
/** @type {{ module: typeof import('./files.ts') }} */
const { module } = await runnerImport(files, { configFile: false, root });
await module.replaceFiles(root, await module.generatedFiles());
