import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { IMPORT_ENGINE } from '../../../src/contracts/import-engine.ts';
import { requeueAbandonedImports } from '../../../src/modules/imports/importfile/lib/abandoned-imports.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';
import { linesEngine } from '../../support/imports/lines-engine.ts';

/** Called by the gated engine between batches, with the number of rows so far. */
let gate: (rows: number) => Promise<void> | void = () => undefined;

const test = await testPlatform({ after }, { worker: true });
const { admin } = test;
test.platform.providers.register(IMPORT_ENGINE, 'LinesEngine', linesEngine());
test.platform.providers.register(
  IMPORT_ENGINE,
  'BrokenEngine',
  linesEngine(() => Promise.reject(new Error('broken')), 1),
);
test.platform.providers.register(
  IMPORT_ENGINE,
  'GatedEngine',
  linesEngine((rows) => gate(rows)),
);

const ok = (answer: TestAnswer): TestAnswer => {
  assert.equal(answer.status, 200, answer.text.slice(0, 500));
  return answer;
};

let made = 0;

/** Saves a template for properties with its maps. */
async function template(
  fields: Record<string, unknown> = {},
  maps: readonly Record<string, unknown>[] = [],
): Promise<string> {
  const name = `Pipeline ${++made}`;
  const saved = ok(
    await admin.post('/api/importfiletemplate/save?Output=Json', {
      ImportFileTemplate: name,
      AppliesTo: 'Property',
      ImportEngine: 'LinesEngine',
      ...fields,
    }),
  );
  const id = Number(saved.json()['ImportFileTemplateID']);
  for (const [n, map] of maps.entries())
    ok(await admin.post('/api/importfilemap/save?Output=Json', { ImportFileTemplateID: id, Sequence: n + 1, ...map }));
  return name;
}

const send = (caller: Caller, name: string, body: string, query = ''): Promise<TestAnswer> =>
  caller.send('POST', `/api/importfile/importbyobject?Output=Json&Template=${encodeURIComponent(name)}${query}`, body, {
    'Content-Type': 'text/plain',
  });

interface Results {
  readonly ID: number;
  readonly Message?: string;
  readonly Status: string;
  readonly SuccessCount: number;
  readonly WarningCount: number;
  readonly ErrorCount: number;
  readonly Result: readonly {
    readonly Object: string;
    readonly ObjectID?: number;
    readonly Operation: string;
    readonly Status: string;
    readonly Message?: string;
  }[];
}

const resultsOf = (answer: TestAnswer): Results =>
  (answer.json() as unknown as { ImportResults: Results }).ImportResults;

const fileOf = async (id: number): Promise<Record<string, unknown>> =>
  ok(await admin.get(`/api/importfile/select?Output=Json&ID=${id}`)).json();

/** Sets a setting; the returned function restores its default. */
async function set(name: string, value: string): Promise<() => Promise<unknown>> {
  const saved = ok(await admin.post('/api/setting/save?Output=Json', { Setting: name, Value: value })).json();
  return () => admin.post(`/api/setting/delete?ID=${Number(saved['SettingID'])}`);
}

const count = async (where: string): Promise<number> =>
  Number(
    (await test.platform.store.query<{ n: number }>(`select count(*)::integer as n from property where ${where}`))[0]
      ?.n,
  );

const ended = (id: number): Promise<Record<string, unknown>> =>
  eventually(
    'the import has ended',
    async () => {
      const file = await fileOf(id);
      return file['ImportComplete'] === null || file['ImportComplete'] === undefined ? undefined : file;
    },
    30_000,
  );

