// The server as `npm start` runs it: its file, or that of another build in SERVER, and the flags for Node.
import { readFileSync } from 'node:fs';

export const MAIN = process.env.SERVER ?? new URL('../dist/main.js', import.meta.url).pathname;

const { engines, scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
export const START_FLAGS = scripts.start.match(/--\S+/g);
/** The major version of the oldest Node that is supported. */
export const [OLDEST_NODE] = engines.node.match(/\d+/);
