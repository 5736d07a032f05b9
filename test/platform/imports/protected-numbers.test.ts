import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client, type Client } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after }, { worker: true });
const admin = client(p);

/** Saves a template with a map for each source column; `Key` marks the one that finds the record. */
async function template(fields: object, maps: Readonly<Record<string, string>>, key = ''): Promise<void> {
  const { ImportFileTemplateID } = await admin.save('importfiletemplate', {
    ImportEngine: 'DelimitedEngine',
    ...fields,
  });
  for (const [ImportFileMap, Destination] of Object.entries(maps))
    await admin.save('importfilemap', {
      ImportFileTemplateID,
      ImportFileMap,
      Destination,
      ImportFileMapType: ImportFileMap === key ? 'Key' : 'Column',
    });
}

/** Sends a file as a template names it, and returns the ID of the import file. */
async function send(calls: Client, name: string, body: string): Promise<number> {
  const answer = await calls.caller.send('POST', `/api/importfile/importbyobject?Output=Json&Template=${name}`, body, {
    'Content-Type': 'text/plain',
  });
  const id = Number(/"ID":(\d+)/.exec(answer.text)?.[1]);
  assert.ok(id > 0, answer.text);
  return id;
}

describe('protected numbers in a file', () => {
  it('KRN-21 IMP-12 that are masked are not stored, and the row that has one is a warning that says so', async () => {
    await template({ ImportFileTemplate: 'Masks', AppliesTo: 'Contact' }, { LastName: 'LastName', USSSN: 'USSSN' });
    const id = await send(admin, 'Masks', 'LastName,USSSN\nMasked,XXX-XX-7719\nWhole,900-12-7719\n');
    const rows = await p.platform.store.query<{ status: string; message: string | null }>(
      'select status, message from importlog where importfileid = $1::bigint order by sourceline',
      [id],
    );
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['Warning', 'Success'],
    );
    assert.match(String(rows[0]?.message), /USSSN: the number was sent masked and is not stored; the record has none/);
  });

  it('KRN-21 as a key count as searches by number: a file finds no number by trying', async () => {
    await template({ ImportFileTemplate: 'Guesses', AppliesTo: 'Contact' }, { SSN: 'USSSN', Name: 'FirstName' }, 'SSN');
    await admin.save('contact', { LastName: 'Guessed', USSSN: '900123450' });
    const guesses = Array.from({ length: 60 }, (_, at) => `${String(900_123_400 + at)},x`);
    const user = await p.user('guessing', 'Administrator');
    const id = await send(client(p, user.caller), 'Guesses', `SSN,Name\n${guesses.join('\n')}\n`);
    const rows = await p.platform.store.query<{ status: string; message: string | null; n: number }>(
      `select status, min(message) as message, count(*)::integer as n from importlog
       where importfileid = $1::bigint and sourceline > 0 group by status order by status`,
      [id],
    );
    assert.deepEqual(
      rows.map(({ status, n }) => [status, n]),
      [
        ['Error', 30],
        ['Success', 30],
      ],
    );
    assert.match(String(rows[0]?.message), /you may compare Social Security numbers 30 times per hour/);
  });

  it('IMP-03 KRN-21 a preview shows the loan numbers of loans that the caller sees, and masks all other nine digits in any column', async () => {
    for (const Loan of ['820000701', '820000702']) await admin.save('loan', { Loan });
    // Saves nothing: a number that was imported as a loan's is shown like any other of its values.
    const fields = { AppliesTo: 'Loan', ExtranetEnabled: 'Self', ImportOperationsAllowed: 4 };
    await template({ ImportFileTemplate: 'Previewed', ...fields }, { Num: 'Loan', Servicer: 'ServicerLoanID' }, 'Num');
    const file = 'Num,Servicer,Note\n820000701,820000702,820000701\n918273645,,\n820-00-0702,,\n';
    const shown = async (calls: Client): Promise<string[]> => {
      const id = await send(calls, 'Previewed', file);
      const { text } = await calls.caller.get(`/api/importfile/preview?Output=Xml&ID=${id}`);
      return [...text.matchAll(/(?:Source|Destination)="(\w+)">([^<]+)</g)].map(([, of, value]) => `${of} ${value}`);
    };
    assert.deepEqual(await shown(admin), [
      'Num 820000701',
      'Servicer XXXXX0702',
      'Note XXXXX0701',
      'Loan 820000701',
      'ServicerLoanID XXXXX0702',
      'Num XXXXX3645',
      'Loan XXXXX3645',
      'Num XXX-XX-0702',
      'Loan XXX-XX-0702',
    ]);
    await admin.save('role', { Role: 'Previews', Permissions: '*' });
    const stranger = await p.firm('Strangers', 'Previews');
    assert.deepEqual((await shown(client(p, stranger.caller))).slice(0, 1), ['Num XXXXX0701']);
  });
});

describe('a file whose rows may not update', () => {
  it('KRN-21 IMP-14 does not reveal whether a number is that of a contact: right and wrong ones are refused alike', async () => {
    const { ContactID } = await admin.save('contact', { LastName: 'Compared', USSSN: '900-12-8801' });
    await template({ ImportFileTemplate: 'Inserts', AppliesTo: 'Contact', ImportOperationsAllowed: 1 }, {});
    const id = String(ContactID);
    const file = await send(admin, 'Inserts', `ID,USSSN\n${id},900-12-8802\n${id},900-12-8801\n`);
    const rows = await p.platform.store.query<{ row: string }>(
      `select status || ' ' || operation || ' ' || coalesce(message, '') as row from importlog
       where importfileid = $1::bigint and sourceline > 0 order by sourceline`,
      [file],
    );
    assert.equal(rows[0]?.row, rows[1]?.row, JSON.stringify(rows));
    assert.match(String(rows[0]?.row), /^Error/);
  });
});
