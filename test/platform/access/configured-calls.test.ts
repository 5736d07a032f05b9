import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import type { Caller, TestAnswer } from '../../support/platform.ts';
import { testPlatform } from '../../support/platform.ts';
import { contentHash } from '../../support/records.ts';
import { rowsOf, workflowCalls } from '../../support/work/workflows.ts';

const p = await testPlatform({ after });
const { ok, save, templateBody, newCase } = workflowCalls(p);
const { store } = p.platform;

const CONFIGURATION =
  'DecisionTemplate* DecisionStepTemplate* DecisionDependency* DecisionDelayTemplate* MessageTemplate* ' +
  'AttachmentTemplate* ImportFileTemplate* ImportFileMap* ScoreTemplate* SmartWorklistTemplate* EventCode* Matrix*';

async function author(name: string, permissions: string): Promise<Caller> {
  await save('role', { Role: name, Permissions: `${CONFIGURATION} ${permissions}`, UniversalAccess: true });
  return (await p.user(`author ${name}`, name)).caller;
}

/** The administrator of the installation, whom nobody with fewer rights may change. */
const [administrator] = await store.query<{ personid: number }>(
  "select personid from person where person = 'administrator'",
);
const administratorId = administrator?.personid ?? 0;

const writer = await author('Writer', '');
const clerk = await author('Clerk of cases', 'Foreclosure* Process* Message* Decision* ImportForm* Loan*');
const helpdesk = await author('Desk', 'Person* SmartWorklistMember* ImportFile*');

/** Asserts that an answer refuses a call of configuration, naming the column and what is missing. */
function assertRefused(answer: TestAnswer, field: string, text: RegExp): void {
  assert.equal(answer.status, 403, answer.text);
  const error = answer.json()['Error'] as unknown as Record<string, unknown>;
  assert.deepEqual([error['Code'], error['Field']], ['NO_PERMISSION', field]);
  assert.match(String(error['Message']), text);
}

function post(caller: Caller, module: string, body: object): Promise<TestAnswer> {
  return caller.post(`/api/${module}/save?Output=Json`, body);
}

const pay = { name: 'Pay', Object: 'Foreclosure', Operation: 'Save', Parameters: 'ID={ForeclosureID}&Status=Paid' };

describe('authors of workflow templates', () => {
  test('KRN-17 WF-03 name only operations that they may call themselves, whatever the way of saving a step', async () => {
    assertRefused(
      await post(writer, 'decisiontemplate', templateBody('Nested', [pay])),
      'Operation',
      /Step "Pay": Operation calls ForeclosureSave\. The permission ForeclosureSave is not granted to you/,
    );
    assert.equal((await post(clerk, 'decisiontemplate', templateBody('Nested', [pay]))).status, 200);
    const empty = await save('decisiontemplate', templateBody('Direct', [{ name: 'Wait' }]), writer);
    const step = { DecisionTemplateID: empty['DecisionTemplateID'], DecisionStepTemplate: 'Pay' };
    for (const [field, values, permission] of [
      ['Operation', { Object: 'Loan', Operation: 'Delete', Parameters: 'ID={LoanID}' }, 'LoanDelete'],
      ['Operation', { Object: 'loan', Operation: 'queue/delete', Parameters: 'ID={LoanID}' }, 'LoanDelete'],
      ['Method', { Method: 'Loan/Search?Status=Late' }, 'LoanSearch'],
      ['OnStartParentStatus', { OnStartParentStatus: 'Closed' }, 'ForeclosureSave'],
      ['OnCompleteParentStatus', { OnCompleteParentStatus: 'Closed' }, 'ForeclosureSave'],
    ] as const)
      assertRefused(
        await post(writer, 'decisionsteptemplate', { ...step, ...values }),
        field,
        new RegExp(`Step "Pay": ${field} calls ${permission}`),
      );
    const form = await save('importformtemplate', { ImportFormTemplate: 'Review', AppliesTo: 'Foreclosure' });
    assertRefused(
      await post(writer, 'decisionsteptemplate', {
        ...step,
        Object: 'ImportFormTemplate',
        ObjectID: form['ImportFormTemplateID'],
      }),
      'Object',
      /calls ImportFormSave/,
    );
    const rows = await store.query("select 1 from decisionsteptemplate where decisionsteptemplate = 'Pay'");
    assert.equal(rows.length, 1, "only the clerk's");
  });

  test('KRN-17 change what others have configured only as far as they may: a name, but neither call nor parameters', async () => {
    const made = await save('decisiontemplate', templateBody('Shared', [pay]));
    const [row] = await store.query<{ id: number }>(
      'select decisionsteptemplateid as id from decisionsteptemplate where decisiontemplateid = $1::bigint',
      [made['DecisionTemplateID']],
    );
    const step = { ID: row?.id };
    await save('decisionsteptemplate', { ...step, Description: 'Pays', DecisionStepTemplate: 'Pay it' }, writer);
    assertRefused(
      await post(writer, 'decisionsteptemplate', { ...step, Parameters: 'ID={ForeclosureID}&Status=Sold' }),
      'Operation',
      /Step "Pay it"/,
    );
    const at = new Date().toISOString();
    await save('decisionsteptemplate', { ...step, Object: '', Operation: '', Parameters: '' }, writer);
    assertRefused(
      await writer.post('/api/decisionsteptemplate/rollback?Output=Json', { ...step, At: at }),
      'Operation',
      /ForeclosureSave/,
    );
    await save('decisionsteptemplate', { ...step, ...pay, name: undefined });
    await ok(writer.post('/api/decisionsteptemplate/delete?Output=Json', step));
    assertRefused(
      await writer.post('/api/decisionsteptemplate/undelete?Output=Json', step),
      'Operation',
      /ForeclosureSave/,
    );
    assertRefused(
      await writer.post('/api/decisiontemplate/copy?Output=Json', {
        ID: (await save('decisiontemplate', templateBody('Original', [pay])))['DecisionTemplateID'],
      }),
      'Operation',
      /ForeclosureSave/,
    );
  });
});

