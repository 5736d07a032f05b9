import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, stop, transform, type Plugin } from 'esbuild';
import { styleSheets } from '../design/style-sheets.ts';
import { scriptEntries } from './entries.ts';

/** Bundled files by name, and the file of each entry. */
export interface Bundle {
  readonly files: Readonly<Record<string, string>>;
  readonly names: Readonly<Record<string, string>>;
}

const pages = new URL('../', import.meta.url);

/** Bundles and minifies the scripts and the style sheet. Names contain a hash of the content. Takes about 0.2 s. */
export async function bundleAssets(): Promise<Bundle> {
  try {
    const [scripts, sheet] = await Promise.all([bundleScripts(), bundleStyles()]);
    return { files: { ...scripts.files, ...sheet.files }, names: { ...scripts.names, ...sheet.names } };
  } finally {
    await stop();
  }
}

async function bundleScripts(): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: Object.fromEntries(
      scriptEntries.map((name) => [name, fileURLToPath(new URL(`client/${name}.ts`, pages))]),
    ),
    absWorkingDir: fileURLToPath(pages),
    outdir: '/assets',
    entryNames: '[name]-[hash]',
    chunkNames: 'chunk-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'silent',
    plugins: [onlyClientCode],
  });
  const names = Object.entries(metafile.outputs).flatMap(([path, { entryPoint }]) =>
    entryPoint === undefined ? [] : [[basename(entryPoint, '.ts'), basename(path)] as const],
  );
  return {
    files: Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), text])),
    names: Object.fromEntries(names),
  };
}

/** What scripts may import: their own code, what pages share with them, and libraries that need no server. */
const clientCode = [
  /[\\/]pages[\\/](?:client|shared)[\\/]/,
  /[\\/]lib[\\/]decision-tables[\\/]/,
  /[\\/]kernel[\\/]parameters[\\/]fold\.ts$/,
];

/** Keeps code of the server out of scripts: they may import it only for its types. */
const onlyClientCode: Plugin = {
  name: 'only-client-code',
  setup: (bundler) => {
    bundler.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) =>
      clientCode.some((pattern) => pattern.test(path))
        ? undefined
        : { errors: [{ text: `${path} is not in pages/client or pages/shared: import only its types.` }] },
    );
  },
};

async function bundleStyles(): Promise<Bundle> {
  const read = (path: string): string => readFileSync(new URL(path, pages), 'utf8');
  const joined = styleSheets.map(read).join('\n');
  const { code } = await transform(joined, { loader: 'css', minify: true });
  const name = `console-${createHash('sha256').update(code).digest('hex').slice(0, 8)}.css`;
  return { files: { [name]: code }, names: { 'console.css': name } };
}
