import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import root from '../../../package.json' with { type: 'json' };
import client from '../package.json' with { type: 'json' };

const CLIENT = resolve(import.meta.dirname, '..');
const SOURCES = readdirSync(join(CLIENT, 'src'));
const textOf = (file: string): string => readFileSync(join(CLIENT, 'src', file), 'utf8');

test('the client has the version of the server', () => {
  expect(client.version).toBe(root.version);
});

test('the client imports nothing but graphql-ws, so that browsers can load it', () => {
  const packages = SOURCES.flatMap((file) =>
    [...textOf(file).matchAll(/ from '([^'.][^']*)'/g)].map(([, name]) => `${file}: ${name}`),
  );
  expect(packages).toEqual(['socket.ts: graphql-ws/client']);
  expect(Object.keys(client.dependencies)).toEqual(['graphql-ws']);
});

test('files of the client stay short enough to be read', () => {
  const long = SOURCES.filter((file) => file !== 'documents.ts' && textOf(file).split('\n').length > 301);
  expect(long).toEqual([]);
});