describe('authors of other configuration', () => {
  test('KRN-17 name only calls that they may make: templates, import types, holds, events, queues, rule sets', async () => {
    for (const [module, field, values, permission] of [
      ['messagetemplate', 'Method', { MessageTemplate: 'Note', Method: 'Contact/Search?LastName=X' }, 'ContactSearch'],
      ['messagetemplate', 'Method', { MessageTemplate: 'Note', Method: 'Search?DisplaySize=1' }, 'MessageSearch'],
      ['scoretemplate', 'Method', { ScoreTemplate: 'Risk', Method: 'Loan/Select?ID={LoanID}' }, 'LoanSelect'],
      [
        'attachmenttemplate',
        'Method',
        { AttachmentTemplate: 'Log', Method: 'SecurityLog/Search' },
        'SecurityLogSearch',
      ],
      ['importfiletemplate', 'AppliesTo', { ImportFileTemplate: 'Loans', AppliesTo: 'Loan' }, 'LoanSave'],
      ...['EndImportMethod', 'ResultMethod', 'ValidateStatement'].map(
        (field) =>
          ['importfiletemplate', field, { ImportFileTemplate: 'Rows', [field]: 'Loan/Search' }, 'LoanSearch'] as const,
      ),
      [
        'decisiondelaytemplate',
        'OnStartParentStatus',
        { DecisionDelayTemplate: 'Stay', AppliesTo: 'Foreclosure', OnStartParentStatus: 'Stayed' },
        'ForeclosureSave',
      ],
      ['eventcode', 'CaseStatus', { EventCode: 'E9999', CaseStatus: 'Closed' }, 'ProcessSave'],
      [
        'smartworklisttemplate',
        'CalculateMethod',
        { SmartWorklistTemplate: 'Late', SourceObject: 'Loan', CalculateMethod: 'Loan/Search?Status=Late' },
        'LoanSearch',
      ],
      ['matrix', 'AppliesTo', { Matrix: 'Routes', AppliesTo: 'Loan' }, 'LoanSave'],
    ] as const)
      assertRefused(await post(writer, module, values), field, new RegExp(`${field} calls ${permission}`));
    await save('scoretemplate', { ScoreTemplate: 'Risk', Method: 'Loan/Select?ID={LoanID}' }, clerk);
  });

  test('KRN-17 MTX-10 a rule row of a matrix that applies itself takes the permission to save what it changes', async () => {
    const matrix = await save('matrix', {
      Matrix: 'Routing',
      AppliesTo: 'Loan',
      Dimensions_0_MatrixDimension: 'State',
      Measures_0_MatrixMeasure: 'Status',
    });
    const cell = { MatrixID: matrix['MatrixID'], RowNumber: 1, MatrixFact: 'Status', Cell: 'Closed' };
    assertRefused(await post(writer, 'matrixfact', cell), 'AppliesTo', /Matrix "Routing": AppliesTo calls LoanSave/);
    assert.equal((await post(clerk, 'matrixfact', cell)).status, 200);
  });

  test('KRN-17 WF-09 an output that steps send with what they create takes the permission to save that', async () => {
    const matrix = await save('matrix', { Matrix: 'Tasks', Dimensions_0_MatrixDimension: 'State' }, writer);
    for (const [output, permission] of [
      ['ImportForm_Status', 'ImportFormSave'],
      ['ImportForm_Process_Status', 'ImportFormSave'],
    ] as const)
      assertRefused(
        await post(writer, 'matrixmeasure', { MatrixID: matrix['MatrixID'], MatrixMeasure: output }),
        output,
        new RegExp(`Matrix "Tasks": ${output} calls ${permission}`),
      );
    const output = { MatrixID: matrix['MatrixID'], MatrixMeasure: 'ImportForm_Process_Status' };
    const forms = await author('Forms alone', 'ImportForm*');
    assertRefused(await post(forms, 'matrixmeasure', output), 'ImportForm_Process_Status', /ProcessSave/);
    assert.equal((await post(clerk, 'matrixmeasure', output)).status, 200);
    // The cells could attach a message that shows a setting.
    const parent = { MatrixID: matrix['MatrixID'], MatrixMeasure: 'Message_Object' };
    assertRefused(await post(clerk, 'matrixmeasure', parent), 'Message_Object', /only known when the call is made/);
  });

  test('KRN-17 nobody with fewer than all permissions configures calls that change access, or that call others', async () => {
    for (const [Object, Operation, Parameters] of [
      ['Person', 'Save', `ID=${administratorId}&Roles=Staff`],
      ['SmartWorklistMember', 'Save', 'ID=1&Person_Roles=Staff'],
      ['ImportFile', 'Batch', 'ClassName=Person&Operation=Search&Signature=Person/Save?ID={PersonID}'],
      ['ImportFileQueue', 'Add', 'ImportFileID=1&Rows={BodyText}'],
      ['ImportFile', 'Import', 'ID=1'],
      ['ImportFile', 'queue/Import', 'ID=1'],
      ['ImportFile', 'Resume', 'ID=1'],
    ] as const)
      assertRefused(
        await post(
          helpdesk,
          'decisiontemplate',
          templateBody('Access', [{ name: 'Grant', Object, Operation, Parameters }]),
        ),
        'Operation',
        /Step "Grant".*only users with all permissions/,
      );
    assertRefused(
      await post(helpdesk, 'importfiletemplate', { ImportFileTemplate: 'Users', AppliesTo: 'Person' }),
      'AppliesTo',
      /only users with all permissions/,
    );
    await save('importfiletemplate', { ImportFileTemplate: 'Users', AppliesTo: 'Person' });
  });

  test('KRN-17 WF-05 a step changes no access, whoever has configured it', async () => {
    const grant = {
      name: 'Grant',
      Object: 'Person',
      Operation: 'Save',
      Parameters: `ID=${administratorId}&Roles=Staff`,
    };
    await save('decisiontemplate', templateBody('Access of administrators', [grant]));
    const caseId = await newCase();
    const answer = await p.admin.post('/api/decision/save?Output=Json', {
      Template: 'Access of administrators',
      Object: 'Foreclosure',
      ObjectID: caseId,
    });
    assert.match(answer.text, /workflow steps cannot change what users may do/);
    const [row] = await store.query<{ roles: string }>('select roles from person where personid = $1::bigint', [
      administratorId,
    ]);
    assert.equal(row?.roles, 'Administrator');
  });

  test('KRN-17 WF-05 a step gives an import type no sealed document that its author may not read', async () => {
    const { caller } = await p.user('analyst of imports', 'Analyst');
    const [sealed] = await store.query<{ id: number }>(
      `insert into attachment (attachment, object, objectid, filename, mimetype, sealed, createdpersonid)
       values ('sent.xml', 'Foreclosure', $1::bigint, 'sent.xml', 'application/xml', true, $2::bigint)
       returning attachmentid as id`,
      [await newCase(), administratorId],
    );
    const type = await save('importfiletemplate', { ImportFileTemplate: 'Numbers', AppliesTo: 'Message' }, caller);
    const chosen = `ImportFileTemplateID=${type['ImportFileTemplateID']}&PreTransformID=${sealed?.id}&Status=New`;
    const upload = `AttachmentID=${sealed?.id}`;
    for (const [name, Operation, Parameters, field] of [
      ['Choose', 'Save', chosen, 'PreTransformID'],
      ['Upload', 'ScoreCalculateBatch', upload, 'AttachmentID'],
    ] as const) {
      const step = { name, Object: 'ImportFile', Operation, Parameters };
      await save('decisiontemplate', templateBody(name, [step]), caller);
      const started = { Template: name, Object: 'Foreclosure', ObjectID: await newCase() };
      const answer = await caller.post('/api/decision/save?Output=Json', started);
      assert.match(answer.text, new RegExp(`${field}: the document is sealed.*requires the permission UnmaskSSN`));
    }
    const files = await store.query('select 1 from importfile where pretransformid = $1::bigint', [sealed?.id]);
    assert.equal(files.length, 0);
  });

  test('KRN-17 IMP-08 a configuration document is imported with the rights of whoever imports it', async () => {
    const close = { ...pay, name: 'Close', Object: 'Loan', Parameters: 'ID={LoanID}&Status=Closed' };
    const made = await save('decisiontemplate', templateBody('Moved', [pay, close, { name: 'Wait' }]));
    const document = (await p.admin.get(`/api/decisiontemplate/export?ID=${made['DecisionTemplateID']}`)).text;
    await ok(p.admin.post('/api/decisiontemplate/delete?Output=Json', { ID: made['DecisionTemplateID'] }));
    const xml = { 'Content-Type': 'application/xml' };
    const before = await contentHash(p.platform);
    const logged = async (): Promise<number> =>
      (await store.query("select 1 from securitylog where securitylog <> 'Refused'")).length;
    const entries = await logged();
    const preview = (caller: Caller): Promise<TestAnswer> =>
      caller.post('/api/decisiontemplate/import?Output=Json&Preview=true', document, xml);
    assertRefused(
      await preview(writer),
      'Operation',
      /^Line \d+, .*Step "Close".*LoanSave[^\n]*\nLine \d+, .*Step "Pay".*ForeclosureSave[^\n]*$/,
    );
    const shown = rowsOf(await ok(preview(clerk)), 'ConfigurationChange').filter((row) => row['Name'] !== undefined);
    assert.deepEqual(
      shown.map((row) => [row['Name'], row['Operation'], row['ID']]),
      ['Close', 'Pay', 'Wait', 'Moved'].map((name) => [name, 'Insert', undefined]),
    );
    assert.deepEqual([await contentHash(p.platform), await logged()], [before, entries]);
    const answer = await writer.post('/api/decisiontemplate/import?Output=Json', document, xml);
    assertRefused(answer, 'Operation', /Step "Close".*LoanSave/);
    assert.equal((await clerk.post('/api/decisiontemplate/import?Output=Json', document, xml)).status, 200);
  });
});

