import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { valueSqlType, valueSql } from '../../../src/kernel/database/sql.ts';
import { maintainCustomFieldIndexes } from '../../../src/modules/records/customfield/lib/indexes.ts';
import { runTask } from '../../../src/surfaces/scheduler/scheduler.ts';
import { expectOk, type Row } from '../../support/client.ts';
import { moments } from '../../support/moments.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';
import { testSession } from '../../support/pages/session.ts';

const p = await testPlatform({ after });
const moment = moments(p.platform);
const save = (module: string, body: object, caller: Caller = p.admin): Promise<Row> =>
  expectOk(caller.post(`/api/${module}/save?Output=Json`, body));
const trySave = (module: string, body: object, caller: Caller = p.admin): Promise<TestAnswer> =>
  caller.post(`/api/${module}/save?Output=Json`, body);
const select = (module: string, id: unknown, caller: Caller = p.admin): Promise<Row> =>
  expectOk(caller.get(`/api/${module}/select/${String(id)}?Output=Json`));
const remove = (module: string, id: unknown): Promise<Row> =>
  expectOk(p.admin.post(`/api/${module}/delete/${String(id)}?Output=Json`));
const errorOf = (answer: TestAnswer): Row => (answer.json() as never as { Error: Row }).Error;
const alertsOf = (answer: Row): string => JSON.stringify(answer['Alerts'] ?? []);

async function found(module: string, query: string, caller: Caller = p.admin): Promise<Row[]> {
  const body = await expectOk(caller.get(`/api/${module}/search?Output=Json&${query}`));
  return Object.values(Object.values(body)[0] as Record<string, Row[]>)[0] ?? [];
}

/** Creates a field; each test uses names of its own, so that tests do not interfere. */
const field = (appliesTo: string, name: string, kind: string, more: object = {}): Promise<Row> =>
  save('customfield', { AppliesTo: appliesTo, CustomField: name, Kind: kind, ...more });

await field('Property', 'Nickname', 'Text', { Max: 20, Label: 'Called at home' });
await field('Property', 'Floors', 'Integer');
await field('Property', 'Ratio', 'Decimal');
await field('Property', 'Appraised', 'Money');
await field('Property', 'Inspected', 'Date');
await field('Property', 'SeenAt', 'Timestamp');
await field('Property', 'Vacant', 'Boolean');
await field('Property', 'Roof', 'Choice', { Values: 'Slate\nTile\r\nThatch, old\n', Classification: 'Personal' });

const whole = {
  Nickname: 'Ärmel',
  Floors: 3,
  Ratio: '0.000000000000000001',
  Appraised: '123456789012345.6789',
  Inspected: '2024-02-29',
  SeenAt: '2024-02-29T12:00:00.123Z',
  Vacant: true,
  Roof: 'Thatch, old',
};
const shown = (row: Row): Row => Object.fromEntries(Object.keys(whole).map((name) => [name, row[name]]));

