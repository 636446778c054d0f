// Plain JavaScript: it runs before anything is compiled, on a Node that takes no TypeScript.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { rolldown, watch } from 'rolldown';
import { minifySync } from 'rolldown/utils';

const ROOT = import.meta.dirname;
/** @type {typeof import('./package.json')} */
const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const SOURCES = join(ROOT, 'src');

/** What the package runs and exports. */
export const ENTRIES = { main: join(SOURCES, 'main.ts'), index: join(SOURCES, 'index.ts') };

/** The packages that whoever installs this one gets as well. */
const INSTALLED = new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }));

/** Takes of undici what calls the service: its fetch, WebSocket and caches would take a tenth of the start. */
const PART_OF_UNDICI = {
  name: 'part-of-undici',
  load: {
    filter: { id: /[/\\]undici[/\\]index\.js$/ },
    // Its index gives dispatchers their methods, of which the tunnels through a proxy need one.
    handler: () => `
      import Dispatcher from './lib/dispatcher/dispatcher.js';
      import connect from './lib/api/api-connect.js';
      Dispatcher.prototype.connect = connect;
      export { default as Pool } from './lib/dispatcher/pool.js';
      export { default as buildConnector } from './lib/core/connect.js';
      export { default as errors } from './lib/core/errors.js';`,
  },
};

/** Parts of packages that they load at once, with the modules of Node that these need, and the server never uses. */
const UNUSED = [
  'object-inspect/index.js',
  'pino/lib/multistream.js',
  'pino/lib/transport.js',
  'prom-client/lib/cluster.js',
  'prom-client/lib/pushgateway.js',
  'prom-client/lib/summary.js',
  'undici/lib/dispatcher/client-h2.js',
  'undici/lib/web/fetch/body.js',
];
const WITHOUT_UNUSED = {
  name: 'without-unused',
  load: {
    filter: { id: UNUSED.map((file) => `**/node_modules/${file}`) },
    handler: () => 'module.exports = {};',
  },
};

/**
 * Our imports of `node:http` take what they name: an import of the module reads everything that it exports, and its
 * WebSocket loads all of Node's fetch.
 */
const HTTP_WITHOUT_FETCH = {
  name: 'http-without-fetch',
  resolveId: {
    filter: { id: /^node:http$/ },
    /** @param {string} _id @param {string | undefined} importer @param {{ kind: string }} options */
    handler: (_id, importer = '', { kind }) =>
      kind === 'import-statement' && !importer.includes('node_modules') ? `\0http:${importer}` : null,
  },
  load: {
    filter: { id: /^\0http:/ },
    handler: () => `
      const { createServer, IncomingMessage, request, STATUS_CODES, validateHeaderName, validateHeaderValue } =
        process.getBuiltinModule('node:http');
      export { createServer, IncomingMessage, request, STATUS_CODES, validateHeaderName, validateHeaderValue };`,
  },
};

/** Takes graphql's modules, of which most are not needed; its CommonJS would be taken as a whole. */
const MODULES_OF_GRAPHQL = {
  name: 'modules-of-graphql',
  resolveId: {
    filter: { id: /^graphql(?:$|\/)/ },
    /** @param {string} id */
    handler: (id) =>
      join(ROOT, 'node_modules', id === 'graphql' ? 'graphql/index.mjs' : id.replace(/\.js$/, '.mjs')),
  },
};

/** Makes packages smaller. Our own code stays as it is, for the stack traces in the log. */
const SMALLER_PACKAGES = {
  name: 'smaller-packages',
  transform: {
    filter: { id: /[/\\]node_modules[/\\].*\.[cm]?js$/ },
    /** @param {string} code @param {string} id */
    handler: (code, id) => minifySync(id, code, { sourcemap: true }),
  },
};

/** How TypeScript is compiled. */
const INPUT = {
  platform: /** @type {const} */ ('node'),
  plugins: [PART_OF_UNDICI, WITHOUT_UNUSED, HTTP_WITHOUT_FETCH, SMALLER_PACKAGES],
  // It would say that these plugins take half of the time.
  checks: { bundlerTimings: false },
  tsconfig: join(ROOT, 'tsconfig.json'),
  transform: { target: 'es2023' },
};

/**
 * What it becomes: all in one folder, beside which the package's other files are found. Comments would take a fifth of
 * the text, which Node keeps in memory.
 */
