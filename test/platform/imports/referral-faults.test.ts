import assert from 'node:assert/strict';
import { readdirSync, existsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, describe, it } from 'node:test';
import { FILE_OBJECT } from '../../../src/contracts/file-object.ts';
import { sweepStoredFiles } from '../../../src/modules/documents/attachment/lib/sweep-stored-files.ts';
import {
  INTERRUPTED_MESSAGE,
  failInterruptedImports,
  INTERRUPTED_AFTER_MINUTES,
} from '../../../src/modules/imports/import/lib/interrupted-runs.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import {
  foreclosure,
  nextLoan,
  readAnswer,
  referralFirm,
  saveSampleTemplates,
  setSetting,
  updateOf,
} from '../../support/imports/referrals.ts';

let minutesAhead = 0;
const clock = {
  now: (): string => new Date(Date.now() + minutesAhead * 60_000).toISOString(),
  milliseconds: (): number => Date.now() + minutesAhead * 60_000,
};
const on = await testPlatform({ after }, { clock });
await saveSampleTemplates(on.admin);
const firm = await referralFirm(on, 'Alder Law');
const files = on.platform.providers.get(FILE_OBJECT, 'Local');
const folder = String(Reflect.get(files, 'root'));

const stored = async (below = '/'): Promise<string[]> => {
  const paths: string[] = [];
  for await (const path of files.list(below, { depth: 5 })) paths.push(path);
  return paths;
};
const withFile = (content: string, name = 'a.txt'): string =>
  `<Attachments><AttachmentItem><FileName>${name}</FileName><Template>Complaint</Template>` +
  `<Content>${content}</Content></AttachmentItem></Attachments>`;
const base64 = (bytes: number): string => Buffer.alloc(bytes, 'x').toString('base64');

