/** Files of calls: the BatchReader queues each row as a call, in every file format. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import {
  IMPORT_ENGINE,
  type ImportEngine,
  type ImportRun,
  type SourceRow,
} from '../../../src/contracts/import-engine.ts';
import { batchReader } from '../../../src/providers/import-engine/batch-reader/batch-reader.ts';
import { queueRow, type RowMappingTerms } from '../../../src/providers/import-engine/batch-reader/batch-row.ts';
import { templateParameters } from '../../../src/providers/import-engine/batch-reader/template-parameters.ts';
import { batchEnded, batchRows, countContacts, insertContacts } from '../../support/imports/batches.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform, type Caller } from '../../support/platform.ts';
import { workbookOf } from '../../support/imports/import-workbooks.ts';

const t = await testPlatform({ after }, { worker: true });
const { admin } = t;

let made = 0;

async function template(fields: Record<string, unknown> = {}): Promise<string> {
  const name = `Batch ${++made}`;
  const saved = await admin.post('/api/importfiletemplate/save?Output=Json', {
    ImportFileTemplate: name,
    AppliesTo: 'Contact',
    ImportEngine: 'BatchReader',
    ImportOperationsAllowed: 7,
    ...fields,
  });
  assert.equal(saved.status, 200, saved.text);
  return name;
}

/** Sends a file and waits for its batch to end; returns the import file's ID. */
async function send(caller: Caller, name: string, body: string | Uint8Array): Promise<number> {
  const answer = await caller.send(
    'POST',
    `/api/importfile/importbyobject?Output=Json&Template=${encodeURIComponent(name)}`,
    body,
    { 'Content-Type': 'text/plain' },
  );
  const root = answer.json() as unknown as { ImportResults?: { ID: number }; ImportFileID?: number };
  const id = Number(root.ImportResults?.ID ?? root.ImportFileID);
  assert.ok(id > 0, answer.text);
  await batchEnded(t, id);
  return id;
}

const terms = (options: Record<string, string> = {}, more: Partial<RowMappingTerms> = {}): RowMappingTerms => ({
  appliesTo: 'Contact',
  onlyCall: undefined,
  parameters: templateParameters({ options: new Map(Object.entries(options)) }, new Set()),
  ...more,
});
const row = (
  values: Record<string, string>,
  options: Record<string, string> = {},
  more: Partial<RowMappingTerms> = {},
): unknown => JSON.parse(JSON.stringify(queueRow({ line: 2, values }, terms(options, more))));