describe('a custom field is a field', () => {
  it('KRN-11 KRN-32 every kind is saved under its name, and read back exactly in JSON, XML, CSV and HTML', async () => {
    const { PropertyID: id } = await save('property', { City: 'kinds', ...whole, Roof: 'THATCH, OLD' });
    const text = (await p.admin.get(`/api/property/select/${String(id)}?Output=Json`)).text;
    assert.match(text, /"Appraised":123456789012345\.6789,/);
    assert.match(text, /"Ratio":0\.000000000000000001,/);
    const row = await select('property', id);
    assert.deepEqual({ ...shown(row), Appraised: whole.Appraised, Ratio: whole.Ratio }, whole);
    const xml = await p.admin.get(`/api/property/select/${String(id)}`);
    assert.match(
      xml.text,
      new RegExp(
        [
          '<Nickname>Ärmel</Nickname><Floors>3</Floors><Ratio>0\\.000000000000000001</Ratio>',
          '<Appraised>123456789012345\\.6789</Appraised><Inspected>2024-02-29</Inspected>',
          '<SeenAt>2024-02-29T12:00:00\\.123Z</SeenAt><Vacant>true</Vacant><Roof>Thatch, old</Roof><CreatedDate>',
        ].join(''),
      ),
    );
    const csv = await p.admin.get(
      `/api/property/search?Output=Csv&ID=${String(id)}&SqlColumns=Nickname,Appraised,Roof`,
    );
    assert.equal(
      csv.text,
      'Nickname,Appraised,Roof,RecordCount,RecordCountIsEstimate\r\nÄrmel,123456789012345.6789,"Thatch, old",1,\r\n',
    );
    assert.match((await p.admin.get(`/api/property/select/${String(id)}?Output=Html`)).text, /Ärmel/);
    assert.match((await p.admin.get(`/api/property/summary/${String(id)}`)).text, /<Nickname>Ärmel<\/Nickname>/);
  });

  it('KRN-11 a value of another kind is refused with the name of the field, and nothing is stored', async () => {
    const wrong = {
      Nickname: 'x'.repeat(21),
      Floors: '3.5',
      Ratio: 'much',
      Appraised: '1.23456',
      Inspected: '2023-02-29',
      SeenAt: 'noon',
      Vacant: 'perhaps',
      Roof: 'Straw',
    };
    for (const [name, value] of Object.entries(wrong)) {
      const answer = await trySave('property', { City: 'refused', [name]: value });
      assert.equal(answer.status, 400, name);
      assert.deepEqual([errorOf(answer)['Code'], errorOf(answer)['Field']], ['BAD_PARAMETER', name]);
    }
    assert.deepEqual(await found('property', 'City=refused'), []);
    const unknown = await trySave('property', { Nikname: 'x' });
    assert.match(String(errorOf(unknown)['Message']), /Did you mean Nickname/);
  });

  it('KRN-11 an update changes only the submitted fields; an empty value removes the field, and the last one removes the document', async () => {
    const { PropertyID: id } = await save('property', { Nickname: 'a', Floors: 1 });
    await save('property', { ID: id, Floors: 2 });
    assert.deepEqual([(await select('property', id))['Nickname'], (await select('property', id))['Floors']], ['a', 2]);
    await save('property', { ID: id, Nickname: '' });
    assert.equal((await select('property', id))['Nickname'], undefined);
    await save('property', { ID: id, Floors: null });
    const [stored] = await p.platform.store.query('select custom from property where propertyid = $1::bigint', [id]);
    assert.deepEqual(stored, { custom: null });
  });

  it('KRN-11 the version protects a custom field like a column, and a conflict names the field', async () => {
    const { PropertyID: id, Version } = await save('property', { Floors: 1 });
    await save('property', { ID: id, Floors: 5, Version });
    const refused = await trySave('property', { ID: id, Floors: 6, Nickname: 'late', Version });
    assert.equal(refused.status, 409);
    assert.deepEqual((errorOf(refused)['Fields'] as string[]).toSorted(), ['Floors', 'Nickname']);
    assert.equal((await select('property', id))['Floors'], 5);
  });

  it('KRN-11 concurrent callers that change different custom fields of one record do not overwrite each other', async () => {
    const { PropertyID: id } = await save('property', { City: 'many hands' });
    const parts = Object.entries(whole);
    await Promise.all(parts.map(([name, value]) => save('property', { ID: id, [name]: value })));
    const row = await select('property', id);
    assert.deepEqual({ ...shown(row), Appraised: whole.Appraised, Ratio: whole.Ratio }, whole);
    assert.equal(row['Version'], 1 + parts.length);
  });

  it('KRN-09 KRN-25 custom fields are saved with a linked record and with nested children, and returned in a summary', async () => {
    await field('ContactMethod', 'Reliable', 'Boolean');
    const { LoanID: id } = await save('loan', { Loan: '900100', Property_Nickname: 'Linked', Property_Floors: 7 });
    const loan = (await p.admin.get(`/api/loan/summary/${String(id)}`)).text;
    assert.match(loan, /<Property>.*<Nickname>Linked<\/Nickname><Floors>7<\/Floors>/s);
    const { ContactID } = await save('contact', {
      LastName: 'Nested',
      Methods: [{ ContactValue: '1', Reliable: true }, { ContactValue: '2' }],
    });
    assert.match(
      (await p.admin.get(`/api/contact/summary/${String(ContactID)}`)).text,
      /<ContactValue>1<\/ContactValue><Reliable>true<\/Reliable>/,
    );
  });
});

