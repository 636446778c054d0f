// Plain JavaScript: it runs before anything is compiled, on a Node that takes no TypeScript.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { licencesOf } from './bundle.js';
import { isUpToDate } from './up-to-date.js';

const PAGE = 'index.html';
// 6 takes a second less, for 3 % more; 11 takes another eight, for 7 % less.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/**
 * Builds a page of the server with Vite, unless the last build is newer than its sources: the page, its files compressed
 * with Brotli, the licences of the packages in them, and a manifest that names the files. The manifest is written last, so
 * that its time is the build's.
 *
 * @param {import('./up-to-date.js').Build} build
 * @param {string} configFile of Vite
 */
export async function buildPage(build, configFile) {
  if (await isUpToDate(build)) return;
  // Packages have another build for any other word.
  process.env['NODE_ENV'] = 'production';
  const vite = await import('vite');
  const built = await vite.build({ configFile });
  if (!('output' in built)) throw new Error(`${configFile} was built more than once, or not at all`);
  const manifest = join(import.meta.dirname, build.made);
  const target = dirname(manifest);
  // Whoever reads the last build meanwhile finds it whole.
  const [next, last] = [`${target}.${process.pid}.next`, `${target}.${process.pid}.last`];
  await mkdir(next, { recursive: true });
  await Promise.all(built.output.map((file) => write(next, file)));
  await writeFile(join(next, 'LICENSES.md'), await licencesOf(built.output, 'the page'));
  const files = built.output.map(({ fileName }) => fileName).filter((name) => name !== PAGE);
  await writeFile(join(next, 'files.json'), JSON.stringify(files));
  await rename(target, last).catch(() => undefined);
  await rename(next, target).catch(async (error) => {
    // Another process may have built the same at the same time.
    if (!(await isUpToDate(build))) throw error;
  });
  for (const left of [last, next]) await rm(left, { recursive: true, force: true });
}

/**
 * @param {string} folder
 * @param {import('vite').Rolldown.OutputChunk | import('vite').Rolldown.OutputAsset} file
 */
async function write(folder, file) {
  const content = Buffer.from(file.type === 'chunk' ? file.code : file.source);
  // The page is completed by the server, and compressed there.
  if (file.fileName === PAGE) return await writeFile(join(folder, PAGE), content);
  await writeFile(join(folder, `${file.fileName}.br`), await promisify(brotliCompress)(content, BROTLI));
}
