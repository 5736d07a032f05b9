import { gzipSync } from 'node:zlib';
import type { Page } from '../page.ts';
import { bundleAssets, type Bundle } from './bundle.ts';
import type { AssetName } from './entries.ts';

export type { AssetName } from './entries.ts';

/** The bundle of this process: its sources do not change while it runs. */
let bundle: Promise<Bundle> | undefined;
const compressed = new Map<string, Buffer>();

/** Returns the function that gives the address of a script or style sheet. The first call of a process bundles them. */
export async function assetAddresses(): Promise<(name: AssetName) => string> {
  const { names } = await (bundle ??= bundleAssets());
  return (name) => `/assets/${names[name] ?? name}`;
}

/** Serves a bundled file. Its name changes with its content, so browsers store it for good. */
export const assetPage: Page = async (_platform, request, reply) => {
  const { file = '' } = request.params as { readonly file?: string };
  const { files } = await (bundle ??= bundleAssets());
  const content = Object.hasOwn(files, file) ? files[file] : undefined;
  void reply.header('X-Content-Type-Options', 'nosniff');
  if (content === undefined) return void reply.code(404).header('Cache-Control', 'no-store').send('');
  void reply.headers({
    'Content-Type': file.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
  });
  if (!/\bgzip\b/.test(request.headers['accept-encoding']?.toString() ?? '')) return void reply.send(content);
  let packed = compressed.get(file);
  if (!packed) compressed.set(file, (packed = gzipSync(content, { level: 9 })));
  void reply.header('Content-Encoding', 'gzip').send(packed);
};