describe('malicious documents', () => {
  afterEach(async () => {
    assert.deepEqual(await stored('/Staged'), [], 'no staged file is left');
    const parts = join(folder, '.parts');
    assert.deepEqual(existsSync(parts) ? readdirSync(parts) : [], [], 'no half-written file is left');
    assert.equal((await firm.send('foreclosure', foreclosure())).http, 200, 'the server still works');
  });

  const head = '<?xml version="1.0" encoding="utf-8"?>\n';
  const attacks: readonly [string, string | Uint8Array, RegExp][] = [
    [
      'an external entity',
      `${head}<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><ImportCollection>` +
        '<ForeclosureItem>&e;</ForeclosureItem></ImportCollection>',
      /DOCTYPE/,
    ],
    ['an external DTD', `${head}<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd"><ImportCollection/>`, /DOCTYPE/],
    [
      'an entity bomb',
      `${head}<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from(
        { length: 12 },
        (_, n) => `<!ENTITY a${n} "${`&a${n === 0 ? '' : n - 1};`.repeat(10)}">`,
      ).join('')}]><ImportCollection>&a11;</ImportCollection>`,
      /DOCTYPE/,
    ],
    ['an entity that is not declared', `${head}<ImportCollection>&xxe;</ImportCollection>`, /./],
    [
      'nesting of 20,000 levels',
      `${head}<ImportCollection>${'<a>'.repeat(20_000)}${'</a>'.repeat(20_000)}</ImportCollection>`,
      /deep|nest|levels/i,
    ],
    [
      'deep nesting in a ledger',
      foreclosure({
        rest: [
          '<TotalDebtLedger><Template>Total Debt</Template><Items>',
          '<FCFeesCosts><Items>'.repeat(2_000),
          '<FilingFee>1</FilingFee>',
          '</Items></FCFeesCosts>'.repeat(2_000),
          '</Items></TotalDebtLedger>',
        ].join(''),
      }),
      /deep|nest|levels/i,
    ],
    ['a tag that never ends', `${head}<ImportCollection ${'a'.repeat(3_000_000)}`, /./],
    ['UTF-16 without a mark', Buffer.from(foreclosure(), 'utf16le'), /./],
    [
      'bytes in another encoding than declared',
      Buffer.concat([
        Buffer.from('<?xml version="1.0" encoding="utf-8"?><ImportCollection Reference="'),
        Buffer.from([0xff, 0xfe, 0xc3]),
        Buffer.from('"/>'),
      ]),
      /./,
    ],
    ['an unsupported encoding', '<?xml version="1.0" encoding="UTF-7"?><ImportCollection/>', /encoding/i],
    ['a NUL character', foreclosure({ caseNumber: 'A' }).replace('<Status>', '<Status>\u0000'), /./],
    ['XML 1.1', foreclosure().replace('version="1.0"', 'version="1.1"'), /./],
    [
      'a stylesheet instruction and an include',
      `${head}<ImportCollection xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include ` +
        'href="file:///etc/passwd" parse="text"/></ImportCollection>',
      /include/,
    ],
    ['invalid base64', foreclosure({ rest: withFile('***') }), /base64/],
    [
      'base64 that becomes invalid after a megabyte',
      foreclosure({ rest: withFile(`${base64(1_000_000)}*`) }),
      /base64/,
    ],
    ['a document truncated within a file', foreclosure({ rest: withFile(base64(200_000)) }).slice(0, -60_000), /./],
    ['nothing but an opening tag', '<', /./],
    [
      'a huge number',
      foreclosure({
        loanRest:
          `<ServicerLoanID>S</ServicerLoanID><OriginalBalance>${'9'.repeat(100_000)}</OriginalBalance>` +
          '<UPBAmount>1</UPBAmount>',
      }),
      /OriginalBalance/,
    ],
    ['100,000 unknown elements', `${head}<ImportCollection>${'<a/>'.repeat(100_000)}</ImportCollection>`, /./],
  ];
  for (const [what, body, says] of attacks) {
    it(`REF-05 REF-11 answers ${what} with a clear error, saves nothing, and keeps working`, async () => {
      const cases = await on.platform.store.query('select 1 from process');
      const answer = await firm.caller.post('/api/import/foreclosure', body, { 'Content-Type': 'text/xml' });
      assert.ok(answer.status === 500 || answer.status === 413, `${answer.status} ${answer.text.slice(0, 300)}`);
      assert.ok(answer.text.length < 100_000);
      assert.doesNotMatch(answer.text, /root:|node_modules|at \w+ \(/);
      if (answer.status === 500) {
        const reported = readAnswer(answer.status, answer.text);
        assert.equal(reported.status, 'Validation Error');
        assert.match(reported.results.map((r) => r.message).join(' '), says);
      }
      assert.equal((await on.platform.store.query('select 1 from process')).length, cases.length);
    });
  }

  it('refuses a body above the limit with 413, whether or not its length is announced', async () => {
    await setSetting(on.admin, 'ReferralMegabytesMax', '2');
    try {
      const body = foreclosure({ rest: withFile(base64(3_000_000)) });
      const announced = await firm.caller.post('/api/import/foreclosure', body, { 'Content-Type': 'text/xml' });
      assert.equal(announced.status, 413, announced.text.slice(0, 300));
      assert.match(announced.text, /larger than 2 megabytes/);
      const password = Buffer.from('user of Alder Law:password of user of Alder Law').toString('base64');
      const streamed = await fetch(`${on.url}/api/import/foreclosure`, {
        method: 'POST',
        headers: { Authorization: `Basic ${password}`, 'Content-Type': 'text/xml' },
        duplex: 'half',
        body: new ReadableStream({
          start(controller) {
            for (let at = 0; at < body.length; at += 65_536)
              controller.enqueue(Buffer.from(body.slice(at, at + 65_536)));
            controller.close();
          },
        }),
      });
      assert.equal(streamed.status, 413);
      await streamed.text();
    } finally {
      await setSetting(on.admin, 'ReferralMegabytesMax', '512');
    }
  });

  it('refuses 17 megabytes of text outside the attached files with 413', async () => {
    const answer = await firm.caller.post(
      '/api/import/foreclosure',
      foreclosure({
        rest:
          '<Messages><MessageItem><Template>Case Note</Template><Message>S</Message>' +
          `<BodyText>${'x'.repeat(17 * 1024 * 1024)}</BodyText></MessageItem></Messages>`,
      }),
      { 'Content-Type': 'text/xml' },
    );
    assert.equal(answer.status, 413);
  });

  it('stores nothing of a sender that disconnects halfway', async () => {
    const files_ = (await on.platform.store.query('select 1 from importfile')).length;
    const gone = new AbortController();
    const password = Buffer.from('user of Alder Law:password of user of Alder Law').toString('base64');
    const start = foreclosure({ rest: withFile(base64(2_000_000)) }).slice(0, 1_500_000);
    const sent = fetch(`${on.url}/api/import/foreclosure`, {
      method: 'POST',
      headers: { Authorization: `Basic ${password}`, 'Content-Type': 'text/xml' },
      duplex: 'half',
      signal: gone.signal,
      body: new ReadableStream({
        start(controller) {
          controller.enqueue(Buffer.from(start));
          setTimeout(() => gone.abort(), 150);
        },
      }),
    });
    await assert.rejects(sent);
    await eventually(
      'the part that it sent is removed',
      async () => (await stored('/Staged')).length === 0 && readdirSync(join(folder, '.parts')).length === 0,
    );
    assert.equal((await on.platform.store.query('select 1 from importfile')).length, files_);
  });
});

describe('stored files', () => {
  it('REF-06 are never left staged after a submission, whether it was accepted or refused', async () => {
    await firm.send('foreclosure', foreclosure({ rest: withFile(base64(100)) }));
    await firm.send('foreclosure', foreclosure({ rest: withFile(base64(100)).replace('Complaint', 'No Such') }));
    await firm.send('foreclosure', foreclosure({ loan: 'ABC', rest: withFile(base64(100)) }));
    await firm.send('foreclosure', foreclosure({ rest: `${withFile(base64(100))}<Nope/>` }));
    assert.deepEqual(await stored('/Staged'), []);
    const rows = await on.platform.store.query<{ path: string }>('select filepath as path from attachment order by 1');
    assert.deepEqual(
      (await stored()).sort(),
      rows.map((r) => r.path).sort(),
      'each file has a document and each document a file',
    );
  });

  it('KRN-20 are removed by housekeeping once old and unreferenced, except those that history can restore', async () => {
    const made = await firm.send('foreclosure', foreclosure({ rest: withFile(base64(10), 'deleted.txt') }));
    const id = made.of('Attachment')[0]?.objectId ?? 0;
    const [row] = await on.platform.store.query<{ path: string }>(
      'select filepath as path from attachment where attachmentid = $1::bigint',
      [id],
    );
    assert.equal((await on.admin.post(`/api/attachment/delete?ID=${id}`)).status, 200);
    const one = async function* (text: string): AsyncIterable<Uint8Array> {
      yield Buffer.from(text);
    };
    for (const path of ['/Foreclosure/77/guid/orphan.txt', '/Staged/orphan', '/Foreclosure/77/guid/young.txt'])
      await files.write(path, one(path.includes('young') ? 'young' : 'orphan'));
    const old = new Date(Date.now() - 48 * 3_600_000);
    for (const path of [...(await stored())].filter((p) => !p.endsWith('young.txt')))
      utimesSync(join(folder, path), old, old);
    const before = await stored();
    assert.equal(await sweepStoredFiles.run(on.platform), 2);
    assert.deepEqual(
      await stored(),
      before.filter((p) => !p.endsWith('/orphan.txt') && !p.endsWith('/orphan')),
    );
    assert.ok((await stored()).includes(row?.path ?? ''), "a deleted document's file waits for undelete");
    assert.equal(await sweepStoredFiles.run(on.platform), 0);
    // A path with the content of an old file has its own age.
    utimesSync(join(folder, '/Foreclosure/77/guid/young.txt'), old, old);
    await files.write('/Staged/just now', one('young'));
    assert.equal(await sweepStoredFiles.run(on.platform), 0);
    for (const path of ['/Foreclosure/77/guid/young.txt', '/Staged/just now']) await files.delete(path);
  });
});

describe('an interrupted run', () => {
  it('REF-02 REF-11 does not stay Importing: it ends as Error with what it had completed, and the file can be sent again', async () => {
    const xml = foreclosure({ loan: nextLoan(), subscriberId: 'cut off' });
    const done = await firm.send('foreclosure', xml);
    // The state left by a process that dies between two items.
    await on.platform.store.query(
      `update importfile set status = 'Importing', importcomplete = null, successcount = 0
        where importfileid = $1::bigint`,
      [done.id],
    );
    const running = readAnswer(200, (await firm.caller.get(`/api/import/result?ID=${done.id}`)).text);
    assert.deepEqual(
      [running.status, running.success, running.attributes['ImportComplete']],
      ['Importing', done.success, undefined],
      'what is saved is reported at once',
    );
    const progress = (await firm.caller.get(`/api/importfile/progress?Output=Json&ID=${done.id}`)).json();
    assert.deepEqual([progress['RowsDone'], progress['SuccessCount']], [1, done.success]);
    assert.equal((await firm.caller.post(`/api/importfile/stop?ID=${done.id}`)).status, 422);
    assert.equal(await failInterruptedImports.run(on.platform), 0, 'it may still be running');
    minutesAhead = INTERRUPTED_AFTER_MINUTES + 1;
    assert.equal(await failInterruptedImports.run(on.platform), 1);
    assert.equal(await failInterruptedImports.run(on.platform), 0);
    const reported = readAnswer(200, (await firm.caller.get(`/api/import/result?ID=${done.id}`)).text);
    assert.deepEqual([reported.status, reported.success, reported.errors], ['Error', done.success, 1]);
    assert.equal(reported.results.at(-1)?.message, INTERRUPTED_MESSAGE);
    assert.ok(reported.attributes['ImportComplete']);
    const again = await firm.send('foreclosure', xml);
    assert.equal(again.caseId, done.caseId);
    assert.equal(again.http, 200);
    minutesAhead = 0;
  });

  it('that still logs is left alone, however long it takes', async () => {
    const done = await firm.send('foreclosure', foreclosure());
    await on.platform.store.query(
      `update importfile set status = 'Importing', createddate = createddate - interval '2 hours'
        where importfileid = $1::bigint`,
      [done.id],
    );
    assert.equal(await failInterruptedImports.run(on.platform), 0);
    await on.platform.store.query("update importfile set status = 'Complete' where importfileid = $1::bigint", [
      done.id,
    ]);
  });

  it('REF-11 ends as Error at once after an unexpected failure', async () => {
    const made = await firm.send('foreclosure', foreclosure({ subscriberId: 'unforeseen' }));
    await on.platform.store.query(
      "alter table importlog add constraint broken check (operation <> 'Update') not valid",
    );
    const answer = await firm.caller.post(
      '/api/import/foreclosureupdate',
      updateOf('unforeseen', '<Status>On Hold</Status>'),
      { 'Content-Type': 'text/xml' },
    );
    await on.platform.store.query('alter table importlog drop constraint broken');
    assert.equal(answer.status, 500);
    assert.equal((await on.platform.store.query("select 1 from importfile where status = 'Importing'")).length, 0);
    assert.equal((await firm.search(`foreclosure/search?ForeclosureID=${made.caseId}`))[0]?.['Status'], 'Open');
  });
});