describe('the mapping of a row', () => {
  it('IMP-10 ClassName, Operation, ImportFileQueue, ParameterString, _{Field} and every other column are mapped as documented', () => {
    assert.deepEqual(
      row({
        CLASSNAME: 'Loan',
        operation: 'Update',
        ImportFileQueue: 'the label',
        ParameterString: 'A=1&B=x%20y&A=2',
        _Queue: 'Mail',
        _ImportFileQueueType: 'kind',
        LoanID: '5',
        Queue: 'a parameter',
      }),
      {
        line: 2,
        className: 'Loan',
        operation: 'Update',
        label: 'the label',
        queue: 'Mail',
        type: 'kind',
        parameters: { A: ['1', '2'], B: 'x y', LoanID: '5', Queue: 'a parameter' },
      },
    );
    assert.deepEqual(row({ LastName: 'Plain', MiddleName: '', ImportReason: 'it failed' }), {
      line: 2,
      className: 'Contact',
      operation: 'Save',
      parameters: { LastName: 'Plain', MiddleName: '' },
    });
    assert.deepEqual(row({ LastName: 'x', ClassName: ' ', Operation: '' }), {
      line: 2,
      className: 'Contact',
      operation: 'Save',
      parameters: { LastName: 'x' },
    });
  });

  it("IMP-10 a row cannot set the platform's own parameters, and a row that cannot be mapped says why", () => {
    for (const field of [
      'ImportFileID',
      'OrganizationID',
      'SuccessDate',
      'ExecuteCount',
      'ParameterXml',
      'CreatedPersonID',
      'ImportFileQueueID',
      'constructor',
      '__proto__',
    ]) {
      assert.match(
        queueRow({ line: 2, values: { [`_${field}`]: '1' } }, terms()).problem ?? '',
        /not a field that a row can set; expected one of _ImportFileQueue/,
        field,
      );
    }
    assert.match(
      String(queueRow({ line: 2, values: { LastName: 'x' } }, terms({}, { appliesTo: undefined })).problem),
      /neither the row nor the import type/,
    );
    assert.match(
      String(queueRow({ line: 2, values: { A: '%' }, problem: 'It breaks off.', sheet: 'Two' }, terms()).problem),
      /^Sheet Two: It breaks off\.$/,
    );
    assert.match(
      String(queueRow({ line: 2, values: { ParameterString: 'A=%zz' } }, terms()).problem),
      /invalid percent escape/,
    );
  });

  it("IMP-10 the template's ParameterString is merged into every row and overrides it; {Column} is replaced by a value, never by a parameter name", () => {
    const options = {
      classname: 'Message',
      operation: 'Send',
      subject: 'On {Name}: {name}',
      status: 'Open',
      importfilequeue: 'row {Name}',
    };
    assert.deepEqual(
      row({ Name: 'x&Operation=Delete&To=all', Status: 'Closed', Operation: 'Delete', ClassName: 'Role' }, options),
      {
        line: 2,
        className: 'Message',
        operation: 'Send',
        label: 'row x&Operation=Delete&To=all',
        parameters: {
          Name: 'x&Operation=Delete&To=all',
          subject: 'On x&Operation=Delete&To=all: x&Operation=Delete&To=all',
          status: 'Open',
        },
      },
    );
    assert.match(
      (row({ Other: 'x' }, { subject: '{Name}' }) as { problem: string }).problem,
      /the row has no column Name/,
    );
    assert.deepEqual(
      (row({ Name: '{Other}', Other: 'never' }, { subject: '{Name}' }) as { parameters: unknown }).parameters,
      { Name: '{Other}', Other: 'never', subject: '{Other}' },
    );
    for (const [name, value] of [
      ['classname', '{Name}'],
      ['operation', 'Send{Name}'],
      ['a{name}', 'x'],
      ['subject', '{'],
      ['subject', '}'],
      ['subject', '{a{b}}'],
      ['subject', '{}'],
    ] as const)
      assert.throws(() => terms({ [name]: value }), { code: 'BAD_PARAMETER' }, `${name}=${value}`);
  });
});

