import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

const ROOT = join(import.meta.dirname, '../../..');
const DOCUMENTS = 'src/modules/documents';
const LIB = `${DOCUMENTS}/attachment/lib`;

/** Code that reads files of storage locations without the gate of the malware scan, with the reason. */
const ungated: Readonly<Record<string, string>> = {
  'src/app/rotation/reseal-files.ts': 'Encrypts sealed files under another key; their bytes go nowhere.',
  [`${DOCUMENTS}/attachment/convert.ts`]: 'renditionOf, which returns where the rendition is, calls the gate.',
  [`${DOCUMENTS}/attachment/save.ts`]: 'Gives a staged file its path. It refuses an infected one.',
  [`${DOCUMENTS}/fileobject/test.ts`]: 'Reads a file that it has written itself.',
  'src/modules/messages/lib/reading/watched-texts.ts':
    'Reads a file of a watched location before it is a document; only text is taken, never the file.',
  [`${LIB}/check-stored-files.ts`]: 'Compares hashes; the bytes go nowhere.',
  [`${LIB}/finish-upload.ts`]: 'Detects the type of an upload by its first bytes, before it is a document.',
  [`${LIB}/upload.ts`]: 'Compares a chunk that was sent again with what is stored.',
  [`${LIB}/transfer/copy-file.ts`]: 'Called by transferDocument, which calls the gate.',
};

it('DOC-04 all code that reads stored files calls the gate of the malware scan, or says why it need not', () => {
  const readers = globSync('src/{app,kernel,lib,modules,surfaces}/**/*.ts', { cwd: ROOT }).filter((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    return text.includes('FILE_OBJECT') && /\.(?:read|copy)\(/.test(text);
  });
  const isGated = (path: string): boolean => readFileSync(join(ROOT, path), 'utf8').includes('assertServed(');
  assert.deepEqual(readers.filter((path) => !isGated(path)).sort(), Object.keys(ungated).sort());
  assert.ok(readers.filter(isGated).length >= 4);
});

it('DOC-04 only scans and hashes read a content whatever its scan found', () => {
  const users = globSync('src/**/*.ts', { cwd: ROOT }).filter((path) =>
    readFileSync(join(ROOT, path), 'utf8').includes('unscannedContent('),
  );
  assert.deepEqual(users.sort(), [
    'src/kernel/ports/documents.ts',
    `${LIB}/scan/scan-documents.ts`,
    `${LIB}/stored-documents.ts`,
  ]);
});
