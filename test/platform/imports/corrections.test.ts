import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform, type Caller } from '../../support/platform.ts';

const test = await testPlatform({ after }, { worker: true });
const admin = client(test);

let made = 0;

/** Saves an import type for properties whose column Kind is the property's type. */
async function importType(fields: object = {}): Promise<{ readonly id: number; readonly name: string }> {
  const name = `Corrected ${++made}`;
  const saved = await admin.save('importfiletemplate', {
    ImportFileTemplate: name,
    AppliesTo: 'Property',
    ImportEngine: 'DelimitedEngine',
    ...fields,
  });
  const id = Number(saved['ImportFileTemplateID']);
  const maps = [
    { ImportFileMap: 'Street', Destination: 'Address' },
    { ImportFileMap: 'Kind', Destination: 'Status', DataType: 'Integer' },
    { ImportFileMap: 'Zip', Destination: 'PostalCode', IsText: true },
  ];
  for (const [n, map] of maps.entries())
    await admin.save('importfilemap', { ImportFileTemplateID: id, Sequence: n + 1, ...map });
  return { id, name };
}

/** Imports a text and returns the import's id. */
async function send(name: string, text: string, caller: Caller = test.admin): Promise<number> {
  const answer = await caller.send(
    'POST',
    `/api/importfile/importbyobject?Output=Json&Validate=false&Template=${encodeURIComponent(name)}`,
    text,
    { 'Content-Type': 'text/plain' },
  );
  assert.equal(answer.status, 200, answer.text);
  const { ImportResults: results } = answer.json() as { ImportResults?: Row };
  return Number(results?.['ID']);
}

interface FailedRow {
  readonly SourceLine: number;
  readonly SourceColumn: string;
  readonly Message: string;
  readonly Value: readonly { readonly Source: string; readonly Value: string }[];
}

async function failedRows(id: number, parameters: object = {}): Promise<readonly FailedRow[]> {
  const body = await admin.expectOk('importfile/failedrows', { ID: id, ...parameters });
  return ((body['FailedRows'] as Row)['FailedRow'] ?? []) as readonly FailedRow[];
}

const counts = async (id: number): Promise<readonly unknown[]> => {
  const file = await admin.select('importfile', id);
  return [file['SuccessCount'], file['ErrorCount']];
};

const properties = async (address: string): Promise<number> =>
  (await admin.expectRows('property/search', { Address: address })).length;

