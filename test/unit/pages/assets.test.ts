import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { bundleAssets } from '../../../src/surfaces/pages/assets/bundle.ts';
import { scriptEntries, type AssetName } from '../../../src/surfaces/pages/assets/entries.ts';

/** Most bytes, compressed, of all that a page loads for an entry; of those that are not named, as for a list. */
const KILOBYTES_MAX: Readonly<Record<string, number>> = { shell: 30, 'console.css': 40, matrix: 150 };
const PAGE_KILOBYTES_MAX = 60;

const { files, names } = await bundleAssets();

/** Returns the files that a page loads with one of them: itself, and what it imports. */
function loadedWith(file: string, loaded = new Set<string>()): ReadonlySet<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  for (const [, chunk = ''] of (files[file] ?? '').matchAll(/from"\.\/([\w.-]+)"|import"\.\/([\w.-]+)"/g))
    loadedWith(chunk, loaded);
  return loaded;
}

test('WEB-01 what a page loads stays small: 30 KB of script for the frame, 60 KB for a list or a case, 150 KB for an editor', () => {
  const kilobytes = (name: AssetName): number =>
    [...loadedWith(names[name] ?? '')].reduce(
      (sum, file) => sum + gzipSync(files[file] ?? '', { level: 9 }).length,
      0,
    ) / 1000;
  const tooLarge = ([...scriptEntries, 'console.css'] as const).flatMap((name) => {
    const size = kilobytes(name);
    return size > (KILOBYTES_MAX[name] ?? PAGE_KILOBYTES_MAX) ? [`${name}: ${size.toFixed(1)} KB`] : [];
  });
  assert.deepEqual(tooLarge, []);
});

test('WEB-01 scripts and style sheets are named by their content, and need nothing that the content policy blocks', async () => {
  assert.deepEqual((await bundleAssets()).names, names, 'the same sources give the same names');
  for (const name of [...scriptEntries, 'console.css']) assert.match(names[name] ?? '', /^[\w]+-\w{8}\.(?:js|css)$/);
  for (const [file, text] of Object.entries(files)) {
    assert.doesNotMatch(text, /\beval\(|new Function\(/, `${file} evaluates text`);
    assert.doesNotMatch(text, /url\((?!#)|@import|https?:\/\/(?!www\.w3\.org)/, `${file} loads something else`);
  }
});
