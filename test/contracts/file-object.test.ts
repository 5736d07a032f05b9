import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileObjectConformance } from '../../src/contracts/conformance/file-object.ts';
import { LocalFolder } from '../../src/providers/file-object/local-folder/local-folder.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the local folder as file object', () => {
  const root = temporaryFolder({ after });
  const files = new LocalFolder(join(root, 'files'));
  for (const { title, check } of fileObjectConformance) it(title, () => check(files));

  it('leaves no part behind, whether a write succeeds or fails', () => {
    assert.deepEqual(readdirSync(join(root, 'files', '.parts')), []);
  });

  it('writes nothing outside of its folder', () => {
    assert.deepEqual(readdirSync(root), ['files']);
  });

  it('keeps files from other users of the machine', async () => {
    const one = new LocalFolder(join(root, 'files'));
    await one.write('/Mode/a', (async function* () { yield Buffer.from('x'); })());
    assert.equal(statSync(join(root, 'files/Mode/a')).mode & 0o777, 0o600);
  });

  it('takes the folder of a document away with it', async () => {
    await files.write('/Foreclosure/1/g/a.pdf', (async function* () { yield Buffer.from('x'); })());
    await files.write('/Foreclosure/2/h/b.pdf', (async function* () { yield Buffer.from('x'); })());
    await files.delete('/Foreclosure/1/g/a.pdf');
    assert.equal(existsSync(join(root, 'files/Foreclosure/1')), false);
    assert.equal(existsSync(join(root, 'files/Foreclosure/2/h/b.pdf')), true);
  });

  it('removes parts that a killed process left once they are old enough, and never lists them', async () => {
    const parts = join(root, 'files', '.parts');
    mkdirSync(parts, { recursive: true });
    writeFileSync(join(parts, 'old'), 'x');
    writeFileSync(join(parts, 'new'), 'x');
    utimesSync(join(parts, 'old'), new Date('2024-01-01'), new Date('2024-01-01'));
    const listed: string[] = [];
    for await (const path of files.list('/', { depth: 9 })) listed.push(path);
    assert.ok(listed.length > 0 && listed.every((path) => !path.includes('.parts')));
    assert.equal(await files.removeUnfinished('2024-02-01T00:00:00.000Z'), 1);
    assert.deepEqual(readdirSync(parts), ['new']);
    await assert.rejects(files.stat('/.parts/new'), /plain names/);
  });

  it('does not follow a link in the folder when it lists or deletes', async () => {
    mkdirSync(join(root, 'files', 'Linked'), { recursive: true });
    symlinkSync('/etc', join(root, 'files', 'Linked', 'etc'));
    const listed: string[] = [];
    for await (const path of files.list('/Linked', { depth: 3 })) listed.push(path);
    assert.deepEqual(listed, []);
  });
});
