import assert from 'node:assert/strict';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { declarations } from '../../../src/app/catalog.gen.ts';
import { errorTable } from '../../../src/kernel/door/errors.ts';
import { f, required } from '../../../src/kernel/declare/field.ts';
import { defineRecord } from '../../../src/kernel/declare/record.ts';
import { Registry } from '../../../src/kernel/declare/registry.ts';
import { parseRoute } from '../../../src/kernel/door/route.ts';
import { parseSignature } from '../../../src/kernel/door/signature.ts';
import { describeOperation } from '../../../src/surfaces/openapi/describe.ts';
import { referenceDifferences, referencePages, writeReference } from '../../../tools/reference.ts';
import { REFUSALS_PAGE } from '../../../tools/refusals/page.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const pages = referencePages(declarations);
const registry = new Registry(declarations);

function page(path: string): string {
  const text = pages.get(path);
  assert.ok(text !== undefined, `there is a page ${path}`);
  return text;
}

test('KRN-22 every operation with its parameters, every field, setting, error and permission is in the reference', () => {
  for (const operation of registry.operations()) {
    const text = page(`modules/${operation.module}.md`) + page('operations.md');
    assert.ok(text.includes(`/api/${operation.route}\``) || text.includes(`\`${operation.route}\``), operation.route);
    for (const name of Object.keys(operation.params))
      assert.ok(text.includes(`| \`${name}\` |`), `${operation.route} accepts ${name}`);
    assert.ok(
      page('permissions.md').includes(`| \`${operation.permissionName}\` |`) || operation.access !== 'permission',
      operation.permissionName,
    );
  }
  for (const record of registry.records()) {
    for (const { name } of record.columns.values())
      if (record.shown.some((column) => column.name === name))
        assert.ok(page(`records/${record.module}.md`).includes(`| \`${name}\` |`), `${record.name}.${name}`);
    assert.ok(page('records.md').includes(`[${record.name}](records/${record.module}.md)`));
  }
  for (const { name } of registry.settings) assert.ok(page('settings.md').includes(`| \`${name}\` |`), name);
  for (const [code, { status }] of Object.entries(errorTable))
    assert.ok(page('errors.md').includes(`| \`${code}\` | ${status} |`), code);
});

test("KRN-22 every operation has an example of its call on its module's page, as a command or as a signature that the platform can parse", () => {
  for (const operation of registry.operations()) {
    const text = page(`modules/${operation.module}.md`);
    const { example } = describeOperation(registry, operation);
    assert.ok(
      text.includes(example.curl) || text.includes(`\`${example.signature ?? example.path}\``),
      operation.route,
    );
    if (example.signature === undefined) continue;
    const read = parseSignature(example.signature, { field: 'Method' });
    const found = parseRoute(registry, read.route.split('/'), 'POST');
    assert.equal(found.operation?.route, operation.route, example.signature);
  }
});

test('KRN-22 the links of the reference lead to existing pages and headings', () => {
  let seen = 0;
  for (const [path, text] of pages) {
    for (const [, target = '', anchor = ''] of text.matchAll(/\]\(([^)#]*)(?:#([^)]*))?\)/g)) {
      seen += 1;
      // Written from the source, not from declarations.
      if (target === REFUSALS_PAGE) continue;
      const to = page(join(path, '..', target));
      if (anchor !== '')
        assert.ok(
          to.split('\n').some((line) => line.startsWith('#') && line.replace(/^#+ /, '').toLowerCase() === anchor),
          `${path} → ${target}#${anchor}`,
        );
    }
  }
  assert.ok(seen > 100);
});

test('KRN-22 text that a table cannot hold as it is does not break it, and secrets are marked', () => {
  const odd = defineRecord({
    name: 'Odd',
    doc: 'One | two\nthree <b>.',
    reach: 'none',
    fields: {
      Pin: f.secret({ doc: 'A | secret.' }),
      Kind: required(f.choice(['a', 'b'], { doc: 'Kind.', default: 'a' })),
    },
  });
  const made = referencePages({ records: [odd], operations: [] });
  const lines = [...made.values()].flatMap((text) => text.split('\n').filter((line) => line.startsWith('|')));
  assert.ok(lines.some((line) => line.includes(String.raw`A \| secret. *Secret.*`)));
  assert.ok(lines.some((line) => line.includes(String.raw`One \| two three &lt;b>.`)));
  assert.ok(lines.some((line) => line.includes('Kind. One of `a`, `b`. Default: `a`. **Required.**')));
});

test('missing, hand-edited and leftover pages are found, and writing fixes them', (t) => {
  const folder = temporaryFolder(t);
  const some = new Map([...pages].slice(0, 3));
  writeReference(some, folder);
  assert.deepEqual(referenceDifferences(some, folder), []);
  const [first = '', second = '', third = ''] = some.keys();
  appendFileSync(join(folder, first), 'by hand\n');
  rmSync(join(folder, second));
  writeFileSync(join(folder, 'gone.md'), 'of a module that was taken away\n');
  const found = referenceDifferences(some, folder);
  assert.equal(found.length, 3);
  for (const path of [first, second, 'gone.md'])
    assert.ok(
      found.some((line) => line.startsWith(`${folder}/${path}: `)),
      path,
    );
  assert.ok(!found.some((line) => line.includes(third)));
  writeReference(some, folder);
  assert.deepEqual(referenceDifferences(some, folder), []);
});