describe('a file of calls', () => {
  it('IMP-10 IMP-13 delimited text is queued row by row and executed, and its file ends with the last row; failed rows can be corrected', async () => {
    const [existing = 0] = await insertContacts(t, 'Filed', 1);
    const name = await template({
      ParameterString: 'SuccessLogCategory=good&LogCategory=other&Company=of {LastName}&MiddleName={FirstName}',
    });
    const id = await send(
      admin,
      name,
      [
        'ClassName,Operation,ImportFileQueue,ID,LastName,FirstName,_Queue',
        ',,new one,,Filed,one,',
        `Contact,Save,changed,${existing},Filed,two,mail`,
        'Contact,Frobnicate,wrong,,Filed,three,',
        ',,no queue,,Filed,four,nowhere',
        'Contact,Save,short',
        '',
      ].join('\n'),
    );
    const file = await batchEnded(t, id);
    assert.deepEqual([file.status, file.successcount, file.errorcount], ['Complete', 2, 3]);
    const rows = await batchRows(t, id);
    assert.deepEqual(
      rows.map(({ label, operation, queue, status, line }) => [label, operation, queue, status, line]),
      [
        ['new one', 'Save', 'Batch', 'Complete', 2],
        ['changed', 'Save', 'Mail', 'Complete', 3],
        ['wrong', 'Frobnicate', 'Batch', 'Error', 4],
        ['no queue', 'Save', null, 'Error', 5],
        ['Unknown', null, null, 'Error', 6],
      ],
    );
    assert.equal(await countContacts(t, `lastname = 'Filed' and company = 'of Filed' and middlename = firstname`), 2);
    const log = await t.platform.store.query(
      `select importlog as label, status, operation, logcategory, sourceline from importlog
        where importfileid = $1::bigint order by sourceline`,
      [id],
    );
    assert.deepEqual(
      log.map((entry) => Object.values(entry)),
      [
        ['new one', 'Success', 'Insert', 'good', 2],
        ['changed', 'Success', 'Update', 'good', 3],
        ['wrong', 'Error', 'Frobnicate', 'other', 4],
        ['no queue', 'Error', 'Save', 'other', 5],
        ['Unknown', 'Error', 'None', 'other', 6],
      ],
    );
    const corrections = await admin.get(`/api/importfile/corrections?ID=${id}`);
    assert.equal(corrections.status, 200, corrections.text);
    assert.match(corrections.text, /ImportReason/);
    assert.equal(corrections.text.trim().split('\n').length, 4);
  });

  it("IMP-10 social security numbers in a row's fields are masked, and a character cut in two by truncation does not fail the row", async () => {
    const filled = (characters: number): string => 'x'.repeat(characters - 1);
    const id = await send(
      admin,
      await template(),
      `LastName,Operation,ImportFileQueue,_ImportFileQueueType\nMasked,Save,of 123456789,kind ` +
        `123-45-6789\nMasked,Save,${filled(255)}😀,${filled(100)}😀\nMasked,123456789,${filled(247)} ` +
        `123456789,${filled(92)} 123456789\n`,
    );
    const rows = await batchRows(t, id);
    assert.deepEqual(
      rows.map((r) => [r.status, r.operation]),
      [
        ['Complete', 'Save'],
        ['Complete', 'Save'],
        ['Error', null],
      ],
    );
    const shown = (await admin.get(`/api/importfilequeue/search?Output=Json&ImportFileID=${id}`)).text;
    assert.match(shown, /"kind XXX-XX-6789"/);
    assert.doesNotMatch(shown, /12345|123-45/);
  });

  it('IMP-10 long rows are queued a few at a time', async () => {
    const sizes: number[] = [];
    const own = {
      call: (_route: string, { Rows }: { Rows: string }) => (
        sizes.push((JSON.parse(Rows) as unknown[]).length),
        Promise.resolve()
      ),
      enqueue: () => Promise.resolve(),
    };
    const rows = Array.from({ length: 5 }, (_, n) => ({ line: n + 2, values: { LastName: 'x'.repeat(600_000) } }));
    const reader = {
      options: {},
      import: (run: ImportRun) =>
        run.rows(
          (async function* () {
            yield rows;
          })(),
        ),
    } as unknown as ImportEngine;
    const run = {
      importFileId: 1,
      organizationId: null,
      template: { options: new Map(), appliesTo: 'Contact', importStatement: undefined },
      source: {
        part: async function* () {
          yield Buffer.from('a,b');
        },
        open: async function* () {
          yield Buffer.from('a,b');
        },
        size: 3,
        fileName: 'a.csv',
      },
      ctx: { db: { query: () => Promise.resolve([]) } },
      done: 0,
      state: undefined,
      handOff: () => undefined,
      piece: async (work: (own: unknown) => Promise<unknown>) => {
        await work(own);
      },
    } as unknown as ImportRun;
    await batchReader({ table: reader, xml: reader, json: reader }).import(run);
    assert.deepEqual(sizes, [2, 2, 1]);
  });

  it('IMP-10 IMP-13 every worksheet of a workbook is read, each with its own columns', async () => {
    const [existing = 0] = await insertContacts(t, 'Sheets', 1);
    const id = await send(
      admin,
      await template(),
      await workbookOf({
        sheets: {
          New: [
            ['LastName', 'FirstName'],
            ['Sheets', 'from New'],
          ],
          Empty: [],
          Old: [
            ['Operation', 'ID', 'MiddleName'],
            ['Update', String(existing), 'from Old'],
            ['Update', '0', 'from nowhere'],
          ],
        },
      }),
    );
    const file = await batchEnded(t, id);
    assert.deepEqual([file.successcount, file.errorcount], [2, 1]);
    assert.equal(
      await countContacts(t, `lastname = 'Sheets' and (firstname = 'from New' or middlename = 'from Old')`),
      2,
    );
  });

  it("IMP-10 IMP-13 XML and JSON are read too; linked records and children become parameters of the row's call", async () => {
    const xml =
      '<?xml version="1.0"?><ContactCollection><ContactItem><ImportFileQueue>from XML</ImportFileQueue>' +
      '<LastName>Trees</LastName><FirstName>&lt;one&gt;</FirstName><Contacts><ContactItem>' +
      '<LastName>Child of trees</LastName></ContactItem></Contacts></ContactItem><ContactItem>' +
      '<Operation>Frobnicate</Operation><LastName>Trees</LastName></ContactItem></ContactCollection>';
    const json = '\ufeff [{"LastName":"Trees","FirstName":"two","_Queue":"Mail"},{"LastName":"Trees","_Nonsense":1}]';
    for (const [body, label] of [
      [xml, 'from XML'],
      [json, 'Unknown'],
    ] as const) {
      const id = await send(admin, await template(), body);
      const file = await batchEnded(t, id);
      assert.deepEqual(
        [file.successcount, file.errorcount],
        [1, 1],
        `${label}: ${JSON.stringify(await batchRows(t, id))}`,
      );
      assert.equal((await batchRows(t, id))[0]?.label, label);
    }
    assert.deepEqual(
      [
        await countContacts(t, `lastname = 'Trees' and firstname in ('<one>', 'two')`),
        await countContacts(t, `lastname = 'Child of trees' and object = 'Contact'`),
      ],
      [2, 1],
    );
  });

  it('IMP-18 with an ImportStatement, the rows are what the statement selects', async () => {
    await insertContacts(t, 'Selected', 3);
    await admin.post('/api/statement/save', {
      ClassName: 'Contact',
      Statement: 'SelectedRows',
      Query: `select ContactID as "ID", 'by statement' as "MiddleName" from Contact where LastName = 'Selected'
        and {ImportFileID}::bigint > 0`,
    });
    const id = await send(
      admin,
      await template({ ImportStatement: 'SelectedRows?ImportFileID={ImportFileID}' }),
      'anything\n1\n',
    );
    assert.equal((await batchEnded(t, id)).successcount, 3);
    assert.equal(await countContacts(t, `middlename = 'by statement'`), 3);
    const wrong = await admin.post('/api/importfiletemplate/save', {
      ImportFileTemplate: 'Wrong statement',
      AppliesTo: 'Contact',
      ImportEngine: 'BatchReader',
      ImportStatement: 'NoSuchStatement',
    });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /ImportStatement: there is no operation/);
    const braces = await admin.post('/api/importfiletemplate/save', {
      ImportFileTemplate: 'Wrong braces',
      AppliesTo: 'Contact',
      ImportEngine: 'BatchReader',
      ParameterString: 'Operation={Column}',
    });
    assert.equal(braces.status, 400);
  });

  it('a file that is stopped while its rows wait continues with them when it is resumed', async () => {
    await admin.post('/api/queue/stop', { QueueName: 'Report' });
    const name = await template({ ParameterString: 'BatchQueue=Report', Async: true });
    const sent = await admin.send(
      'POST',
      `/api/importfile/importbyobject?Output=Json&Template=${encodeURIComponent(name)}`,
      'LastName,FirstName\nStopped,one\nStopped,two\n',
      { 'Content-Type': 'text/plain' },
    );
    const id = Number(sent.json()['ImportFileID']);
    await eventually(
      'the rows wait',
      async () =>
        (await batchRows(t, id)).length === 2 &&
        (
          await t.platform.store.query(
            `select 1 from importrun where importfileid = $1::bigint and state is not null`,
            [id],
          )
        ).length === 1,
    );
    for (let round = 0; round < 7; round++) {
      assert.equal((await admin.post(`/api/importfile/stop?ID=${id}`)).status, 200);
      await admin.post('/api/queue/start', { QueueName: 'Report' });
      await eventually(
        'it is stopped',
        async () =>
          (
            await t.platform.store.query(
              `select 1 from importfile where importfileid = $1::bigint and status = 'Stopped'`,
              [id],
            )
          ).length === 1,
      );
      await admin.post('/api/queue/stop', { QueueName: 'Report' });
      assert.equal((await admin.post(`/api/importfile/resume?ID=${id}`)).status, 200);
      await eventually(
        'its rows are queued again',
        async () =>
          (
            await t.platform.store.query(
              `select 1 from importfile where importfileid = $1::bigint and status = 'Importing'`,
              [id],
            )
          ).length === 1 &&
          (
            await t.platform.store.query(
              `select 1 from pgboss.job where data ->> 'route' = 'importfile/import' and state < 'completed'`,
            )
          ).length === 0,
      );
    }
    await admin.post('/api/queue/start', { QueueName: 'Report' });
    assert.deepEqual(await batchEnded(t, id), { status: 'Complete', successcount: 2, errorcount: 0, message: null });
    assert.equal(await countContacts(t, `lastname = 'Stopped'`), 2);
  });

  it('IMP-15 a read that is interrupted between two pieces continues after the queued rows: no row is queued twice or left out', async () => {
    const lines = Array.from({ length: 1_200 }, (_, n) => `Resumed,r${n}`);
    let breaks = 2;
    const engine = t.platform.providers.get(IMPORT_ENGINE, 'BatchReader');
    t.platform.providers.register(
      IMPORT_ENGINE,
      'BreakingReader',
      batchReader({ table: breaking(engine, () => breaks-- > 0), xml: engine, json: engine }),
    );
    const id = await send(
      admin,
      await template({ ImportEngine: 'BreakingReader', Async: true }),
      `LastName,FirstName\n${lines.join('\n')}\n`,
    );
    const file = await batchEnded(t, id);
    assert.deepEqual([file.status, file.successcount], ['Complete', 1_200]);
    assert.equal(await countContacts(t, `lastname = 'Resumed'`), 1_200);
    const [distinct] = await t.platform.store.query<{ n: number }>(
      `select count(distinct firstname)::integer as n from contact where lastname = 'Resumed'`,
    );
    assert.equal(distinct?.n, 1_200);
  });
});

