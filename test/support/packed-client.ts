import { execFile } from 'node:child_process';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import client from '../../packages/client/package.json' with { type: 'json' };

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** The client as it was packed, and installed in an empty project. */
export interface PackedClient {
  /** The project. */
  readonly consumer: string;
  /** The package as it was installed there. */
  readonly installed: string;
  /** Files of the package. */
  readonly paths: readonly string[];
  /** Size of the tarball, in bytes. */
  readonly size: number;
}

/** Builds and packs the client in a copy, as `npm publish` does, and installs the tarball in an empty project. */
export async function installClient(folder: string): Promise<PackedClient> {
  const { filename, size, files } = await pack(folder);
  const consumer = join(folder, 'consumer');
  await mkdir(consumer);
  await writeFile(join(consumer, 'package.json'), '{"private":true,"type":"module"}');
  const flags = ['install', '--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', [...flags, join(folder, filename)], { cwd: consumer });
  const installed = join(consumer, 'node_modules', client.name);
  return { consumer, installed, paths: files.map(({ path }) => path), size };
}

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

const isSource = (path: string): boolean => !/[\\/](?:dist|node_modules)$/.test(path);

async function pack(folder: string): Promise<Packed> {
  const copy = join(folder, 'repository');
  await cp(join(ROOT, 'packages/client'), join(copy, 'packages/client'), {
    recursive: true,
    filter: isSource,
  });
  await cp(join(ROOT, 'tsconfig.json'), join(copy, 'tsconfig.json'));
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const flags = ['pack', '--json', '--pack-destination', folder];
  // As in compiler.ts.
  const env = { ...process.env, GOGC: 'off' };
  const { stdout } = await run('npm', flags, { cwd: join(copy, 'packages/client'), env });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [Packed];
  return packed;
}