describe('a file sent to be imported', () => {
  it('IMP-01 IMP-04 IMP-17 is stored and imported at once, and each row is reported; the file is linked to the record that it created', async () => {
    const name = await template();
    const answer = ok(
      await send(
        admin,
        name,
        'Address,City,PostalCode\n1 Elm Way,Alder,01234\n2 Elm Way,Alder,01235\n',
        '&PreTransform_FileName=two.csv&ExternalReference=X-1',
      ),
    );
    const results = resultsOf(answer);
    assert.deepEqual(
      { s: results.Status, n: results.SuccessCount, e: results.ErrorCount },
      { s: 'Complete', n: 2, e: 0 },
    );
    assert.deepEqual(
      results.Result.map((r) => [r.Object, r.Operation, r.Status]),
      [
        ['Property', 'Insert', 'Success'],
        ['Property', 'Insert', 'Success'],
      ],
    );
    const file = await fileOf(results.ID);
    assert.equal(file['ImportFile'], 'two.csv');
    assert.equal(file['ExternalReference'], 'X-1');
    assert.ok(file['ImportStart'] && file['ImportComplete']);
    assert.deepEqual([file['Object'], file['ObjectID']], ['Property', results.Result[0]?.ObjectID]);
    const source = ok(await admin.get(`/api/attachment/download?ID=${String(file['PreTransformID'])}`));
    assert.match(source.text, /^Address,City/);
    const [stored] = await test.platform.store.query<{ sealed: boolean }>(
      'select sealed from attachment where attachmentid = $1::bigint',
      [file['PreTransformID']],
    );
    assert.equal(stored?.sealed, true, 'the submission is stored sealed');
    assert.equal(await count("postalcode = '01234'"), 1, 'a leading zero is preserved');
  });

  it('IMP-01 is queued if the template is Async, and the import file is returned', async () => {
    const name = await template({ Async: true, Queue: 'Batch' });
    const answer = ok(await send(admin, name, 'Address\n3 Elm Way\n'));
    const id = Number(answer.json()['ImportFileID']);
    assert.ok(id > 0, answer.text);
    const file = await ended(id);
    assert.equal(file['Status'], 'Complete');
    const messages = ok(await admin.get('/api/queue/search?Output=Json&QueueName=Batch')).text;
    assert.match(messages, /importfile\/import/i);
  });

  it('IMP-01 IMP-03 is refused whole if it is invalid; with Validate=false the errors are returned without failing the call', async () => {
    const name = await template();
    const before = await count('true');
    const refused = await send(admin, name, '!Address\n4 Elm Way\n');
    assert.equal(refused.status, 500);
    assert.equal(resultsOf(refused).Status, 'Validation Error');
    assert.match(resultsOf(refused).Result[0]?.Message ?? '', /^Line 1: The document begins with an exclamation mark/);
    assert.equal(ok(await send(admin, name, '!Address\n4 Elm Way\n', '&Validate=false')).status, 200);
    const unchecked = await template({ ValidateSchema: false });
    assert.equal(resultsOf(ok(await send(admin, unchecked, 'Address\n4 Elm Way\n'))).SuccessCount, 1);
    assert.equal(await count('true'), before + 1);
  });

  it('IMP-03 a file is rejected if ValidateStatement returns rows, and validate queues an accepted file', async () => {
    ok(
      await admin.post('/api/statement/save', {
        Statement: 'TooManyProperties',
        ClassName: 'ImportFile',
        Query: `select 'There are properties of Alder already.' as "Message", 2 as "Line" from property
            where city = 'Objection' and {ImportFileID} > 0 limit 1`,
      }),
    );
    const name = await template({
      ValidateStatement: 'ImportFile/TooManyProperties?ImportFileID={ImportFileID}',
      Async: true,
    });
    const first = ok(await send(admin, name, 'Address,City\n5 Elm Way,Objection\n'));
    await ended(Number(first.json()['ImportFileID']));
    const second = await send(admin, name, 'Address,City\n6 Elm Way,Objection\n');
    assert.equal(second.status, 500);
    assert.equal(resultsOf(second).Result[0]?.Message, 'Line 2: There are properties of Alder already.');
    const again = await admin.get(`/api/importfile/validate?Output=Json&ID=${resultsOf(second).ID}`);
    assert.equal(again.status, 422, 'a refusal is final');
  });

  it('IMP-03 preview shows columns, rows and the mapped values, with social security numbers masked', async () => {
    const name = await template({}, [
      { ImportFileMap: 'Street', Destination: 'Address' },
      { ImportFileMap: 'Code', Destination: 'PostalCode', Required: true },
    ]);
    const sent = resultsOf(await send(admin, name, 'Street,Code\n123-45-6789,\n7 Elm Way,01234\n'));
    const preview = ok(await admin.get(`/api/importfile/preview?Output=Xml&ID=${sent.ID}&DisplaySize=1`)).text;
    assert.match(preview, /XXX-XX-6789/);
    assert.match(preview, /Code: it is empty; a value is required/);
    assert.doesNotMatch(preview, /7 Elm Way/, 'no more rows than requested');
  });

  it('IMP-03 social security numbers are masked even where a missing header turns them into column names', async () => {
    const sent = resultsOf(
      await send(
        admin,
        await template({}, [{ ImportFileMap: 'Street', Destination: 'Address' }]),
        '123-45-6789,Street\n1,2 Elm Way\n',
      ),
    );
    const preview = ok(await admin.get(`/api/importfile/preview?Output=Xml&ID=${sent.ID}`)).text;
    assert.match(preview, /Source="XXX-XX-6789"/);
    assert.doesNotMatch(preview, /123-45/);
  });

  it('IMP-17 truncating a label or a repeated value never leaves part of a social security number or of a character', async () => {
    const name = await template({}, [
      { ImportFileMap: 'Street', Destination: 'Address' },
      { ImportFileMap: 'Lat', Destination: 'County', DataType: 'Decimal' },
    ]);
    const filled = (characters: number): string => 'x'.repeat(characters - 1);
    const { ID, ErrorCount } = resultsOf(
      await send(
        admin,
        name,
        [
          'Remark,Street,Lat',
          `${filled(247)} 123456789,60 Cut Way,1`,
          `a,61 Cut Way,${filled(92)} 123456789`,
          `${filled(255)}😀,62 Cut Way,1`,
          `b,63 Cut Way,${filled(100)}😀`,
          '',
        ].join('\n'),
      ),
    );
    assert.equal(ErrorCount, 2);
    const log = await test.platform.store.query<{ label: string; message: string | null }>(
      'select importlog as label, message from importlog where importfileid = $1::bigint order by sourceline',
      [ID],
    );
    assert.equal(log.length, 4);
    assert.doesNotMatch(JSON.stringify(log), /12345/);
    assert.equal(log[2]?.label, `${filled(255)}\ufffd`);
    assert.match(log[3]?.message ?? '', /x\ufffd" is /);
  });

  it('IMP-03 results returns ImportResults, or the result of ResultMethod', async () => {
    const plain = resultsOf(ok(await send(admin, await template(), 'Address\n8 Elm Way\n')));
    assert.equal(resultsOf(ok(await admin.get(`/api/importfile/results?Output=Json&ID=${plain.ID}`))).ID, plain.ID);
    const method = await template({ ResultMethod: 'ImportLog/Search?ImportFileID={ImportFileID}&SqlColumns=Status' });
    const own = resultsOf(ok(await send(admin, method, 'Address\n9 Elm Way\n')));
    assert.match(
      ok(await admin.get(`/api/importfile/results?Output=Xml&ID=${own.ID}`)).text,
      /<ImportLogCollection><ImportLogItem><Status>Success/,
    );
  });

  it('an unknown template is an error with the nearest name', async () => {
    await template();
    const answer = await send(admin, 'Pipelin 1', 'Address\nx\n');
    assert.equal(answer.status, 400);
    assert.match(answer.text, /Did you mean Pipeline/);
  });
});

describe('rows', () => {
  it('a failed row is reported with its line and does not affect the others; IMP-12 maps translate, preserve text, require values and check types', async () => {
    const name = await template({}, [
      { ImportFileMap: 'Street', Destination: 'Address', Required: true },
      { ImportFileMap: 'St', Destination: 'State', Translation: 'Kalifornia=CA\nTEXAS=TX' },
      { ImportFileMap: 'Zip', Destination: 'PostalCode', IsText: true },
      { ImportFileMap: 'Lat', Destination: 'County', DataType: 'Decimal' },
      { ImportFileMapType: 'Constant', ImportFileMap: 'city', Destination: 'City', Translation: 'Mapville' },
      { ImportFileMapType: 'Ignore', ImportFileMap: 'Junk' },
    ]);
    const results = resultsOf(
      await send(
        admin,
        name,
        'Street,St,Zip,Lat,Junk\n10 Oak,kalifornia,00501,41.5,x\n,TX,1,1,x\n11 Oak,texas,2,north,x\n12 ' +
          'Oak,TX,3\n13 Oak,NY,4,"1,000",x\n14 Oak,NY,4,1.25,x\n',
      ),
    );
    assert.equal(results.Status, 'Complete', 'failed rows do not fail the file');
    assert.deepEqual([results.SuccessCount, results.ErrorCount], [2, 4]);
    const messages = results.Result.filter((r) => r.Status === 'Error').map((r) => r.Message);
    assert.match(messages[0] ?? '', /^Street: it is empty/);
    assert.match(messages[1] ?? '', /^Lat: "north" is not a number/);
    assert.match(messages[2] ?? '', /3 cells; expected 5/);
    const [row] = await test.platform.store.query(
      "select state, postalcode, county, city from property where address = '10 Oak'",
    );
    assert.deepEqual({ ...row }, { state: 'CA', postalcode: '00501', county: '41.5', city: 'Mapville' });
    const log = ok(
      await admin.get(
        `/api/importlog/search?Output=Json&ImportFileID=${results.ID}&SqlFilters=Failed` +
          '&OrderBy=SourceLine&SqlColumns=SourceLine,Status',
      ),
    ).json() as unknown as { ImportLogCollection: { ImportLogItem: { SourceLine: number; Status: string }[] } };
    assert.deepEqual(
      log.ImportLogCollection.ImportLogItem.map((l) => [l.SourceLine, l.Status]),
      [
        [3, 'Error'],
        [4, 'Error'],
        [5, 'Error'],
        [6, 'Error'],
      ],
    );
    assert.equal((await admin.get('/api/importlog/search?SqlFilters=Nothing')).status, 400);
  });

  it('a corrections file contains the failed rows with reasons, and can be corrected and sent again', async () => {
    const name = await template({}, [
      { ImportFileMap: 'Street', Destination: 'Address', Required: true },
      { ImportFileMap: 'Lat', Destination: 'County', DataType: 'Decimal' },
    ]);
    const { ID } = resultsOf(await send(admin, name, 'Street,Lat\n20 Oak,1\n21 Oak,x\n'));
    const file = ok(await admin.get(`/api/importfile/corrections?ID=${ID}`));
    assert.equal(file.text, 'Street,Lat,ImportReason\n21 Oak,x,Lat: "x" is not a number.\n');
    const again = resultsOf(ok(await send(admin, name, file.text.replace(',x,', ',2,'))));
    assert.deepEqual([again.SuccessCount, again.ErrorCount], [1, 0]);
    assert.equal((await admin.get(`/api/importfile/corrections?ID=${again.ID}`)).status, 404);
    const { caller } = await test.user('no unmask', 'Staff');
    assert.equal((await caller.get(`/api/importfile/corrections?ID=${ID}`)).status, 403);
    const own = resultsOf(await send(caller, name, 'Street,Lat\n22 Oak,y\n'));
    assert.match(ok(await caller.get(`/api/importfile/corrections?ID=${own.ID}`)).text, /22 Oak,y/, 'what they sent');
  });

  it('only its sender, or a user who may unmask, can read a sealed source with another template or attach it to another import file', async () => {
    const sent = await fileOf(resultsOf(ok(await send(admin, await template(), 'Address\n70 Sealed Way\n'))).ID);
    const { caller } = await test.user('chooses what is read', 'Staff');
    const save = (fields: Record<string, unknown>): Promise<TestAnswer> =>
      caller.post('/api/importfile/save?Output=Json', fields);
    const other = (
      await admin.get(`/api/importfiletemplate/search?Output=Json&DisplaySize=1&OrderBy=ImportFileTemplateID`)
    ).text.match(/"ImportFileTemplateID":(\d+)/)?.[1];
    for (const [fields, field] of [
      [{ ImportFile: 'mine', PreTransformID: sent['PreTransformID'], Status: 'New' }, 'PreTransformID'],
      [{ ID: sent['ImportFileID'], ImportFileTemplateID: other, Status: 'New' }, 'ImportFileTemplateID'],
    ] as const) {
      const refused = await save(fields);
      assert.equal(refused.status, 403, refused.text);
      assert.match(refused.text, new RegExp(`${field}: the document is sealed`));
    }
    ok(await save({ ID: sent['ImportFileID'], PreTransformID: sent['PreTransformID'], Reference: 'as it stands' }));
    const own = await fileOf(resultsOf(ok(await send(caller, await template(), 'Address\n71 Sealed Way\n'))).ID);
    ok(await save({ ImportFile: 'again', PreTransformID: own['PreTransformID'] }));
  });

  it('a firm that asks which templates fit sees only those that it may use', async () => {
    const maps = [{ ImportFileMap: 'Street', Destination: 'Address' }];
    const [internal, open] = [
      await template({ ExtranetEnabled: 'No', ImportEngine: 'DelimitedEngine' }, maps),
      await template({ ExtranetEnabled: 'Self', ImportEngine: 'DelimitedEngine' }, maps),
    ];
    ok(await admin.post('/api/role/save', { Role: 'Detects', Permissions: 'ImportFileDetectBody' }));
    const { caller } = await test.firm('Detecting Firm', 'Detects');
    const reported = ok(
      await caller.send('POST', '/api/importfile/detectbody?Output=Json', 'Street\n1\n', {
        'Content-Type': 'text/plain',
      }),
    ).text;
    assert.ok(reported.includes(`"${open}"`), reported);
    assert.ok(!reported.includes(`"${internal}"`));
  });

  it('importing a file again changes nothing: keys and SubscriberIDs find the existing records', async () => {
    const keyed = await template({}, [
      { ImportFileMap: 'Street', Destination: 'Address', ImportFileMapType: 'Key' },
      { ImportFileMap: 'Town', Destination: 'City' },
    ]);
    const body = 'Street,Town\n30 "Oak", a,Alder\n'.replace(', a', '* a') + '31 Oak,Alder\n';
    assert.deepEqual(
      resultsOf(ok(await send(admin, keyed, body))).Result.map((r) => r.Operation),
      ['Insert', 'Insert'],
    );
    assert.deepEqual(
      resultsOf(ok(await send(admin, keyed, body))).Result.map((r) => r.Operation),
      ['None', 'None'],
    );
    assert.deepEqual(
      resultsOf(ok(await send(admin, keyed, body.replace('31 Oak,Alder', '31 Oak,Birch')))).Result.map(
        (r) => r.Operation,
      ),
      ['None', 'Update'],
    );
    assert.equal(await count("address in ('30 \"Oak\"* a', '31 Oak')"), 2);
    const versions = await test.platform.store.query<{ version: number }>(
      'select version from property where address collate "C" like \'3_ %Oak%\' order by address',
    );
    assert.deepEqual(
      versions.map((v) => v.version),
      [1, 2],
      'the version shows that nothing was saved',
    );
    const subscribed = await template();
    const sent = 'SubscriberID,Address,City\nsrc-1,32 Oak,Alder\n';
    assert.equal(resultsOf(ok(await send(admin, subscribed, sent))).Result[0]?.Operation, 'Insert');
    const twice = resultsOf(ok(await send(admin, subscribed, sent)));
    assert.deepEqual([twice.Result[0]?.Operation, twice.SuccessCount], ['None', 0]);
  });

  it('IMP-14 a row that needs an operation that is not allowed fails, and nothing of it is saved', async () => {
    const insertOnly = await template({ ImportOperationsAllowed: 1 });
    const first = resultsOf(ok(await send(admin, insertOnly, 'SubscriberID,Address\nops-1,40 Oak\n')));
    assert.equal(first.SuccessCount, 1);
    const update = resultsOf(await send(admin, insertOnly, 'SubscriberID,Address\nops-1,41 Oak\nops-2,42 Oak\n'));
    assert.deepEqual(
      update.Result.map((r) => r.Status),
      ['Error', 'Success'],
    );
    assert.match(update.Result[0]?.Message ?? '', /would change a record, which the import type does not allow/);
    assert.equal(await count("address = '41 Oak'"), 0);
    const updateOnly = await template({ ImportOperationsAllowed: 2 });
    const inserted = resultsOf(await send(admin, updateOnly, 'SubscriberID,Address\nops-1,43 Oak\nops-3,44 Oak\n'));
    assert.deepEqual(
      inserted.Result.map((r) => r.Status),
      ['Success', 'Error'],
    );
    assert.equal(await count("address = '44 Oak'"), 0);
    assert.equal(await count("address = '43 Oak'"), 1);
    const none = await template({ ImportOperationsAllowed: 0 });
    assert.equal(resultsOf(await send(admin, none, 'Address\n45 Oak\n')).ErrorCount, 1);
    const id = first.Result[0]?.ObjectID ?? 0;
    const invoke = await template({ ImportOperationsAllowed: 3, ParameterString: 'Operation=Delete' });
    assert.match(resultsOf(await send(admin, invoke, `ID\n${id}\n`)).Result[0]?.Message ?? '', /invoke an operation/);
    assert.equal(await count(`propertyid = ${id}`), 1);
    const all = await template({ ImportOperationsAllowed: 7, ParameterString: 'Operation=Delete' });
    assert.equal(resultsOf(ok(await send(admin, all, `ID\n${id}\n`))).Result[0]?.Operation, 'Delete');
    assert.equal(await count(`propertyid = ${id}`), 0);
    const nested = await template({ ImportOperationsAllowed: 2, AppliesTo: 'Loan' });
    const loan = ok(
      await admin.post('/api/loan/save?Output=Json', {
        Loan: '777000111',
        Agency: 'INVESTOR',
        SubscriberID: 'ops-loan',
      }),
    ).json();
    const child = resultsOf(
      await send(admin, nested, 'SubscriberID,Borrowers_0_LastName,Borrowers_0_Sequence\nops-loan,Nested,1\n'),
    );
    assert.equal(child.ErrorCount, 1, 'a new child is an insert too');
    assert.equal(
      Number(
        (
          await test.platform.store.query<{ n: number }>(
            "select count(*)::integer as n from contact where object = 'Loan' and objectid = $1::bigint",
            [loan['LoanID']],
          )
        )[0]?.n,
      ),
      0,
    );
  });

  it('rows run with the permissions of the sender', async () => {
    const { caller } = await test.user('reader who imports', 'Read Only');
    assert.equal((await send(caller, await template(), 'Address\n50 Oak\n')).status, 403);
    const role = await admin.post('/api/role/save?Output=Json', {
      Role: 'Importer',
      Permissions: 'ImportFileImportByObject',
      UniversalAccess: true,
    });
    ok(role);
    const importer = await test.user('importer', 'Importer');
    const refused = resultsOf(await send(importer.caller, await template(), 'Address\n51 Oak\n52 Oak\n'));
    assert.equal(refused.Status, 'Error');
    assert.match(refused.Result[0]?.Message ?? '', /PropertySave is not granted/);
    assert.equal(refused.Result.length, 1, 'asked once, before the rows');
    assert.equal(await count("address = '51 Oak'"), 0);
  });
});

describe('the end of a run', () => {
  const half = [
    { ImportFileMap: 'Address', Destination: 'Address' },
    { ImportFileMap: 'Lat', Destination: 'County', DataType: 'Decimal' },
  ];

  it('IMP-02 IMP-21 too many failures stop the run, too few saves fail it; saved rows remain, and no follow-up runs', async () => {
    const lines = Array.from({ length: 130 }, (_, n) => `${n} Fail Rd,${n % 2 ? 'x' : '1'}`);
    const body = `Address,Lat\n${lines.join('\n')}\n`;
    const end = 'Message/Save?Message=ended {ImportFileID}&Object=ImportFile&ObjectID={ImportFileID}';
    const stopped = resultsOf(
      await send(admin, await template({ FailureThreshold: '20', EndImportMethod: end }, half), body),
    );
    assert.equal(stopped.Status, 'Error');
    assert.equal(stopped.ErrorCount, 30, 'the run stops with the piece that exceeds the threshold');
    const file = await fileOf(stopped.ID);
    assert.match(String(file['Message']), /FailureThreshold: 30 rows failed; the import type allows 20/);
    assert.equal(stopped.Message, undefined);
    const [why] = stopped.Result;
    assert.deepEqual([why?.Object, why?.Status, why?.Message], ['ImportFile', 'Error', file['Message']]);
    assert.ok(file['ImportComplete']);
    const share = resultsOf(
      await send(admin, await template({ FailureThreshold: '40%', EndImportMethod: end }, half), body),
    );
    assert.deepEqual(
      [share.Status, share.ErrorCount],
      ['Error', 65],
      'a percentage is checked when all rows are known',
    );
    const known = resultsOf(
      await send(
        admin,
        await template({ FailureThreshold: '40%', ParameterString: 'Slow=1' }, half),
        body.replaceAll('x', '2'),
      ),
    );
    assert.equal(known.Status, 'Complete');
    const few = resultsOf(
      await send(
        admin,
        await template({ SuccessThreshold: '131', EndImportMethod: end }, half),
        body.replaceAll('x', '2'),
      ),
    );
    assert.equal(few.Status, 'Error');
    assert.match(
      String((await fileOf(few.ID))['Message']),
      /SuccessThreshold: 130 rows were saved; the import type expects at least 131/,
    );
    const right = resultsOf(
      ok(
        await send(
          admin,
          await template({ SuccessThreshold: '100%', EndImportMethod: end }, half),
          body.replaceAll('x', '2'),
        ),
      ),
    );
    const message = await eventually('EndImport has run', async () => {
      const found = await test.platform.store.query<{ message: string; objectid: number }>(
        "select message, objectid from message where object = 'ImportFile'",
      );
      return found.length > 0 ? found : undefined;
    });
    assert.deepEqual(
      message.map((m) => m.objectid),
      [right.ID],
      'the failed runs called nothing',
    );
  });

  it('IMP-01 IMP-02 an import that is complete is not an error of the call, whatever its final status and failed rows', async () => {
    for (const fields of [{}, { OnCompleteStatus: 'Loaded' }, { OnCompleteStatus: 'Loaded', FailureThreshold: '1' }]) {
      const answer = ok(await send(admin, await template(fields, half), 'Address,Lat\n1 Half Rd,1\n2 Half Rd,x\n'));
      const { Status, SuccessCount, ErrorCount } = resultsOf(answer);
      assert.deepEqual([Status, SuccessCount, ErrorCount], ['Complete', 1, 1]);
    }
  });

  it('IMP-01 Validate=false suppresses the error return of a file that fails a threshold, and of one that is invalid', async () => {
    const name = await template({ FailureThreshold: '0' }, half);
    for (const [status, body] of Object.entries({ Error: 'Address,Lat\n3 Half Rd,x\n', 'Validation Error': '!' })) {
      assert.equal((await send(admin, name, body)).status, 500);
      assert.equal(resultsOf(ok(await send(admin, name, body, '&Validate=false'))).Status, status);
    }
  });

  it('IMP-21 a run whose import type has no threshold stops at the setting ImportFailuresMax', async () => {
    const unset = await set('ImportFailuresMax', '70');
    const lines = Array.from({ length: 300 }, (_, n) => `${n} Bad Rd,x`).join('\n');
    const stopped = resultsOf(await send(admin, await template({}, half), `Address,Lat\n${lines}\n`));
    assert.deepEqual([stopped.Status, stopped.ErrorCount], ['Error', 120]);
    assert.match(stopped.Result[0]?.Message ?? '', /120 rows failed; the setting ImportFailuresMax allows 70/);
    const own = await template({ FailureThreshold: '100%' }, half);
    assert.equal(resultsOf(ok(await send(admin, own, `Address,Lat\n${lines}\n`))).ErrorCount, 300);
    await unset();
  });

  it('IMP-04 the log has a row for each of the first ImportLogRowsMax rows, then failures and the number of the others', async () => {
    const unset = await set('ImportLogRowsMax', '60');
    const lines = Array.from({ length: 200 }, (_, n) => `${n} Log Rd,${n % 10 === 9 ? 'x' : '1'}`).join('\n');
    const { ID, SuccessCount, ErrorCount } = resultsOf(
      ok(await send(admin, await template({}, half), `Address,Lat\n${lines}\n`)),
    );
    assert.deepEqual([SuccessCount, ErrorCount], [180, 20]);
    const log = await test.platform.store.query<{ status: string; line: number; message: string | null }>(
      'select status, sourceline as line, message from importlog where importfileid = $1::bigint order by sourceline',
      [ID],
    );
    assert.equal(log.length, 1 + 60 + 14);
    assert.match(log[0]?.message ?? '', /^126 rows have no log row: after the first 60 \(ImportLogRowsMax\)/);
    assert.equal(log.filter(({ status }) => status === 'Error').length, 20);
    await unset();
  });

  it('IMP-02 OnCompleteStatus is the status of an imported file, while ImportResults shows Complete', async () => {
    const results = resultsOf(
      ok(await send(admin, await template({ OnCompleteStatus: 'Ready for review' }), 'Address\n60 Oak\n')),
    );
    assert.equal(results.Status, 'Complete');
    assert.equal((await fileOf(results.ID))['Status'], 'Ready for review');
    const again = ok(await admin.get(`/api/importfile/import?Output=Json&ID=${results.ID}`));
    assert.match(again.text, /nothing was imported/);
    assert.equal(await count("address = '60 Oak'"), 1);
  });

  it('a document that becomes unreadable ends as an Error; saved rows remain', async () => {
    const results = resultsOf(
      await send(
        admin,
        await template(),
        `Address\n${Array.from({ length: 80 }, (_, n) => `${n} Cut Rd`).join('\n')}\n?\n`,
      ),
    );
    assert.deepEqual([results.Status, results.SuccessCount], ['Error', 60]);
    assert.match(String((await fileOf(results.ID))['Message']), /Line 82 cannot be read/);
    assert.equal(
      ok(await admin.get(`/api/importfile/progress?Output=Json&ID=${results.ID}`)).json()['PercentDone'],
      undefined,
      'it has not finished',
    );
  });
});

describe('a long run', () => {
  it('reports its progress, and continues after a stop between two pieces without repeating a row', async () => {
    const reached = Promise.withResolvers<undefined>();
    const go = Promise.withResolvers<undefined>();
    gate = async (rows) => {
      if (rows < 140 || rows > 146) return;
      reached.resolve(undefined);
      await go.promise;
    };
    const rows = 300;
    const name = await template({ ImportEngine: 'GatedEngine', Async: true });
    const sent = ok(
      await send(admin, name, `Address\n${Array.from({ length: rows }, (_, n) => `${n} Stop Rd`).join('\n')}\n`),
    );
    const id = Number(sent.json()['ImportFileID']);
    await reached.promise;
    const progress = ok(await admin.get(`/api/importfile/progress?Output=Json&ID=${id}`)).json();
    assert.deepEqual([progress['Status'], progress['RowsDone'], progress['SuccessCount']], ['Importing', 120, 120]);
    assert.equal(ok(await admin.post(`/api/importfile/stop?Output=Json&ID=${id}`)).json()['Status'], 'Importing');
    assert.equal((await admin.post(`/api/importfile/resume?ID=${id}`)).status, 422);
    go.resolve(undefined);
    const running = ok(await admin.get(`/api/import/result?ID=${id}`)).text;
    assert.match(running, /SuccessCount="1[28]0" .* Status="(?:Importing|Error)"/);
    await eventually('it has stopped', async () => (await fileOf(id))['Status'] === 'Stopped', 20_000);
    assert.equal(await count(`address collate "C" like '% Stop Rd'`), 180);
    const halted = await fileOf(id);
    assert.equal(halted['SuccessCount'], 180);
    const result = ok(await admin.get(`/api/import/result?ID=${id}`)).text;
    assert.match(result, /SuccessCount="180" WarningCount="0" ErrorCount="0" Status="Error" .*ImportComplete="/);
    assert.match(result, /Message="The import was stopped\. Saved records remain; importfile\/resume continues/);
    const idle = ok(await admin.get(`/api/importfile/import?Output=Json&ID=${id}`));
    assert.match(idle.text, /Stopped; nothing was imported/);
    gate = () => undefined;
    ok(await admin.post(`/api/importfile/resume?ID=${id}`));
    const file = await ended(id);
    assert.deepEqual([file['Status'], file['SuccessCount'], file['Message'] ?? null], ['Complete', rows, null]);
    assert.equal(await count(`address collate "C" like '% Stop Rd'`), rows);
    assert.equal((await admin.post(`/api/importfile/stop?ID=${id}`)).status, 422);
    const total = ok(await admin.get(`/api/importfile/progress?Output=Json&ID=${id}`)).json();
    assert.deepEqual([total['RowsDone'], total['RowsTotal'], total['PercentDone']], [rows, rows, 100]);
  });

  it('survives a cut database connection: the queue delivers it again, and it continues where it stopped', async () => {
    let cut = false;
    gate = async (rows) => {
      if (cut || rows < 100) return;
      cut = true;
      await test.platform.store.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
          and pid <> pg_backend_pid() and application_name not like '%queue%'`,
      );
    };
    const rows = 250;
    const sent = ok(
      await send(
        admin,
        await template({ ImportEngine: 'GatedEngine', Async: true }),
        `Address\n${Array.from({ length: rows }, (_, n) => `${n} Cord Rd`).join('\n')}\n`,
      ),
    );
    const id = Number(sent.json()['ImportFileID']);
    const file = await eventually(
      'the import has ended',
      async () => {
        const [row] = await test.platform.store.query<{ status: string; successcount: number }>(
          `select status, successcount from importfile where importfileid = $1::bigint
              and importcomplete is not null`,
          [id],
        );
        return row;
      },
      60_000,
    );
    gate = () => undefined;
    assert.ok(cut);
    assert.deepEqual([file.status, file.successcount], ['Complete', rows]);
    assert.equal(await count(`address collate "C" like '% Cord Rd'`), rows);
    // All connections of the pool are used at once, so that later tests find none that was cut.
    await eventually('the pool has replaced its connections', async () => {
      const used = Array.from({ length: 30 }, () => test.platform.store.query('select pg_sleep(0.01)'));
      return (await Promise.allSettled(used)).every(({ status }) => status === 'fulfilled') || undefined;
    });
  });

  it('is given up with a message after repeated attempts without progress', async () => {
    const id = Number(
      ok(
        await send(admin, await template({ ImportEngine: 'BrokenEngine', Async: true }), 'Address\n1 Broken Rd\n'),
      ).json()['ImportFileID'],
    );
    const file = await eventually(
      'the run is given up',
      async () => {
        await admin.get(`/api/importfile/import?ID=${id}`);
        const found = await fileOf(id);
        return found['Status'] === 'Error' ? found : undefined;
      },
      30_000,
    );
    assert.match(String(file['Message']), /started 5 times at the same row/);
  });

  it('whose process died is stopped at once, with its counts', async () => {
    const id = resultsOf(ok(await send(admin, await template(), 'Address\n1 Dead Rd\n2 Dead Rd\n'))).ID;
    await test.platform.store.query(
      `update importfile set status = 'Importing', importcomplete = null, successcount = 0
       where importfileid = ${id}::bigint`,
    );
    await test.platform.store.query("update importrun set activedate = activedate - interval '61 s'");
    assert.equal(ok(await admin.post(`/api/importfile/stop?Output=Json&ID=${id}`)).json()['Status'], 'Stopped');
    assert.equal((await fileOf(id))['SuccessCount'], 2);
    ok(await admin.post(`/api/importfile/resume?ID=${id}`));
    assert.equal((await ended(id))['Status'], 'Complete');
    assert.equal(await count("address in ('1 Dead Rd', '2 Dead Rd')"), 2);
  });

  it("of a firm is stopped by the firm's users, and by no other firm's", async () => {
    const [own, other] = [await test.firm('Stopping Law'), await test.firm('Other Stopping Law')];
    const name = await template({ ExtranetEnabled: 'Self' });
    const id = resultsOf(ok(await send(admin, name, 'Address\n1 Firm Rd\n'))).ID;
    await test.platform.store.query(
      `update importfile set status = 'Queued', importcomplete = null, organizationid = $2::bigint
       where importfileid = $1::bigint`,
      [id, own.organizationId],
    );
    assert.equal((await other.caller.post(`/api/importfile/stop?ID=${id}`)).status, 404);
    assert.equal(ok(await own.caller.post(`/api/importfile/stop?Output=Json&ID=${id}`)).json()['Status'], 'Stopped');
  });

  it('is picked up by housekeeping if nobody works on it, and left alone while it is at work', async () => {
    const { clock } = test.platform;
    const id = resultsOf(ok(await send(admin, await template(), 'Address\n1 Orphan Rd\n'))).ID;
    await test.platform.store.query(
      "update importfile set status = 'Importing', importcomplete = null where importfileid = $1::bigint",
      [id],
    );
    assert.equal(await requeueAbandonedImports.run(test.platform), 0, 'it was active a moment ago');
    await test.platform.store.query(
      'update importrun set activedate = $2::timestamptz where importfileid = $1::bigint',
      [id, new Date(clock.milliseconds() - 11 * 60_000).toISOString()],
    );
    assert.equal(await requeueAbandonedImports.run(test.platform), 1);
    assert.equal(await requeueAbandonedImports.run(test.platform), 0, 'once');
    assert.equal((await ended(id))['Status'], 'Complete');
    assert.equal(await count("address = '1 Orphan Rd'"), 1);
  });

  it('is taken over by a second delivery, after which the first one stores nothing', async () => {
    const reached = Promise.withResolvers<undefined>();
    const go = Promise.withResolvers<undefined>();
    let waits = true;
    gate = async (rows) => {
      if (!waits || rows !== 70) return;
      waits = false;
      reached.resolve(undefined);
      await go.promise;
    };
    const name = await template({ ImportEngine: 'GatedEngine' });
    const first = send(admin, name, `Address\n${Array.from({ length: 200 }, (_, n) => `${n} Twice Rd`).join('\n')}\n`);
    await reached.promise;
    const [{ id } = { id: 0 }] = await test.platform.store.query<{ id: number }>(
      "select max(importfileid) as id from importfile where status = 'Importing'",
    );
    const second = ok(await admin.get(`/api/importfile/import?Output=Json&ID=${id}`));
    assert.equal(second.json()['Status'], 'Complete');
    go.resolve(undefined);
    assert.equal(resultsOf(ok(await first)).SuccessCount, 200, 'the first caller gets the result');
    assert.equal(await count(`address collate "C" like '% Twice Rd'`), 200);
  });
});

describe('templates', () => {
  it('IMP-06 detecttemplate returns every template whose engine recognizes the document', async () => {
    const fits = await template({}, [{ ImportFileMap: 'Detected', Destination: 'Address' }]);
    const alsoFits = await template({}, [{ ImportFileMap: 'Town', Destination: 'City' }]);
    await template({}, [{ ImportFileMap: 'Absent', Destination: 'City' }]);
    const { ID } = resultsOf(await send(admin, await template(), 'Address\n70 Oak\n'));
    const document = ok(
      await admin.post('/api/attachment/save?Output=Json', {
        Object: 'ImportFile',
        ObjectID: ID,
        FileName: 'x.csv',
        Content: Buffer.from('Detected,Town\n1,2\n').toString('base64'),
      }),
    ).json();
    const found = ok(
      await admin.get(
        `/api/importfiletemplate/detecttemplate?Output=Json&AttachmentID=${String(document['AttachmentID'])}`,
      ),
    ).json() as unknown as {
      ImportFileTemplateCollection: { ImportFileTemplateItem: { ImportFileTemplate: string }[] };
    };
    const names = found.ImportFileTemplateCollection.ImportFileTemplateItem.map((t) => t.ImportFileTemplate);
    assert.ok(names.includes(fits) && names.includes(alsoFits), names.join());
    assert.equal(names.filter((n) => n.startsWith('Pipeline')).length, 2);
  });

  it('errors of a template are reported when it is saved', async () => {
    const refused = async (fields: object, words: RegExp): Promise<void> => {
      const answer = await admin.post('/api/importfiletemplate/save', {
        ImportFileTemplate: `Wrong ${++made}`,
        ImportEngine: 'LinesEngine',
        ...fields,
      });
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.text, words);
    };
    await refused({ ImportEngine: 'NoEngine' }, /ImportEngine: expected one of .*LinesEngine/);
    await refused({ AppliesTo: 'Propertyy' }, /AppliesTo: no record type has this name. Did you mean Property/);
    await refused({ ParameterString: 'ClassName=Propertyy' }, /ClassName: no record type has this name/);
    await refused({ ParameterString: 'Slwo=1' }, /has no option Slwo. Did you mean Slow/);
    await refused({ FailureThreshold: 'many' }, /FailureThreshold: expected a count of rows/);
    await refused({ ImportOperationsAllowed: 8 }, /ImportOperationsAllowed/);
    await refused({ Schema: '<not-a-schema/>' }, /Schema: not a usable XML Schema/);
    await refused(
      { ResultMethod: 'ImportLog/Serach?ImportFileID={ImportFileID}' },
      /ResultMethod: there is no operation/,
    );
    const id = Number(
      ok(
        await admin.post('/api/importfiletemplate/save?Output=Json', {
          ImportFileTemplate: 'Right',
          ImportEngine: 'LinesEngine',
        }),
      ).json()['ImportFileTemplateID'],
    );
    for (const [map, words] of [
      [{ ImportFileMapType: 'Pivot', ImportFileMap: 'a', Destination: 'b' }, /one of Column, Key, Constant, Ignore/],
      [{ ImportFileMap: 'a' }, /Destination is required/],
      [{ ImportFileMap: 'a', Destination: 'b', Translation: 'nothing' }, /Old=New on each line/],
      [{ ImportFileMap: 'a', Destination: 'b', DataType: 'Pi' }, /DataType/],
    ] as const) {
      const answer = await admin.post('/api/importfilemap/save', { ImportFileTemplateID: id, ...map });
      assert.equal(answer.status, 400);
      assert.match(answer.text, words);
    }
  });

  it('IMP-14 a map to an unknown field is reported when the template is saved, and is stored nevertheless', async () => {
    const of = ok(
      await admin.post('/api/importfiletemplate/save?Output=Json', {
        ImportFileTemplate: 'Unknown field',
        AppliesTo: 'Property',
        ImportEngine: 'DelimitedEngine',
      }),
    );
    const id = Number(of.json()['ImportFileTemplateID']);
    const printed = async (map: Record<string, unknown>): Promise<string> =>
      JSON.stringify(
        ok(await admin.post('/api/importfilemap/save?Output=Json', { ImportFileTemplateID: id, ...map })).json()[
          'Alerts'
        ] ?? [],
      );
    assert.match(
      await printed({ ImportFileMap: 'Street', Destination: 'Adress' }),
      /UNKNOWN_FIELD.*Destination: Adress: Property has no such field.*Did you mean Address/,
    );
    assert.match(await printed({ ImportFileMap: 'Town', Destination: 'Property_Cty' }), /UNKNOWN_FIELD/);
    for (const Destination of ['Address', 'ID', 'SubscriberID', 'Property_City'])
      assert.equal(await printed({ ImportFileMap: 'Any', Destination }), '[]', Destination);
    assert.match(
      await printed({ ImportFileMap: 'Town', Destination: 'City', ImportFileMapType: 'Key' }),
      /NO_INDEX.*Property has no index on City/,
    );
    assert.equal(await printed({ ImportFileMap: 'Number', Destination: 'PropertyID', ImportFileMapType: 'Key' }), '[]');
  });

  it('IMP-03 IMP-14 preview warns of each map to an unknown field', async () => {
    const name = await template({ ImportEngine: 'DelimitedEngine' }, [
      { ImportFileMap: 'Street', Destination: 'Address' },
      { ImportFileMap: 'Town', Destination: 'Cty' },
    ]);
    const sent = resultsOf(await send(admin, name, 'Street,Town\n7 Elm Way,Troy\n'));
    const preview = ok(await admin.get(`/api/importfile/preview?Output=Json&ID=${sent.ID}`)).json();
    assert.match(JSON.stringify(preview['Alerts']), /UNKNOWN_FIELD.*Destination: Cty: Property has no such field/);
    assert.doesNotMatch(JSON.stringify(preview['Alerts']), /Address:/);
  });

  it("another firm's import file is not found", async () => {
    const { ID } = resultsOf(await send(admin, await template(), 'Address\n80 Oak\n'));
    const { caller } = await test.firm('Otherfirm Law');
    for (const operation of ['importresults', 'progress', 'corrections', 'import'])
      assert.equal((await caller.get(`/api/importfile/${operation}?ID=${ID}`)).status, 404, operation);
  });
});