const OUTPUT = {
  format: /** @type {const} */ ('esm'),
  sourcemap: true,
  comments: false,
};

/** The files that serving the graph loads: what reads the settings, packages of the sandbox as well, and the rest. */
const AT_START = [
  { name: 'start', test: isSource('cli/start.ts') },
  { name: 'shared', test: /@oxc-project|[/\\]node_modules[/\\](?:hono|qs|ws)[/\\]/ },
  { name: 'server', test: isSource('server.ts') },
];

/** @param {string} path */
function isSource(path) {
  /** @param {string} id */
  return (id) => id === join(SOURCES, path);
}

/**
 * How an entry is built with the files of its own that it loads.
 *
 * @param {string} name
 * @param {string} file
 */
function buildOf(name, file) {
  // Nothing else runs in the process of the command. A program of somebody else's may use the same packages.
  const own = { external: isInstalledBesideCommand, plugins: [MODULES_OF_GRAPHQL, ...INPUT.plugins] };
  return {
    input: { ...INPUT, ...(name === 'main' ? own : { external: isInstalled }), input: { [name]: file } },
    output: {
      ...OUTPUT,
      entryFileNames: '[name].js',
      chunkFileNames: `${name}-[name].js`,
      codeSplitting: { groups: AT_START },
    },
  };
}

/**
 * Compiles TypeScript into a folder: a file for each entry, and one for each part that it loads later, with the packages
 * that are not installed beside it, and their licences. From 480 separate files, the server took 30 % longer to start, and
 * with the packages that it loads at once beside it, another 30 %.
 *
 * @param {Readonly<Record<string, string>>} entries files by the names that they get
 * @param {string} folder
 */
export async function bundle(entries, folder) {
  const outputs = Object.entries(entries).map(async ([name, file]) => {
    const { input, output } = buildOf(name, file);
    const built = await rolldown(input);
    const written = await built.write({ ...output, dir: folder });
    await built.close();
    return written.output;
  });
  await writeFile(
    join(folder, 'LICENSES.md'),
    await licencesOf((await Promise.all(outputs)).flat(), 'the server'),
  );
}

/**
 * Gives the licences of the packages that a build holds, which ask to come with every copy.
 *
 * @param {readonly (import('rolldown').OutputChunk | import('rolldown').OutputAsset)[]} files
 * @param {string} whole what the packages are part of
 */
export async function licencesOf(files, whole) {
  const modules = files.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const folders = new Set(modules.flatMap((id) => PACKAGE_FOLDER.exec(id)?.[0] ?? []));
  const texts = [...folders].toSorted().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one));
    const text = file ? await readFile(join(folder, file), 'utf8') : license;
    return `## ${name} ${version}\n\n${text.trim()}\n`;
  });
  return `# Packages that are part of ${whole}\n\n${(await Promise.all(texts)).join('\n')}`;
}

const PACKAGE_FOLDER = /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/;

/**
 * Does the same again whenever a source changes.
 *
 * @param {Readonly<Record<string, string>>} entries
 * @param {string} folder
 */
export function bundleOnChange(entries, folder) {
  const builds = Object.entries(entries).map(([name, file]) => buildOf(name, file));
  const watcher = watch(
    builds.map(({ input, output }) => ({ ...input, output: { ...output, dir: folder } })),
  );
  watcher.on('event', (event) => {
    if (event.code === 'ERROR') process.stderr.write(`${event.error.message}\n`);
  });
}

/** Packages of which there must be a single copy in a process, whoever uses them. */
const SINGLE = /^(?:graphql|@opentelemetry\/api)(?:\/|$)/;

/**
 * Tells whether a package is installed with this one. All others become part of it, with the versions of what they use.
 *
 * @param {string} name
 * @param {string} [importer]
 */
function isInstalled(name, importer) {
  const [first = '', second] = name.split('/');
  const isShared = !importer?.includes('node_modules') || SINGLE.test(name);
  const isOfNode = isBuiltin(name) && name !== 'node:http';
  return isOfNode || (isShared && INSTALLED.has(first.startsWith('@') ? `${first}/${second}` : first));
}

/**
 * The same for the command: copies of OpenTelemetry's API in one process are made to work together.
 *
 * @param {string} name
 * @param {string} [importer]
 */
function isInstalledBesideCommand(name, importer) {
  return !SINGLE.test(name) && isInstalled(name, importer);
}
