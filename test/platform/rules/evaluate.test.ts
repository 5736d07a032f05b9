import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { expectOk, expectRefused, rowsOf, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';

const p = await testPlatform({ after }, { worker: true });
const save = (module: string, body: object, caller: Caller = p.admin): Promise<Row> =>
  expectOk(caller.post(`/api/${module}/save?Output=Json`, body));
const evaluate = (body: object, caller: Caller = p.admin): Promise<TestAnswer> =>
  caller.post('/api/process/evaluate?Output=Json', body);

function matrix(
  name: string,
  inputs: Readonly<Record<string, object>>,
  outputs: Readonly<Record<string, object>>,
  rows: readonly Readonly<Record<string, string | object>>[],
): Promise<Row> {
  return save('matrix', {
    Matrix: name,
    Dimensions: Object.entries(inputs).map(([MatrixDimension, more], Sequence) => ({
      MatrixDimension,
      Sequence,
      ...more,
    })),
    Measures: Object.entries(outputs).map(([MatrixMeasure, more], Sequence) => ({ MatrixMeasure, Sequence, ...more })),
    Facts: rows.flatMap((row, at) =>
      Object.entries(row).map(([MatrixFact, cell]) => ({
        MatrixFact,
        RowNumber: at + 1,
        ...(typeof cell === 'string' ? { Cell: cell } : cell),
      })),
    ),
  });
}

let number = 0;
const foreclosure = async (fields: object = {}): Promise<number> =>
  Number((await save('foreclosure', { Foreclosure: `E${++number}`, ...fields }))['ForeclosureID']);
const formsOf = async (id: number): Promise<Row[]> =>
  rowsOf(await expectOk(p.admin.get(`/api/importform/search?Output=Json&Object=Foreclosure&ObjectID=${id}`)));

const title = Number(
  (await save('importformtemplate', { ImportFormTemplate: 'Title search', AppliesTo: 'Process' }))[
    'ImportFormTemplateID'
  ],
);
await save('importformtemplate', { ImportFormTemplate: 'Only one', Repeatable: 'One' });
await save('importformtemplate', { ImportFormTemplate: 'Of loans', AppliesTo: 'Loan' });
const notice = Number((await save('messagetemplate', { MessageTemplate: 'Notice' }))['MessageTemplateID']);
for (const [type, name] of [
  ['importformtemplate', 'ImportFormTemplate'],
  ['messagetemplate', 'MessageTemplate'],
] as const)
  await save(type, { [name]: 'Both kinds' });
await matrix(
  'Next task',
  { State: { XPath: '//Property/State' }, 'Closed Reason': {} },
  { Task: {}, 'Message Kind': {} },
  [
    { State: 'TX', Task: 'Title search', 'Message Kind': 'Notice' },
    { State: 'CA', Task: 'Only one' },
    { 'Closed Reason': 'Both', Task: 'Both kinds' },
    { 'Closed Reason': 'Missing', Task: 'Title saerch' },
    { 'Closed Reason': 'Wrong parent', Task: 'Of loans' },
    { 'Closed Reason': 'Further', Task: 'Further on' },
  ],
);
const further = Number(
  (await matrix('Further on', {}, { Kind: {}, Task: {} }, [{ Kind: 'Notice', Task: 'Title search' }]))['MatrixID'],
);
const inState = async (State: string, more: object = {}): Promise<number> => {
  const property = await save('property', { State });
  const loan = await save('loan', { Loan: String(500_000 + ++number), PropertyID: property['PropertyID'] });
  return foreclosure({ LoanID: loan['LoanID'], ...more });
};

describe('process/evaluate', () => {
  it('RUL-07 RUL-15 creates an instance of the template that the first output names, with the other parameters as its fields', async () => {
    const id = await inState('TX');
    const answer = await expectOk(
      evaluate({ ID: id, Matrix: 'next task', Status: 'Asked', ImportForm_ProjectedStart: '2026-01-31T10:00:00Z' }),
    );
    assert.deepEqual(answer, {
      Object: 'ImportForm',
      ObjectID: answer['ObjectID'],
      TemplateClass: 'ImportFormTemplate',
      TemplateID: title,
      Template: 'Title search',
      Matrix: 'Next task',
    });
    const [form] = await formsOf(id);
    assert.deepEqual(
      ['ImportFormID', 'ImportForm', 'ImportFormTemplateID', 'Status', 'ProjectedStart'].map((name) => form?.[name]),
      [answer['ObjectID'], 'Title search', title, 'Asked', '2026-01-31T10:00:00.000Z'],
    );
  });

  it('RUL-15 Measure selects another output, by its name with or without spaces', async () => {
    const id = await inState('TX');
    for (const Measure of ['Message Kind', 'messagekind']) {
      const answer = await expectOk(evaluate({ ID: id, Matrix: 'Next task', Measure, Message: 'told' }));
      assert.deepEqual([answer['Object'], answer['TemplateID']], ['Message', notice]);
    }
    assert.equal(
      rowsOf(
        await expectOk(p.admin.get(`/api/message/search?Output=Json&Object=Foreclosure&ObjectID=${id}&Message=told`)),
      ).length,
      2,
    );
    await expectRefused(
      evaluate({ ID: id, Matrix: 'Next task', Measure: 'Tsk' }),
      'BAD_PARAMETER',
      'Measure',
      /Did you mean Task/,
    );
  });

  it('RUL-07 Repeatable of the template is respected', async () => {
    const id = await inState('CA');
    const [first, again] = [
      await expectOk(evaluate({ ID: id, Matrix: 'Next task' })),
      await expectOk(evaluate({ ID: id, Matrix: 'Next task', Status: 'Again' })),
    ];
    assert.equal(first['ObjectID'], again['ObjectID']);
    assert.deepEqual(
      (await formsOf(id)).map((form) => form['Status']),
      ['Again'],
    );
    const other = await inState('CA');
    const many = await Promise.all(
      Array.from({ length: 5 }, () => expectOk(evaluate({ ID: other, Matrix: 'Next task' }))),
    );
    assert.equal(new Set(many.map((row) => row['ObjectID'])).size, 1, 'also with many concurrent calls');
  });

  it('RUL-15 RUL-13 the matrix is required; the template class is accepted under each of its names, and required if a name is in two classes', async () => {
    const id = await foreclosure({ ClosedReason: 'Both' });
    await expectRefused(evaluate({ ID: id }), 'MISSING_PARAMETER', 'Matrix');
    await expectRefused(
      evaluate({ ID: id, Matrix: 'Next task' }),
      'RULE_EXCEPTION',
      '',
      new RegExp(
        '^Next task, output Task: "Both kinds" is the name of a ImportFormTemplate and of a MessageTemplate; ' +
          'send TemplateClass\\.$|MessageTemplate and of a ImportFormTemplate',
      ),
    );
    for (const [name, submitted, expected] of [
      ['TemplateClass', 'ImportFormTemplate', 'ImportForm'],
      ['Class', 'MessageTemplate', 'Message'],
      ['ClassName', 'message', 'Message'],
    ] as const) {
      assert.equal((await expectOk(evaluate({ ID: id, Matrix: 'Next task', [name]: submitted })))['Object'], expected);
    }
    await expectRefused(
      evaluate({ ID: id, Matrix: 'Next task', TemplateClass: 'ImportForm', Class: 'Message' }),
      'BAD_PARAMETER',
      'TemplateClass',
      /one class/,
    );
    await expectRefused(
      evaluate({ ID: id, Matrix: 'Next task', TemplateClass: 'ImportFromTemplate' }),
      'BAD_PARAMETER',
      'TemplateClass',
      /Did you mean ImportFormTemplate/,
    );
  });

  it('RUL-07 an output that names no template is refused with matrix and output, and the nearest names', async () => {
    const evaluated = async (ClosedReason: string, more: object = {}): Promise<TestAnswer> =>
      evaluate({ ID: await foreclosure({ ClosedReason }), Matrix: 'Next task', ...more });
    await expectRefused(
      evaluated('Missing'),
      'RULE_EXCEPTION',
      '',
      /^Next task, output Task: there is no template or matrix "Title saerch"\. Did you mean Title search/,
    );
    await expectRefused(
      evaluated('Missing', { TemplateClass: 'ImportForm' }),
      'RULE_EXCEPTION',
      '',
      /no ImportFormTemplate or matrix/,
    );
    await expectRefused(evaluated('Wrong parent'), 'RULE_EXCEPTION', '', /no template or matrix "Of loans"/);
    await expectRefused(
      evaluated('Other'),
      'RULE_EXCEPTION',
      '',
      /^Next task: no row matches Foreclosure \d+; the closest one has 1 mismatch\.$/,
    );
    await expectRefused(
      evaluated('Both', { Measure: 'Message Kind' }),
      'RULE_EXCEPTION',
      '',
      /output MessageKind: the row that matches .* has no value for it/,
    );
    await expectRefused(evaluated('Both', { Matrix: 'Next tsak' }), 'NOT_FOUND', 'Matrix', /Next task/);
    await expectRefused(evaluate({ ID: 99_999_999, Matrix: 'Next task' }), 'NOT_FOUND', 'ID');
    assert.equal((await evaluated('Both', { Class: 'ImportForm', 'No thing': 'x' })).status, 400);
    await expectRefused(
      evaluated('Both', { Class: 'ImportForm', ImportFormID: 1 }),
      'BAD_PARAMETER',
      'ImportFormID',
      /because the call creates the record/,
    );
  });

  it('RUL-07 evaluation continues in a matrix that the output names or references, with the same measure if that matrix has it', async () => {
    const byName = await foreclosure({ ClosedReason: 'Further' });
    const answer = await expectOk(evaluate({ ID: byName, Matrix: 'Next task' }));
    assert.deepEqual(
      [answer['Object'], answer['Matrix']],
      ['Message', 'Next task > Further on'],
      'the first output, because no measure was given',
    );
    assert.equal(
      (await expectOk(evaluate({ ID: byName, Matrix: 'Next task', Measure: 'Task' })))['Object'],
      'ImportForm',
    );
    await matrix('Points on', {}, { Target: { ValueType: 'Object', ObjectType: 'Matrix' } }, [
      { Target: { Cell: 'on', Object: 'Matrix', ObjectID: further } },
    ]);
    assert.equal((await expectOk(evaluate({ ID: byName, Matrix: 'Points on' })))['Object'], 'Message');
    await matrix('Points at a template', {}, { Target: { ValueType: 'Object', ObjectType: 'ImportFormTemplate' } }, [
      { Target: { Cell: 'at', Object: 'ImportFormTemplate', ObjectID: title } },
    ]);
    assert.equal((await expectOk(evaluate({ ID: byName, Matrix: 'Points at a template' })))['TemplateID'], title);
    await matrix('Points astray', {}, { Target: { ValueType: 'Object', ObjectType: 'Foreclosure' } }, [
      { Target: { Cell: 'astray', Object: 'Foreclosure', ObjectID: byName } },
    ]);
    await expectRefused(
      evaluate({ ID: byName, Matrix: 'Points astray' }),
      'RULE_EXCEPTION',
      '',
      /Points astray, output Target points to a record of the type Foreclosure; expected a template/,
    );
  });

  it('RUL-07 RUL-04 a circle of matrices, or a chain longer than MatrixRecursion, ends with an error that names the chain', async () => {
    for (const [from, to] of [
      ['Round A', 'Round B'],
      ['Round B', 'Round C'],
      ['Round C', 'Round A'],
    ] as const)
      await matrix(from, {}, { Onward: {} }, [{ Onward: to }]);
    const id = await foreclosure();
    await expectRefused(
      evaluate({ ID: id, Matrix: 'Round B' }),
      'CHAIN_TOO_DEEP',
      'Matrix',
      /Circular reference between matrices: Round B > Round C > Round A > Round B\./,
    );
    for (let n = 1; n <= 4; n++)
      await matrix(`Deep ${n}`, {}, { Onward: {} }, [{ Onward: n === 4 ? 'Title search' : `Deep ${n + 1}` }]);
    await save('setting', { Setting: 'MatrixRecursion', Value: '2' });
    await eventually(
      'the setting has taken effect',
      async () => (await evaluate({ ID: id, Matrix: 'Deep 1' })).status !== 200,
    );
    await expectRefused(
      evaluate({ ID: id, Matrix: 'Deep 1' }),
      'CHAIN_TOO_DEEP',
      'Matrix',
      /more than 2 levels deep \(the setting MatrixRecursion\): Deep 1 > Deep 2 > Deep 3 > Deep 4\./,
    );
    assert.equal((await expectOk(evaluate({ ID: id, Matrix: 'Deep 2' })))['Template'], 'Title search');
  });

  it('RUL-07 KRN-18 the caller needs the permission to save the instance, and access to the case', async () => {
    await save('role', { Role: 'Evaluator', Permissions: 'ProcessEvaluate', UniversalAccess: false });
    await save('role', { Role: 'Former', Permissions: 'ProcessEvaluate ImportFormSave', UniversalAccess: false });
    const evaluator = await p.firm('Evaluating firm', 'Partner, Evaluator');
    const former = await p.firm('Forming firm', 'Partner, Former');
    const plain = await p.firm('Plain firm');
    const [own, foreign] = [
      await inState('TX', { OrganizationID: evaluator.organizationId }),
      await inState('TX', { OrganizationID: former.organizationId }),
    ];
    await expectRefused(
      evaluate({ ID: own, Matrix: 'Further on', Measure: 'Task' }, plain.caller),
      'NO_PERMISSION',
      '',
    );
    await expectRefused(
      evaluate({ ID: own, Matrix: 'Further on', Measure: 'Task' }, evaluator.caller),
      'NO_PERMISSION',
      '',
      /ImportFormSave/,
    );
    await expectRefused(evaluate({ ID: own, Matrix: 'Further on', Measure: 'Task' }, former.caller), 'NOT_FOUND', 'ID');
    assert.equal((await formsOf(own)).length, 0);
    assert.equal(
      (await expectOk(evaluate({ ID: foreign, Matrix: 'Further on', Measure: 'Task' }, former.caller)))['Template'],
      'Title search',
    );
  });

  it('RUL-07 works from the queue too', async () => {
    const id = await inState('TX');
    assert.equal(
      (await p.admin.post('/api/process/queue/evaluate?Output=Json', { ID: id, Matrix: 'Next task' })).status,
      202,
    );
    await eventually('the task is created', async () => (await formsOf(id)).length === 1);
  });
});