describe('searches by custom fields', async () => {
  const mark = 'searched';
  const amounts = ['-5', '0.5', '10', '999.9999', '1000', null];
  for (const [n, amount] of amounts.entries()) {
    await save('property', {
      City: mark,
      Address: String(n),
      Nickname: ['Émile', 'emile', 'Zoe*', 'b_c', 'null', ''][n] ?? '',
      Floors: n === 5 ? '' : n * 7,
      Appraised: amount ?? '',
      Inspected: n === 5 ? '' : `2024-0${n + 1}-15`,
      SeenAt: n === 5 ? '' : `2024-03-1${n}T23:30:00Z`,
      Vacant: n === 5 ? '' : n % 2 === 0,
      Roof: ['Slate', 'Slate', 'Tile', 'Tile', 'Tile', ''][n] ?? 'Tile',
    });
  }
  const which = async (query: string): Promise<string> =>
    (await found('property', `City=${mark}&SqlColumns=Address&OrderBy=Address&${query}`))
      .map((row) => row['Address'])
      .join('');

  const cases: readonly (readonly [string, string])[] = [
    ['Nickname=EMILE', '01'],
    ['Nickname=%C3%A9m*', '01'],
    ['Nickname="Zoe*"', '2'],
    ['Nickname=b_c', '3'],
    ['Nickname="null"', '4'],
    ['Nickname=null', '5'],
    ['Nickname=not null', '01234'],
    ['Nickname=not emile', '2345'],
    ['Nickname=emile&Nickname=b_c', '013'],
    ['Floors=7', '1'],
    ['Floors>=14', '234'],
    ['Floors=0, 28', '04'],
    ['Floors=7-21', '123'],
    ['Floors=null', '5'],
    ['Floors=<>7', '02345'],
    ['Floors>=7&Floors<=14', '12'],
    ['Appraised<=1', '01'],
    ['Appraised=1,000', '4'],
    ['Appraised=10-999.9999', '23'],
    ['Appraised=not null', '01234'],
    ['Appraised>999', '34'],
    ['Inspected=2024-02-15', '1'],
    ['Inspected>=2024-04-01', '34'],
    ['Inspected=2024-01-01 - 2024-03-31', '012'],
    ['Inspected=null', '5'],
    ['SeenAt=2024-03-12', '2'],
    ['SeenAt=2024-03-12T23:30:00Z', '2'],
    ['SeenAt=2024-03-12T23:30:01Z', ''],
    ['SeenAt>=2024-03-12', '234'],
    ['SeenAt<=2024-03-11', '01'],
    ['Vacant=true', '024'],
    ['Vacant=no', '13'],
    ['Vacant=null', '5'],
    ['Roof=slate', '01'],
    ['Roof=T*', '234'],
  ];
  for (const [query, expected] of cases) {
    it(`KRN-11 ${query}`, async () => assert.equal(await which(query), expected));
  }

  it("KRN-11 results sort by the order of the field's kind, in both directions, with empty values last", async () => {
    const sorted = async (by: string): Promise<string> =>
      (await found('property', `City=${mark}&SqlColumns=Address&OrderBy=${by}`)).map((row) => row['Address']).join('');
    assert.equal(await sorted('Appraised'), '012345');
    assert.equal(await sorted('-Appraised'), '432105');
    assert.equal(await sorted('-Floors'), '432105');
    assert.equal(await sorted('Nickname,-Floors'), '310425');
    assert.equal(await sorted('-SeenAt'), '432105');
    assert.equal(await sorted('-Inspected'), '432105');
    assert.equal(await sorted('Vacant,Floors'), '130245');
  });

  it('KRN-11 a filter of another kind is refused, and SQL in a filter is treated as a value', async () => {
    assert.equal((await p.admin.get('/api/property/search?Floors=many&Output=Json')).status, 400);
    assert.equal(await which(`Nickname=${encodeURIComponent("' or 1=1 --")}`), '');
  });
});

describe('the history of custom fields', () => {
  it('KRN-20 has one row for each changed field, with old and new value, and no other rows', async () => {
    const { PropertyID: id } = await save('property', { Nickname: 'one', Floors: 1, Appraised: '0.1000' });
    await save('property', { ID: id, Nickname: 'two', City: 'Here' });
    await save('property', { ID: id, Floors: '', Appraised: '123456789012345.6789' });
    const body = await expectOk(p.admin.get(`/api/property/history/${String(id)}?Output=Json`));
    const rows = (Object.values(body)[0] as Record<string, Row[]>)['HistoryItem'] ?? [];
    assert.deepEqual(rows.map(({ Field, OldValue, NewValue }) => [Field, OldValue, NewValue].join(' ')).sort(), [
      'Appraised 0.1 123456789012345.6789',
      'City  Here',
      'Floors 1 ',
      'Nickname one two',
      'Property  Here',
    ]);
  });

  it('KRN-20 covers them when a record is read as of an instant, deleted and undeleted, and a single field can be rolled back', async () => {
    const { PropertyID: id } = await save('property', { ...whole });
    const first = await select('property', id);
    const then = await moment();
    const answer = await p.admin.post('/api/property/save?Output=Json', { ID: id, Nickname: 'changed', Vacant: '' });
    const call = answer.headers.get('x-correlation-id') ?? '';
    await save('property', { ID: id, Floors: 9 });
    const was = await expectOk(
      p.admin.get(`/api/property/asof/${String(id)}?Output=Json&At=${encodeURIComponent(then)}`),
    );
    assert.deepEqual(Object.values(was)[0], first);
    const undone = await expectOk(p.admin.post(`/api/property/rollback/${String(id)}?Output=Json`, { CallID: call }));
    const fields = ((Object.values(undone)[0] as Record<string, Row[]>)['RollbackItem'] ?? []).map((row) =>
      String(row['Field']),
    );
    assert.deepEqual(fields.sort(), ['Nickname', 'Vacant']);
    const now = await select('property', id);
    assert.deepEqual([now['Nickname'], now['Vacant'], now['Floors']], ['Ärmel', true, 9]);
    await save('property', { ID: id, Nickname: 'again' });
    const clash = await p.admin.post(`/api/property/rollback/${String(id)}?Output=Json`, { CallID: call });
    assert.equal(clash.status, 422, clash.text);
    assert.match(clash.text, /Nickname was changed again/);
    const before = await select('property', id);
    await remove('property', id);
    await expectOk(p.admin.post(`/api/property/undelete/${String(id)}?Output=Json`));
    assert.deepEqual(shown(await select('property', id)), shown(before));
  });
});