/** Wraps a reader so that it fails after handing over more than one piece, a given number of times. */
function breaking(engine: ImportEngine, breaks: () => boolean): ImportEngine {
  return {
    ...engine,
    async import(run: ImportRun) {
      const text: Uint8Array[] = [];
      for await (const bytes of run.source.open()) text.push(bytes);
      const [, ...lines] = Buffer.concat(text).toString().trim().split('\n');
      await run.rows(rows(lines, breaks));
    },
  };
}

async function* rows(lines: readonly string[], breaks: () => boolean): AsyncIterable<readonly SourceRow[]> {
  for (let at = 0; at < lines.length; at += 300) {
    if (at === 600 && breaks()) throw new Error('cut off');
    yield lines.slice(at, at + 300).map((line, n) => ({
      line: at + n + 2,
      values: { LastName: line.split(',')[0] ?? '', FirstName: line.split(',')[1] ?? '' },
    }));
  }
}

describe('operations that process an uploaded file', () => {
  async function upload(name: string, text: string, caller = admin): Promise<number> {
    const answer = await caller.send('POST', '/api/attachment/uploadchunk?Output=Json', text, {
      'Content-Type': 'application/octet-stream',
      'X-File-Name': name,
      'X-File-Size': String(Buffer.byteLength(text)),
    });
    assert.equal(answer.status, 200, answer.text);
    const [row] = await t.platform.store.query<{ id: number }>(
      'select max(attachmentid) as id from attachment where filename = $1::text',
      [name],
    );
    return Number(row?.id);
  }

  it('IMP-08 run each row as a call of their own operation, or refuse the file if there is no such operation', async () => {
    for (const [name, call] of [
      ['scorecalculatebatch', 'score/calculate'],
      ['attachmentgeneratebatch', 'attachment/generate'],
      ['messagesendbatch', 'message/send'],
    ] as const) {
      const attachmentId = await upload(`${name}.csv`, 'ID,ImportFileQueue\n1,first\n2,second\n');
      const answer = await admin.get(`/api/importfile/${name}?Output=Json&AttachmentID=${attachmentId}`);
      if (t.platform.registry.operation(call) === undefined) {
        assert.equal(answer.status, 404, answer.text);
        assert.match(answer.text, new RegExp(`no operation ${call}, so no row could run. Nothing was queued`, 'i'));
        const made = await t.platform.store.query('select 1 from importfile where importfile = $1::text', [
          `${name}.csv`,
        ]);
        assert.equal(made.length, 0);
        continue;
      }
      assert.equal(answer.status, 200, answer.text);
      const id = Number(answer.json()['ImportFileID']);
      await batchEnded(t, id);
      const rows = await batchRows(t, id);
      assert.deepEqual(
        rows.map((r) => [`${r.classname}/${r.operation}`.toLowerCase(), r.label, r.executecount]),
        [
          [call, 'first', 1],
          [call, 'second', 1],
        ],
      );
    }
  });

  it('IMP-08 IMP-10 an import type that calls a missing operation for all rows fails as a whole, with the reason', async () => {
    const name = await template({ ParameterString: 'ClassName=Message&Operation=Snd', ImportOperationsAllowed: 7 });
    const attachmentId = await upload('missing.csv', 'ID\n1\n2\n');
    const answer = await admin.get(
      `/api/importfile/scorecalculatebatch?Output=Json&AttachmentID=${attachmentId}` +
        `&ImportFileTemplate=${encodeURIComponent(name)}`,
    );
    assert.equal(answer.status, 200, answer.text);
    const id = Number(answer.json()['ImportFileID']);
    const file = await batchEnded(t, id);
    assert.equal(file.status, 'Error');
    assert.match(file.message ?? '', /calls message\/snd for each row; there is no such operation\. No row was queued/);
    assert.deepEqual(await batchRows(t, id), []);
  });

  it('IMP-21 KRN-21 a row that is saved with a warning has it in the log, and counts as a warning', async () => {
    const name = await template({ ImportOperationsAllowed: 7, AppliesTo: 'Contact' });
    const sent = await admin.send(
      'POST',
      `/api/importfile/importbyobject?Output=Json&Template=${encodeURIComponent(name)}`,
      'LastName,FirstName,USSSN\nMasked,Ann,XXX-XX-1234\nPlain,Bob,\n',
      { 'Content-Type': 'text/plain' },
    );
    assert.equal(sent.status, 200, sent.text);
    const id = Number(/"(?:ID|ImportFileID)":(\d+)/.exec(sent.text)?.[1]);
    await batchEnded(t, id);
    const rows = await batchRows(t, id);
    assert.match(rows[0]?.message ?? '', /USSSN/);
    assert.equal(rows[1]?.message, null);
    const log = await t.platform.store.query<{ status: string; message: string | null }>(
      'select status, message from importlog where importfileid = $1::bigint order by sourceline',
      [id],
    );
    assert.deepEqual(
      log.map((row) => row.status),
      ['Warning', 'Success'],
    );
    const [file] = await t.platform.store.query<{ warnings: number; successcount: number }>(
      'select warnings, successcount from importfile where importfileid = $1::bigint',
      [id],
    );
    assert.deepEqual([file?.warnings, file?.successcount], [1, 2]);
  });

  it('IMP-08 refuse a row of another operation, a template of another engine or without the right to invoke, and an unknown or ambiguous file', async () => {
    const attachmentId = await upload('other.csv', 'ClassName,Operation,ID\nContact,Delete,1\nMessage,Send,1\n');
    const answer = await admin.get('/api/importfile/scorecalculatebatch?Output=Json&Attachment=other.csv');
    assert.equal(answer.status, 200, answer.text);
    const id = Number(answer.json()['ImportFileID']);
    await batchEnded(t, id);
    assert.match(
      (await batchRows(t, id))[0]?.message ?? '',
      /the file is for Score\/Calculate; the row names Contact\/Delete/,
    );
    const refused = async (query: string, status: number, words: RegExp): Promise<void> => {
      const got = await admin.get(`/api/importfile/scorecalculatebatch?${query}`);
      assert.equal(got.status, status, got.text);
      assert.match(got.text, words);
    };
    await refused(
      `AttachmentID=${attachmentId}` +
        `&ImportFileTemplate=${encodeURIComponent(await template({ ImportOperationsAllowed: 3 }))}`,
      422,
      /does not allow its rows to invoke/,
    );
    await refused(
      `AttachmentID=${attachmentId}&ImportFileTemplate=Foreclosure`,
      400,
      /expected an import type of BatchReader/,
    );
    await refused(`AttachmentID=${attachmentId}&ImportFileTemplate=Nonsense`, 400, /no ImportFileTemplate is named/);
    await refused('AttachmentID=99999999', 404, /Attachment/);
    await refused('', 400, /AttachmentID is required/);
    await refused('Attachment=nowhere.csv', 404, /Document with the file .* not found/);
    await upload('other.csv', 'ID\n1\n');
    await refused('Attachment=other.csv', 400, /several documents/);
  });
});