describe('the built-in role Analyst', () => {
  test('KRN-17 WF-03 writes everything that an installation configures, and imports and copies the standard workflows', async () => {
    const { caller } = await p.user('analyst', 'Analyst');
    const standard = readFileSync(new URL('../../../src/app/standard/workflows.xml', import.meta.url));
    const xml = { 'Content-Type': 'application/xml' };
    await ok(caller.post('/api/decisiontemplate/import?Output=Json', standard, xml));
    for (const { id } of await store.query<{ id: number }>(
      "select decisiontemplateid as id from decisiontemplate where decisiontemplate like 'Foreclosure%'",
    ))
      await ok(caller.post('/api/decisiontemplate/copy?Output=Json', { ID: id }));
    for (const [module, values] of [
      ['decisiontemplate', templateBody('Of an analyst', [pay])],
      ['messagetemplate', { MessageTemplate: 'Of an analyst', Method: 'Search?DisplaySize=1' }],
      ['scoretemplate', { ScoreTemplate: 'Of an analyst', Method: 'Loan/Select?ID={LoanID}' }],
      ['attachmenttemplate', { AttachmentTemplate: 'Of an analyst', Method: 'Loan/Select?ID={LoanID}' }],
      [
        'importfiletemplate',
        { ImportFileTemplate: 'Of an analyst', AppliesTo: 'Loan', EndImportMethod: 'Loan/Search' },
      ],
      ['importformtemplate', { ImportFormTemplate: 'Of an analyst', Questions_0_ImportFormQuestion: 'Why' }],
      ['smartworklisttemplate', { SmartWorklistTemplate: 'Of an analyst', SourceObject: 'Loan' }],
      ['matrix', { Matrix: 'Of an analyst', AppliesTo: 'Loan' }],
      ['statement', { Statement: 'OfAnAnalyst', ClassName: 'Loan', Query: 'select loanid from loan' }],
    ] as const)
      await save(module, values, caller);
    assertRefused(
      await post(
        caller,
        'decisiontemplate',
        templateBody('Too much', [
          { name: 'Grant', Object: 'Person', Operation: 'Save', Parameters: 'ID=3&Roles=Staff' },
        ]),
      ),
      'Operation',
      /PersonSave is not granted to you/,
    );
  });

  test('KRN-17 SCR-09 opens no masked values by choosing who may unmask them', async () => {
    const { caller } = await p.user('unmasking analyst', 'Analyst');
    const card = await save('scoretemplate', {
      ScoreTemplate: 'Masked',
      Items_0_ScoreItemTemplate: 'Number',
      Items_0_ValueType: 'String',
      Items_0_Mask: 'XXX-XX-####',
      Items_0_UnmaskPermission: 'UnmaskSSN',
    });
    const [item] = await store.query<{ id: number }>(
      'select scoreitemtemplateid as id from scoreitemtemplate where scoretemplateid = $1::bigint',
      [card['ScoreTemplateID']],
    );
    const open = { ID: item?.id, UnmaskPermission: 'LoanSelect' };
    const ScoreID = (await save('score', { ScoreTemplateID: card['ScoreTemplateID'] }))['ScoreID'];
    await save('scoreitem', { ScoreID, ScoreItemTemplateID: item?.id, ScoreChar: '536847001' });
    assertRefused(
      await post(caller, 'scoreitemtemplate', open),
      'UnmaskPermission',
      /masked values that you may not see/,
    );
    await save('scoreitemtemplate', { ...open, UnmaskPermission: 'UnmaskSSN', Sequence: 2 }, caller);
    await save('scoreitemtemplate', open);
  });
});

