import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { atEnd } from '../../support/at-end.ts';
import { testPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const end = { after };
const folder = temporaryFolder(end);

/** Mounts a file system of three megabytes on the folder; returns the reason if that is not possible. */
function smallDisk(): string | false {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', folder], { stdio: 'ignore' });
    atEnd(end, () => void execFileSync('umount', [folder]));
    return false;
  } catch {
    return 'a small file system cannot be mounted: it takes root';
  }
}

test(
  'IMP-01 IMP-15 a file for which the store has no space is refused as UNAVAILABLE and leaves nothing; ' +
    'the next one is imported',
  { skip: smallDisk() },
  async () => {
    const on = await testPlatform(end, { filesFolder: folder });
    const filler = join(folder, 'filler');
    writeFileSync(filler, Buffer.alloc(2_000_000));
    await on.admin.post('/api/importfiletemplate/save', {
      ImportFileTemplate: 'Room',
      AppliesTo: 'Property',
      ImportEngine: 'DelimitedEngine',
    });
    const body = `Address\n${Array.from({ length: 100_000 }, (_, n) => `${n} Narrow Way, long`).join('\n')}\n`;
    const send = (text: string) =>
      on.admin.send('POST', '/api/importfile/importbyobject?Template=Room&Output=Json', text, {
        'Content-Type': 'text/csv',
      });
    const refused = await send(body);
    assert.equal(refused.status, 503, refused.text);
    for (const table of ['importfile', 'attachment', 'importrun', 'property'])
      assert.equal((await on.platform.store.query(`select 1 from ${table} limit 1`)).length, 0, table);
    rmSync(filler);
    const left = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    assert.deepEqual(
      left.map((entry) => entry.name),
      [],
      'nothing of it is left in the store',
    );
    const taken = await send('Address\n1 Narrow Way\n');
    assert.equal(taken.status, 200, taken.text);
    assert.match(taken.text, /"SuccessCount":1/);
  },
);
