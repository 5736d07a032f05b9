/**
 * Loaded by every Node process of a whole run, those that tests start too: resolves imports of the project's own files
 * without asking the file system, and loads the bundle of a program (tools/test-program.ts) in place of its source.
 *
 * Imports are written with their whole name, `./name.ts`, but the loader looks for links, packages and kinds of files
 * at each of a thousand. That is a quarter of the processor time of loading the platform.
 *
 * Plain JavaScript, because the starter runs on the host's Node, which may have no hooks either.
 */
import { existsSync, realpathSync } from 'node:fs';
import * as modules from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Where the sources of programs are. */
const sources = new URL('../../../src/app/', import.meta.url).href;
/** The folder of the bundles, where there are any. */
const bundles = new URL(import.meta.url).searchParams.get('bundles');

modules.registerHooks?.({
  resolve(specifier, { parentURL }, next) {
    const isOwn = specifier.startsWith('.') && specifier.endsWith('.ts') && parentURL?.startsWith('file:') === true;
    if (isOwn) return { url: new URL(specifier, parentURL).href, format: 'module-typescript', shortCircuit: true };
    const bundle = parentURL === undefined && bundles !== null ? bundleOf(specifier) : undefined;
    return bundle === undefined ? next(specifier) : { url: bundle, format: 'module', shortCircuit: true };
  },
});

/** The bundle of a program that a process is started with, perhaps by a link to it; undefined if there is none. */
function bundleOf(program) {
  if (!/^file:.*\/src\/app\/\w+\.ts$/.test(program)) return undefined;
  const source = pathToFileURL(realpathSync(fileURLToPath(program))).href;
  if (!source.startsWith(sources)) return undefined;
  const bundle = new URL(`${source.slice(sources.length, -'.ts'.length)}.mjs`, `${bundles}/`);
  return existsSync(fileURLToPath(bundle)) ? bundle.href : undefined;
}