describe('access to custom fields', () => {
  it("KRN-18 a firm saves and searches them on its own records, and cannot find another firm's records by them", async () => {
    await field('Message', 'Tone', 'Text');
    await save('role', {
      Role: 'Writer',
      Permissions: 'MessageSave,MessageSearch,CustomFieldSave',
      UniversalAccess: false,
    });
    const [alpha, beta] = [await p.firm('Alpha', 'Writer'), await p.firm('Beta', 'Writer')];
    await save(
      'message',
      { Object: 'Organization', ObjectID: alpha.organizationId, Message: 'a', Tone: 'calm' },
      alpha.caller,
    );
    assert.deepEqual(
      (await found('message', 'Tone=CALM', alpha.caller)).map((row) => row['Tone']),
      ['calm'],
    );
    assert.deepEqual(await found('message', 'Tone=*', beta.caller), []);
    assert.equal(
      (await trySave('customfield', { AppliesTo: 'Message', CustomField: 'Mine', Kind: 'Text' }, alpha.caller)).status,
      403,
    );
  });

  it('KRN-17 staff can read but not change the declarations; each change is in the security log', async () => {
    const staff = (await p.user('staff of fields', 'Staff')).caller;
    assert.ok((await found('customfield', 'AppliesTo=Property', staff)).length >= 8);
    for (const operation of ['save', 'insert', 'update', 'delete', 'undelete', 'rollback', 'import'])
      assert.equal((await staff.post(`/api/customfield/${operation}`, { ID: 1 })).status, 403, operation);
    const [{ CustomFieldID } = {}] = await found('customfield', 'CustomField=Roof');
    const logged = await p.platform.store.query<{ detail: string }>(
      `select detail from securitylog where securitylog = 'CustomFieldChanged' and objectid = $1::bigint`,
      [CustomFieldID],
    );
    assert.deepEqual(
      logged.map(({ detail }) => detail),
      ['Property.Roof'],
    );
  });

  it('KRN-14 KRN-18 a saved query reads them in the column Custom, limited to what its caller can access', async () => {
    await save('role', { Role: 'Reached', Permissions: '*', UniversalAccess: false });
    const gamma = await p.firm('Gamma', 'Reached');
    await save(
      'message',
      { Object: 'Organization', ObjectID: gamma.organizationId, Message: 'g', Tone: 'loud' },
      gamma.caller,
    );
    await save('statement', {
      ClassName: 'Message',
      Statement: 'Tones',
      Query: `select custom ->> 'Tone' as "Tone" from message where custom ->> 'Tone' is not null order by 1`,
    });
    const tones = async (caller: Caller): Promise<string> =>
      JSON.stringify(Object.values(await expectOk(caller.get('/api/message/tones?Output=Json')))[0]);
    assert.equal(await tones(gamma.caller), '{"TonesItem":[{"Tone":"loud"}]}');
    assert.match(await tones(p.admin), /calm.*loud/);
  });
});

describe('custom fields on pages', () => {
  it('WEB-01 are shown under their label in the form, the page and the list of a record, and saved by the form', async () => {
    await p.user('clerk', 'Staff');
    const session = await testSession(p, 'clerk');
    const { PropertyID: id } = await save('property', {
      City: 'paged',
      Nickname: 'Old name',
      Roof: 'Tile',
      Vacant: false,
    });
    const form = (await session.get(`/records/property/${String(id)}/edit`)).text;
    assert.match(form, /<label class="field-label" for="f-Nickname">Called at home<\/label>/);
    assert.match(form, /<option value="Thatch, old">/);
    const saved = await session.post(`/records/property/${String(id)}/edit`, {
      Version: '1',
      Nickname: 'New name',
      'before.Nickname': 'Old name',
      Vacant: 'true',
      'before.Vacant': 'false',
    });
    assert.equal(saved.location, `/records/property/${String(id)}?done=saved`);
    const page = (await session.get(`/records/property/${String(id)}`)).text;
    assert.match(page, /Called at home<\/dt><dd><span class="text">New name/);
    const list = (await session.get('/records/property?Nickname=new+name&Columns=Property,Nickname')).text;
    assert.match(list, /Called at home<\/a><\/th>.*New name/s);
  });
});