describe('correcting failed rows of an import', () => {
  it('WEB-03 IMP-04 names the wrong column of each failed row, with its cells, and groups rows by what is wrong', async () => {
    const { name } = await importType();
    const id = await send(name, 'Street,Kind,Zip\n1 Elm,7,01\n2 Elm,FNM2,02\n3 Elm,FNM2,03\n4 Elm,None,04\n');
    const causes = await admin.expectRows('importfile/failures', { ID: id });
    assert.deepEqual(
      causes.map(({ SourceColumn, Count, FirstLine }) => [SourceColumn, Count, FirstLine]),
      [
        ['Kind', 2, 3],
        ['Kind', 1, 5],
      ],
    );
    const [row] = await failedRows(id, { Message: causes[0]?.['Message'], DisplaySize: 1 });
    assert.equal(row?.SourceLine, 3);
    assert.equal(row.SourceColumn, 'Kind');
    assert.deepEqual(
      row.Value.map(({ Source, Value }) => [Source, Value]),
      [
        ['Street', '2 Elm'],
        ['Kind', 'FNM2'],
        ['Zip', '02'],
      ],
    );
  });

  it('WEB-03 corrects a cell and imports the row once, keeps the file as sent, and stores who corrected what', async () => {
    const { name } = await importType();
    const id = await send(name, 'Street,Kind,Zip\n10 Elm,7,01\n11 Elm,seven,02\n');
    const source = (await admin.select('importfile', id))['PreTransformID'];
    const before = (await test.admin.get(`/api/attachment/download?ID=${String(source)}`)).text;
    const change = { ID: id, Line: [3], Changes: 'Kind=8' };
    const answer = await admin.expectOk('importfile/correct', change);
    assert.deepEqual([answer['Corrected'], answer['Failed'], answer['Queued']], [1, 0, 0]);
    assert.deepEqual(await counts(id), [2, 0]);
    assert.equal(await properties('11 Elm'), 1);
    assert.equal((await test.admin.get(`/api/attachment/download?ID=${String(source)}`)).text, before);
    const [correction] = await admin.expectRows('importcorrection/search', { ImportFileID: id });
    assert.equal(correction?.['Status'], 'Complete');
    assert.equal(correction['SourceColumns'], 'Kind');
    assert.match(String(correction['Reason']), /"seven" is not a whole number/);
    assert.equal(correction['Changes'], undefined, 'values are never shown');
    const [log] = await admin.expectRows('importlog/search', { ImportFileID: id, SourceLine: 3 });
    assert.deepEqual([log?.['Status'], log?.['Operation']], ['Success', 'Insert']);
    await admin.expectRefused('importfile/correct', change, 'STATE_REFUSES', 'Line');
    assert.equal(await properties('11 Elm'), 1);
    const again = { ID: correction['ImportCorrectionID'], Status: 'Queued' };
    await admin.expectRefused('importcorrection/update', again, 'STATE_REFUSES', 'Status');
    await admin.expectRefused('importcorrection/insert', { ImportFileID: id, SourceLine: 3 }, 'STATE_REFUSES');
  });

  it('WEB-03 corrects all rows with one value at once, and remembers the value for later files', async () => {
    const { id: typeId, name } = await importType();
    const text = 'Street,Kind,Zip\n20 Elm,FNM2,01\n21 Elm,FNM2,02\n22 Elm,FNM3,03\n';
    const id = await send(name, text);
    const [cause] = await admin.expectRows('importfile/failures', { ID: id });
    const answer = await admin.expectOk('importfile/correct', {
      ID: id,
      Message: cause?.['Message'],
      Changes: 'Kind=5',
      From: 'fnm2',
      Remember: true,
    });
    assert.deepEqual([answer['Corrected'], answer['Failed']], [2, 0]);
    assert.deepEqual(await counts(id), [2, 1]);
    const maps = await admin.expectRows('importfilemap/search', {
      ImportFileTemplateID: typeId,
      ImportFileMap: 'Kind',
    });
    assert.equal(maps[0]?.['Translation'], 'fnm2=5');
    const later = await send(name, text.replaceAll('2', '9').replaceAll('FNM9', 'FNM2'));
    assert.deepEqual(await counts(later), [2, 1], 'the next file needs no correction');
  });

  it('WEB-03 leaves a row that fails again failed with its new reason, and can correct it once more', async () => {
    const { name } = await importType();
    const id = await send(name, 'Street,Kind,Zip\n30 Elm,x,01\n');
    const first = await admin.expectOk('importfile/correct', { ID: id, Line: [2], Changes: 'Kind=y' });
    assert.deepEqual([first['Corrected'], first['Failed']], [0, 1]);
    assert.match((await failedRows(id))[0]?.Message ?? '', /"y" is not a whole number/);
    await admin.expectOk('importfile/correct', { ID: id, Line: [2], Changes: 'Kind=3&Street=31+Elm' });
    assert.deepEqual(await counts(id), [1, 0]);
    assert.equal(await properties('31 Elm'), 1);
    const attempts = await admin.expectRows('importcorrection/search', {
      ImportFileID: id,
      OrderBy: 'ImportCorrectionID',
    });
    assert.deepEqual(
      attempts.map(({ Status }) => Status),
      ['Error', 'Complete'],
    );
  });

  it('WEB-03 imports each row once when two people correct the same rows at the same moment', async () => {
    const { name } = await importType();
    const id = await send(name, `Street,Kind,Zip\n${'40 Elm,x,01\n'.repeat(5)}`);
    const lines = [2, 3, 4, 5, 6];
    const answers = await Promise.all(
      ['1', '2'].map((kind) => admin.send('importfile/correct', { ID: id, Line: lines, Changes: `Kind=${kind}` })),
    );
    const corrected = answers.map((answer) => (answer.status === 200 ? Number(answer.json()['Corrected']) : 0));
    assert.equal(corrected[0]! + corrected[1]!, 5, answers.map(({ text }) => text).join('\n'));
    assert.equal(await properties('40 Elm'), 5);
    assert.deepEqual(await counts(id), [5, 0]);
  });

  it('WEB-03 refuses columns that the file lacks, rows that did not fail, and imports of documents without rows', async () => {
    const { name } = await importType();
    const id = await send(name, 'Street,Kind,Zip\n50 Elm,1,01\n51 Elm,x,02\n');
    const correct = (parameters: object, code: string, field: string): Promise<unknown> =>
      admin.expectRefused('importfile/correct', { ID: id, ...parameters }, code, field);
    await correct({ Line: [3], Changes: 'City=Alder' }, 'BAD_PARAMETER', 'Changes');
    await correct({ Line: [2], Changes: 'Kind=1' }, 'STATE_REFUSES', 'Line');
    await correct({ Changes: 'Kind=1' }, 'MISSING_PARAMETER', 'Line');
    await correct({ Line: [3], Changes: 'Kind=1', From: 'other' }, 'STATE_REFUSES', 'From');
    await correct({ Line: [3], Changes: 'Kind=1', Remember: true }, 'MISSING_PARAMETER', 'From');
    assert.deepEqual(await counts(id), [1, 1]);
  });

  it("WEB-03 saves a firm's corrected row as the user who sent the file, by a worker", async () => {
    const { name } = await importType({ ExtranetEnabled: 'Self' });
    await admin.save('role', {
      Role: 'Sender of properties',
      Permissions: 'PropertySave ImportFileImportByObject ImportFileSelect',
    });
    const firm = await test.firm('Corrected firm', 'Sender of properties');
    const id = await send(name, 'Street,Kind,Zip\n60 Elm,x,01\n', firm.caller);
    const answer = await admin.expectOk('importfile/correct', { ID: id, Line: [2], Changes: 'Kind=6' });
    assert.deepEqual([answer['Corrected'], answer['Queued']], [0, 1]);
    await eventually('the row is saved', async () => ((await counts(id))[0] === 1 ? true : undefined));
    const [saved] = await admin.expectRows('property/search', { Address: '60 Elm' });
    assert.equal(saved?.['CreatedPersonID'], firm.personId);
    const [correction] = await admin.expectRows('importcorrection/search', { ImportFileID: id });
    assert.notEqual(correction?.['CreatedPersonID'], firm.personId, 'the correction names who made it');
  });
});