describe('analysts and records of administration', () => {
  const sheet = '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"/>';
  const types = ['SecurityLog', 'Session', 'Setting', 'ApiKey', 'Role', 'SftpAccount', 'ErrorLog', 'MilitaryService'];

  test('KRN-17 RUL-09 try shows no record of a type that the caller may not search', async () => {
    const { caller } = await p.user('analyst who tries', 'Analyst');
    for (const AppliesTo of types) {
      const trial = { AppliesTo, RecordID: 1, Stylesheet: sheet };
      const answer = await caller.post('/api/businessrule/try?Output=Json', trial);
      assert.equal(answer.status, 403, `${AppliesTo}: ${answer.text}`);
      assert.match(answer.text, new RegExp(`${AppliesTo}Search is not granted`));
    }
    const own = { AppliesTo: 'Foreclosure', RecordID: await newCase(), Stylesheet: sheet };
    assert.equal((await caller.post('/api/businessrule/try?Output=Json', own)).status, 200);
  });

  test('KRN-17 WF-03 configure nothing that reads them, and attach nothing to them', async () => {
    const { caller } = await p.user('analyst of settings', 'Analyst');
    for (const AppliesTo of types)
      for (const module of ['decisiontemplate', 'messagetemplate', 'scoretemplate', 'importformtemplate'])
        assertRefused(
          await post(caller, module, { [module]: `Reads ${AppliesTo}`, AppliesTo }),
          'AppliesTo',
          new RegExp(`AppliesTo reads by ${AppliesTo}Search`),
        );
    const read = { name: 'Read', Object: 'Message', Operation: 'Save', Parameters: 'Message={Value}' };
    await save('decisiontemplate', { ...templateBody('Of anything', [read]), AppliesTo: '' }, caller);
    const [setting] = await store.query<{ id: number }>('select min(settingid) as id from setting');
    await save('setting', { Setting: 'SignInFailuresMax', Value: '7' });
    const on = { Object: 'Setting', ObjectID: setting?.id ?? 1 };
    for (const [module, body] of [
      ['decision', { Template: 'Of anything', ...on }],
      ['message', { Message: '{Value}', ...on }],
      ['attachment', { Attachment: 'a', ...on }],
    ] as const)
      assertRefused(await post(caller, module, body), 'Object', /the permission SettingSelect is not granted/);
    const task = { Template: 'Any', SmartWorklist: 'Any', ...on };
    assertRefused(await caller.post('/api/importform/pause?Output=Json', task), 'Object', /SettingSelect/);
    const item = { SmartWorklist: 'Any', SourceObject: 'Setting', SourceObjectID: 1 };
    assertRefused(
      await caller.post('/api/smartworklistmember/place?Output=Json', item),
      'SourceObject',
      /SettingSelect/,
    );
  });

  test('KRN-17 WF-05 name none in the parameters of a call, which a step would make as Workflow', async () => {
    const { caller } = await p.user('analyst of parameters', 'Analyst');
    const step = { name: 'Read', Object: 'Message', Operation: 'Save' };
    for (const [Parameters, text] of [
      ['Message={Value}&Object=Setting&ObjectID=1', /Object: the permission SettingSelect is not granted/],
      ['Message={Value}&Object=%20session%20&ObjectID=1', /Object: the permission SessionSelect is not granted/],
      [
        'Message={Value}&Object={LoanNumber}&ObjectID=1',
        /names a record type that is only known when the call is made/,
      ],
      ['Message={Value}&Object=Set{None}ting&ObjectID=1', /SettingSelect|only known when the call is made/],
    ] as const)
      assertRefused(
        await post(caller, 'decisiontemplate', templateBody('Reads', [{ ...step, Parameters }])),
        'Operation',
        text,
      );
    const rule = { name: 'Try', Object: 'BusinessRule', Operation: 'Try', Parameters: 'AppliesTo=Setting&RecordID=1' };
    assertRefused(await post(caller, 'decisiontemplate', templateBody('Tries', [rule])), 'Operation', /SettingSelect/);
    const own = { ...step, Parameters: 'Message=Paid&Object=Foreclosure&ObjectID={ForeclosureID}' };
    await save('decisiontemplate', templateBody('Writes', [own]), caller);
  });

  test('KRN-17 DOC-16 guards that compare rights make a type one of access control, those of legal holds do not', () => {
    const { registry } = p.platform;
    const names = registry
      .records()
      .filter((record) => registry.isAccessControl(record))
      .map(({ name }) => name);
    assert.deepEqual(names.sort(), ['ApiKey', 'Person', 'Role', 'Setting', 'SftpAccount', 'View']);
    assert.equal(registry.guards(registry.recordType('Foreclosure')).length, 1);
  });

  test('KRN-17 RUL-09 decide nothing about users, keys or settings by an active rule', async () => {
    const { caller } = await p.user('analyst of rules', 'Analyst');
    const rule = { BusinessRule: 'Lock', Operation: 'Save', Stylesheet: sheet };
    for (const AppliesTo of ['Setting', 'ApiKey', 'Person', 'Role'])
      assertRefused(
        await post(caller, 'businessrule', { ...rule, AppliesTo }),
        'AppliesTo',
        new RegExp(`${AppliesTo}(?:Save|Search) is not granted`),
      );
    const stored = await save('businessrule', { ...rule, AppliesTo: 'Person' });
    const ID = stored['BusinessRuleID'];
    assertRefused(await post(caller, 'businessrule', { ID, Stylesheet: `${sheet} ` }), 'AppliesTo', /PersonSave/);
    await save('businessrule', { ID, Status: 'Inactive' }, caller);
    assertRefused(await post(caller, 'businessrule', { ID, Status: 'Active' }), 'AppliesTo', /PersonSave/);
    await save('businessrule', { ...rule, AppliesTo: 'Foreclosure' }, caller);
  });
});