describe('custom fields as configuration', () => {
  it('a name that already has a meaning is refused, on the type itself and on derived types', async () => {
    const taken: readonly (readonly [string, string])[] = [
      ['Loan', 'UPBAmount'],
      ['Loan', 'upbamount'],
      ['Loan', 'LoanID'],
      ['Loan', 'Property'],
      ['Loan', 'PropertySubscriberID'],
      ['Loan', 'OrderBy'],
      ['Loan', 'output'],
      ['Loan', 'QueueName'],
      ['Loan', 'Version'],
      ['Loan', 'Custom'],
      ['Loan', 'Alerts'],
      ['Loan', 'Borrowers'],
      ['Contact', 'Website'],
      ['Contact', 'Methods'],
      ['Contact', 'ParentLoan'],
      ['Process', 'Foreclosure'],
      ['Message', 'Subject'],
      ['Message', 'Template'],
      ['Message', 'MessageTemplate'],
      ['Property', 'NICKNAME'],
      ['Loan', 'NextCursor'],
    ];
    for (const [AppliesTo, CustomField] of taken) {
      const answer = await trySave('customfield', { AppliesTo, CustomField, Kind: 'Text' });
      assert.equal(errorOf(answer)['Code'], 'DUPLICATE_KEY', `${AppliesTo}.${CustomField}: ${answer.text}`);
    }
    for (const CustomField of [
      'has space',
      '1st',
      'a_b',
      "x'; drop",
      'xmlData',
      'Größe',
      'a'.repeat(61),
      '__proto__',
      'a-b',
    ])
      assert.equal(
        (await trySave('customfield', { AppliesTo: 'Loan', CustomField, Kind: 'Text' })).status,
        400,
        CustomField,
      );
    for (const AppliesTo of ['Role', 'MessageTemplate', 'ImportLog', 'CustomField', 'Nothing'])
      assert.equal(
        errorOf(await trySave('customfield', { AppliesTo, CustomField: 'Fine', Kind: 'Text' }))['Field'],
        'AppliesTo',
        AppliesTo,
      );
    assert.equal((await found('customfield', 'AppliesTo=Loan')).length, 0);
  });

  it('an invalid declaration is refused with the name of what is wrong in it', async () => {
    const wrong: readonly (readonly [object, string])[] = [
      [{}, 'Kind'],
      [{ Kind: 'Blob' }, 'Kind'],
      [{ Kind: 'Choice' }, 'Values'],
      [{ Kind: 'Choice', Values: 'a\nA' }, 'Values'],
      [{ Kind: 'Integer', Max: 5 }, 'Max'],
      [{ Kind: 'Text', Max: 0 }, 'Max'],
      [{ Kind: 'Text', Max: 10_001 }, 'Max'],
      [{ Kind: 'Text', Max: 501, IsIndexed: true }, 'IsIndexed'],
      [{ Kind: 'Date', Values: 'x' }, 'Values'],
    ];
    for (const [more, name] of wrong)
      assert.equal(
        errorOf(await trySave('customfield', { AppliesTo: 'Loan', CustomField: 'Odd', ...more }))['Field'],
        name,
        JSON.stringify(more),
      );
  });

  it('KRN-11 a field of a base type is a field of its derived types, but not the other way round', async () => {
    await field('Process', 'Judge', 'Text');
    await field('Foreclosure', 'Auctioneer', 'Text');
    const { LoanID } = await save('loan', { Loan: '900200' });
    const { ForeclosureID: id } = await save('foreclosure', { LoanID, Judge: 'Dredd', Auctioneer: 'Going' });
    assert.equal((await select('process', id))['Judge'], 'Dredd');
    assert.equal((await select('process', id))['Auctioneer'], undefined);
    assert.equal((await found('foreclosure', 'Judge=dredd&Auctioneer=going')).length, 1);
    assert.equal((await found('process', 'Judge=dredd')).length, 1);
    assert.equal((await p.admin.get('/api/process/search?Auctioneer=Going')).status, 400);
    // Saving it as the base type changes the record as its own type.
    const saved = await save('process', { ID: id, Judge: 'Anderson' });
    assert.equal(saved['Judge'], 'Anderson');
    const row = await select('foreclosure', id);
    assert.deepEqual([row['Judge'], row['Auctioneer']], ['Anderson', 'Going']);
    assert.equal(
      (await trySave('customfield', { AppliesTo: 'Process', CustomField: 'auctioneer', Kind: 'Text' })).status,
      409,
    );
  });

  it('of two callers that create the same name at once, on a type and on its base, one succeeds', async () => {
    const answers = await Promise.all(
      ['Process', 'Foreclosure', 'Process', 'Foreclosure'].map((AppliesTo) =>
        trySave('customfield', { AppliesTo, CustomField: 'Contested', Kind: 'Text' }),
      ),
    );
    assert.deepEqual(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [200, 409, 409, 409],
    );
  });

  it('KRN-11 a required field is demanded of a new record, cannot be cleared, and leaves older records unchanged', async () => {
    const { LoanID: older } = await save('loan', { Loan: '900300' });
    const { CustomFieldID } = await field('Loan', 'Pool', 'Text', {
      Required: true,
      Description: 'The pool of the loan.',
    });
    const missing = await trySave('loan', { Loan: '900301' });
    assert.deepEqual(
      [errorOf(missing)['Code'], errorOf(missing)['Field'], errorOf(missing)['Message']],
      ['MISSING_PARAMETER', 'Pool', 'Pool is required. The pool of the loan.'],
    );
    await save('loan', { ID: older, ServicerLoanID: 'still' });
    const { LoanID: id } = await save('loan', { Loan: '900302', Pool: 'P' });
    const emptied = await trySave('loan', { ID: id, Pool: '' });
    assert.deepEqual([errorOf(emptied)['Code'], errorOf(emptied)['Field']], ['MISSING_PARAMETER', 'Pool']);
    await save('customfield', { ID: CustomFieldID, Required: false });
    await save('loan', { ID: id, Pool: '' });
  });

  it('a renamed field keeps its values and reports how many; they are saved, searched and listed in history under the new name', async () => {
    const { CustomFieldID } = await field('Loan', 'Tranche', 'Text');
    const { LoanID: id } = await save('loan', { Loan: '900400', Tranche: 'A' });
    const renamed = await save('customfield', { ID: CustomFieldID, CustomField: 'Slice' });
    assert.match(
      alertsOf(renamed),
      /VALUES_KEPT.*1 Loan records have values of Tranche; they remain stored under the new name Slice/,
    );
    assert.equal((await trySave('loan', { ID: id, Tranche: 'B' })).status, 400);
    await save('loan', { ID: id, Slice: 'B' });
    assert.equal((await found('loan', 'Slice=b')).length, 1);
    assert.match(
      JSON.stringify(await expectOk(p.admin.get(`/api/loan/history/${String(id)}?Output=Json`))),
      /"Field":"Slice","OldValue":"A","NewValue":"B"/,
    );
    const taken = await trySave('customfield', { AppliesTo: 'Loan', CustomField: 'Tranche', Kind: 'Integer' });
    assert.match(taken.text, /the values of Slice, which was created as Tranche, are stored under this name/);
  });

  it('a field that is deactivated or deleted keeps its values, reports how many, and shows them again when restored', async () => {
    const { CustomFieldID } = await field('Loan', 'Grade', 'Integer');
    const { LoanID: id } = await save('loan', { Loan: '900500', Grade: 7 });
    assert.match(
      alertsOf(await save('customfield', { ID: CustomFieldID, IsActive: false })),
      /1 Loan records have values of Grade; they remain stored/,
    );
    assert.equal((await select('loan', id))['Grade'], undefined);
    assert.equal((await trySave('loan', { ID: id, Grade: 8 })).status, 400);
    await save('loan', { ID: id, ServicerLoanID: 'beside' });
    await save('customfield', { ID: CustomFieldID, IsActive: true });
    assert.equal((await select('loan', id))['Grade'], 7);
    await save('loan', { ID: id, Grade: 8 });
    assert.match(alertsOf(await remove('customfield', CustomFieldID)), /1 Loan records have values of Grade/);
    assert.match(
      JSON.stringify(await expectOk(p.admin.get(`/api/loan/history/${String(id)}?Output=Json`))),
      /"Field":"Grade","OldValue":"7","NewValue":"8"/,
    );
    const refused = await trySave('customfield', { AppliesTo: 'Loan', CustomField: 'Grade', Kind: 'Date' });
    assert.deepEqual([errorOf(refused)['Code'], errorOf(refused)['Count']], ['STATE_REFUSES', '1']);
    await expectOk(p.admin.post(`/api/customfield/undelete/${String(CustomFieldID)}?Output=Json`));
    assert.equal((await select('loan', id))['Grade'], 8);
    await remove('customfield', CustomFieldID);
    assert.match(
      alertsOf(await field('Loan', 'Grade', 'Text')),
      /1 Loan records have values of an earlier field Grade/,
    );
    assert.equal((await select('loan', id))['Grade'], '8');
  });

  it('another kind, a shorter text or fewer choices are refused, with a count, while stored values do not fit, and accepted once they do', async () => {
    const { CustomFieldID } = await field('Loan', 'Loose', 'Text');
    const values = [
      '5',
      '12.5',
      '2024-02-29',
      'Slate',
      'true',
      '2147483648',
      '2023-02-29',
      '12.12345',
      '2024-02-29T23:59:59.000Z',
    ];
    const ids: unknown[] = [];
    for (const Loose of values) ids.push((await save('loan', { Loan: `9006${ids.length}`, Loose }))['LoanID']);
    const misfits: readonly (readonly [object, number])[] = [
      [{ Kind: 'Integer' }, 8],
      [{ Kind: 'Decimal' }, 5],
      [{ Kind: 'Money' }, 6],
      [{ Kind: 'Date' }, 8],
      [{ Kind: 'Timestamp' }, 8],
      [{ Kind: 'Boolean' }, 8],
      [{ Kind: 'Choice', Values: 'slate\ntrue\n5' }, 7],
      [{ Kind: 'Text', Max: 10 }, 1],
    ];
    for (const [more, count] of misfits) {
      const answer = await trySave('customfield', { ID: CustomFieldID, ...more });
      assert.deepEqual(
        [errorOf(answer)['Code'], errorOf(answer)['Count']],
        ['STATE_REFUSES', String(count)],
        `${JSON.stringify(more)} ${answer.text}`,
      );
    }
    for (const [n, id] of ids.entries()) if (n > 0 && n !== 5) await save('loan', { ID: id, Loose: '' });
    await save('customfield', { ID: CustomFieldID, Kind: 'Money' });
    assert.deepEqual(
      (await found('loan', 'Loose>=1&OrderBy=-Loose')).map((row) => row['Loose']),
      [2147483648, 5],
    );
    const moved = await trySave('customfield', { ID: CustomFieldID, AppliesTo: 'Contact' });
    assert.equal(errorOf(moved)['Field'], 'AppliesTo');
  });

  it('a value that no longer fits, stored by another process just after the kind changed, reads as empty, and the record stays readable', async () => {
    for (const [name, value] of Object.entries({
      Floors: '99999999999',
      Ratio: 'NaN',
      Appraised: '1e5',
      Vacant: 'maybe',
      Inspected: 'soon',
      SeenAt: '2024',
    })) {
      const { PropertyID: id } = await save('property', { Nickname: 'stale' });
      await p.platform.store.query(
        'update property set custom = custom || jsonb_build_object($2::text, $3::text) where propertyid = $1::bigint',
        [id, name, value],
      );
      const row = await select('property', id);
      assert.deepEqual([row['Nickname'], row[name]], ['stale', undefined], name);
      await found('property', `Nickname=stale&OrderBy=${name}&${name}=null`);
      await save('property', { ID: id, Nickname: 'fresh' });
    }
  });

  it('KRN-22 the OpenAPI document and the description of a record type list them with their kind', async () => {
    await field('Loan', 'Servicer2', 'Choice', { Values: 'North\nSouth', Description: 'The other servicer.' });
    const document = await expectOk(p.admin.get('/api/openapi.json'));
    const schemas = (
      document['components'] as never as { schemas: Record<string, { properties: Record<string, Row> }> }
    ).schemas;
    assert.deepEqual(schemas['Loan.Fields']?.properties['Servicer2']?.['enum'], ['North', 'South']);
    assert.match(String(schemas['Loan']?.properties['Servicer2']?.['description']), /The other servicer/);
    assert.ok(schemas['Loan.Filters']?.properties['Servicer2']);
  });

  it('declarations are matched by type and name in another installation, and validated there like any other', async () => {
    const exported = await p.admin.get('/api/customfield/export');
    assert.equal(exported.status, 200, exported.text);
    const other = await testPlatform({ after });
    const imported = await other.admin.post('/api/customfield/import', exported.text, { 'Content-Type': 'text/xml' });
    assert.equal(imported.status, 200, imported.text);
    const { PropertyID: id } = await expectOk(other.admin.post('/api/property/save?Output=Json', { ...whole }));
    assert.match((await other.admin.get(`/api/property/select/${String(id)}`)).text, /<Roof>Thatch, old<\/Roof>/);
    const again = await other.admin.post('/api/customfield/import?Output=Json', exported.text, {
      'Content-Type': 'text/xml',
    });
    assert.doesNotMatch(again.text, /"Operation":"(?:Insert|Update)"/);
    const clash = exported.text
      .replace('<CustomField>Nickname</CustomField>', '<CustomField>City</CustomField>')
      .replaceAll(/SubscriberID="CustomField-/g, 'SubscriberID="Other-');
    assert.equal(
      (await other.admin.post('/api/customfield/import?Output=Json', clash, { 'Content-Type': 'text/xml' })).status,
      409,
    );
  });

  it('a deleted field cannot be undeleted if another field has its name or holds its values', async () => {
    for (const rename of [false, true]) {
      const { CustomFieldID } = await field('DecisionDelay', 'Twice', 'Text');
      await remove('customfield', CustomFieldID);
      const { CustomFieldID: other } = await field('DecisionDelay', 'Twice', 'Text');
      if (rename) await save('customfield', { ID: other, CustomField: 'Once' });
      assert.equal((await p.admin.post(`/api/customfield/undelete/${String(CustomFieldID)}`)).status, 409);
      await remove('customfield', other);
    }
  });

  it('a record type allows up to two hundred fields, and can be saved, read and searched with all of them', async () => {
    await p.platform.store.query(
      `insert into customfield (customfield, storedname, appliesto, kind, isactive)
       select 'N' || n, 'N' || n, 'ImportForm', 'Integer', true from generate_series(1, 199) n`,
    );
    await field('ImportForm', 'N200', 'Integer');
    const refused = await trySave('customfield', { AppliesTo: 'ImportForm', CustomField: 'N201', Kind: 'Integer' });
    assert.deepEqual([errorOf(refused)['Code'], errorOf(refused)['Field']], ['STATE_REFUSES', 'AppliesTo']);
    const { OrganizationID } = await save('organization', { Organization: 'of many fields' });
    const values = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`N${n + 1}`, n]));
    const { ImportFormID: id } = await save('importform', {
      Object: 'Organization',
      ObjectID: OrganizationID,
      ...values,
    });
    const row = await select('importform', id);
    assert.deepEqual(Object.fromEntries(Object.keys(values).map((name) => [name, row[name]])), values);
    assert.equal(
      (
        await found(
          'importform',
          new URLSearchParams(
            Object.entries(values).map(([name, value]) => [name, String(value)] as [string, string]),
          ).toString(),
        )
      ).length,
      1,
    );
  });

  it('KRN-23 a failing call leaves no field that it created, and records as they were', async () => {
    const item = (id: string, name: string): string =>
      `<CustomFieldItem SubscriberID="${id}">` +
      `<AppliesTo>Loan</AppliesTo><CustomField>${name}</CustomField><Kind>Text</Kind></CustomFieldItem>`;
    const failing =
      '<Configuration FormatVersion="1"><CustomFieldCollection>' +
      `${item('x1', 'Fleeting')}${item('x2', 'LoanID')}</CustomFieldCollection></Configuration>`;
    assert.equal((await p.admin.post('/api/customfield/import', failing, { 'Content-Type': 'text/xml' })).status, 409);
    assert.equal((await trySave('loan', { Loan: '900700', Fleeting: 'x' })).status, 400);
  });
});