describe('trying an import type', () => {
  it('WEB-06 IMP-03 shows for each row of a sample what importing it would do, and stores nothing', async () => {
    const { id } = await importType();
    const sample = 'Street,Kind,Zip\n90 Oak,7,01\n91 Oak,seven,02\n';
    const rows = await admin.expectRows('importfiletemplate/try', { ID: id, Sample: sample });
    assert.deepEqual(
      rows.map((row) => [row['SourceLine'], row['Status'], row['Operation']]),
      [
        [2, 'Success', 'Insert'],
        [3, 'Error', 'Save'],
      ],
    );
    assert.equal(rows[0]?.['Parameters'], 'Address: 90 Oak\nStatus: 7\nPostalCode: 01');
    assert.match(String(rows[1]?.['Message']), /"seven" is not a whole number/);
    assert.equal(await properties('90 Oak'), 0, 'rolled back');
    await admin.expectRefused('importfiletemplate/try', { ID: id }, 'MISSING_PARAMETER', 'Sample');
  });

  it('WEB-06 shows the columns of an import type, how it runs and where it is used, and tries a sample in place', async () => {
    const { id, name } = await importType();
    await test.user('analyst of imports', 'Administrator');
    await send(name, 'Street,Kind,Zip\n95 Oak,7,01\n');
    const session = await testSession(test, 'analyst of imports');
    const path = `/configure/imports/${id}`;
    const page = (await session.get(path)).text;
    assert.match(page, /Columns and where they are saved[\s\S]*Street[\s\S]*Address[\s\S]*Zip[\s\S]*kept as text/);
    assert.match(page, /Where it is used[\s\S]*1 import</);
    const tried = (await session.post(path, { Sample: 'Street,Kind,Zip\n<b>96 Oak,none,1\n' })).text;
    assert.match(
      tried,
      /Would fail[\s\S]*&quot;none&quot; is not a whole number|Would fail[\s\S]*"none" is not a whole number/,
    );
    assert.match(tried, /&lt;b>96 Oak,none|&lt;b&gt;96 Oak,none/, 'the sample is still there');
    assert.match((await session.post(path, { Sample: ' ' })).text, /Paste the first lines of a file/);
  });
});
