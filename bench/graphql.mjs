// The project's own copy of graphql, which its schema belongs to: the contestants have another in bench/node_modules.
import { createRequire } from 'node:module';

export const graphql = createRequire(new URL('../package.json', import.meta.url))('graphql');