describe('indexes of custom fields', () => {
  const indexes = async (): Promise<string[]> =>
    (
      await p.platform.store.query<{ name: string }>(
        `select indexname as name from pg_indexes
         where indexname like 'customfield\\_%' and tablename = 'person'
         order by 1`,
      )
    ).map(({ name }) => name);
  const usesIndex = async (filter: string, name: string): Promise<boolean> =>
    p.platform.store.transaction({ personId: null, firm: null, callId: 'test' }, async (transaction) => {
      await transaction.query('set local enable_seqscan = off');
      return JSON.stringify(await transaction.query(`explain select 1 from person where ${filter}`)).includes(name);
    });

  it('housekeeping creates the requested indexes, which searches use, and drops those not requested or left invalid', async () => {
    const kinds: readonly (readonly [string, string])[] = [
      ['Text', "'x'"],
      ['Integer', '5'],
      ['Money', '5.5'],
      ['Date', "'2024-01-01'"],
      ['Timestamp', "'2024-01-01T00:00:00.000Z'"],
      ['Boolean', 'true'],
    ];
    const fields = new Map<string, unknown>();
    for (const [kind] of kinds)
      fields.set(kind, (await field('Person', `By${kind}`, kind, { IsIndexed: true }))['CustomFieldID']);
    assert.equal(await runTask(p.platform, maintainCustomFieldIndexes), 'done');
    assert.deepEqual(
      await indexes(),
      [...fields].map(([kind, id]) => `customfield_${String(id)}_${kind.toLowerCase()}`).sort(),
    );
    for (const [kind, value] of kinds) {
      const column = p.platform.registry.recordType('Person').columns.get(`by${kind.toLowerCase()}`);
      assert.ok(column);
      assert.ok(
        await usesIndex(
          `${valueSql(column)} = ${value}::${valueSqlType(column)}`,
          `customfield_${String(fields.get(kind))}_`,
        ),
        kind,
      );
    }
    const id = fields.get('Text');
    await save('customfield', { ID: id, IsIndexed: false });
    const early = await trySave('customfield', { ID: id, Max: 5_000 });
    assert.deepEqual([errorOf(early)['Code'], errorOf(early)['Field']], ['STATE_REFUSES', 'Max']);
    await p.platform.store.query(
      `update pg_index set indisvalid = false
       where indexrelid = to_regclass('customfield_${String(fields.get('Date'))}_date')`,
    );
    await save('customfield', { ID: fields.get('Integer'), Kind: 'Decimal' });
    await remove('customfield', fields.get('Boolean'));
    assert.equal(await runTask(p.platform, maintainCustomFieldIndexes), 'done');
    const remaining = await indexes();
    assert.equal(remaining.length, 4);
    assert.ok(remaining.includes(`customfield_${String(fields.get('Integer'))}_decimal`));
    const [made] = await p.platform.store.query(
      `select indisvalid from pg_index
       where indexrelid = to_regclass('customfield_${String(fields.get('Date'))}_date')`,
    );
    assert.deepEqual(made, { indisvalid: true });
    await save('customfield', { ID: id, Max: 5_000 });
    const { PersonID } = await save('person', { Person: 'of many words', ByText: 'x'.repeat(5_000) });
    assert.equal(String((await select('person', PersonID))['ByText']).length, 5_000);
  });

  it('at most eight fields of a table are indexed', async () => {
    for (let n = 0; n < 8; n++) await field('ContactMethod', `Index${n}`, 'Integer', { IsIndexed: true });
    const refused = await trySave('customfield', {
      AppliesTo: 'ContactMethod',
      CustomField: 'Index8',
      Kind: 'Integer',
      IsIndexed: true,
    });
    assert.deepEqual([errorOf(refused)['Code'], errorOf(refused)['Field']], ['STATE_REFUSES', 'IsIndexed']);
  });
});
