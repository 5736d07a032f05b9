/** Workflow templates: saving, validation, versions, copies, flowcharts, and transfer to another installation. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { escapeLabel, flowchart } from '../../../src/modules/work/decisiontemplate/lib/flowchart.ts';
import { testPlatform, type TestPlatform } from '../../support/platform.ts';
import { rowsOf, sheet, workflowCalls, type StepOf, type WorkflowRow } from '../../support/work/workflows.ts';
import { anyCharacter } from '../../support/characters.ts';

const p = await testPlatform({ after });
const { ok, refused, save, template, templateBody, newCase, start, stepStatuses, decision, complete, stepNamed } =
  workflowCalls(p);

const form = await save('importformtemplate', { ImportFormTemplate: 'Review title', AppliesTo: 'Foreclosure' });
const formStep = { Object: 'ImportFormTemplate', ObjectID: form['ImportFormTemplateID'] };
const ledger = await save('ledgertemplate', { LedgerTemplate: 'Fees' });
const loanForm = await save('importformtemplate', { ImportFormTemplate: 'For loans', AppliesTo: 'Loan' });
const setStatus = (status: string): Partial<StepOf> => ({
  Object: 'Foreclosure',
  Operation: 'Save',
  Parameters: `ID={ForeclosureID}&Status=${status}`,
});

const search = async (
  module: string,
  name: string,
  filter: string,
  platform: TestPlatform = p,
): Promise<WorkflowRow[]> =>
  rowsOf(await ok(platform.admin.get(`/api/${module}/search?Output=Json&DisplaySize=1000&${filter}`)), name);
const stepsOf = (row: WorkflowRow): Promise<WorkflowRow[]> =>
  search(
    'decisionsteptemplate',
    'DecisionStepTemplate',
    `DecisionTemplateID=${String(row['DecisionTemplateID'])}&OrderBy=DecisionStepTemplateID`,
  );
const dependenciesOf = (row: WorkflowRow): Promise<WorkflowRow[]> =>
  search(
    'decisiondependency',
    'DecisionDependency',
    `DecisionTemplateID=${String(row['DecisionTemplateID'])}&OrderBy=DecisionDependencyID`,
  );

const diamond: StepOf[] = [
  {
    name: 'Is in Texas',
    DecisionStepTemplateType: 'IfThen',
    StepXslt: sheet("//ForeclosureItem/Foreclosure = 'Texas'"),
  },
  { name: 'Texan notice', ...formStep, after: ['Is in Texas=1'] },
  { name: 'Other notice', ...formStep, after: ['Is in Texas=0'] },
  { name: 'Set open', ...setStatus('Open'), after: [['Texan notice', 'Other notice']] },
];

describe('saving a template', () => {
  it('again keeps its steps and dependencies, which are found by name, and duplicates nothing', async () => {
    const first = await template('Saved again', diamond);
    const before = [await stepsOf(first), await dependenciesOf(first)];
    assert.deepEqual(
      before.map((rows) => rows.length),
      [4, 4],
    );
    const changed = diamond.map((step) => (step.name === 'Set open' ? { ...step, ...setStatus('Shut') } : step));
    await save('decisiontemplate', { ...templateBody('Saved again', changed), ID: first['DecisionTemplateID'] });
    const now = [await stepsOf(first), await dependenciesOf(first)];
    assert.deepEqual(
      now[0]?.map((row) => row['DecisionStepTemplateID']),
      before[0]?.map((row) => row['DecisionStepTemplateID']),
    );
    assert.deepEqual(
      now[1]?.map((row) => row['DecisionDependencyID']),
      before[1]?.map((row) => row['DecisionDependencyID']),
    );
    assert.match(String(now[0]?.at(-1)?.['Parameters']), /Status=Shut/);
  });

  it('warns about a step that changes a record named by a column that firms can change, and about no other', async () => {
    const warnings = async (steps: readonly StepOf[], more: object = {}): Promise<string[]> => {
      const answer = await p.admin.post(
        '/api/decisiontemplate/save?Output=Json',
        templateBody(`Chosen ${JSON.stringify(steps).length} ${JSON.stringify(more).length}`, steps, more),
      );
      assert.equal(answer.status, 200, answer.text);
      return [
        ...answer.text.matchAll(
          new RegExp(
            [
              'Step \\\\"([^"]*)\\\\": Parameters take ([^,]*), ',
              'which firms can change by saving the (\\w+)\\. [^"]*whatever (\\w+) the column',
            ].join(''),
            'g',
          ),
        ),
      ].map((found) => found.slice(1).join(' '));
    };
    const call = (name: string, method: `${string}/${string}`, Parameters: string, more: object = {}): StepOf => {
      const [Object = '', Operation = ''] = method.split('/');
      return { name, Object, Operation, Parameters, ...more };
    };
    assert.deepEqual(
      await warnings([
        call('By text', 'Foreclosure/Save', 'foreclosureid={ClosedReason}&Status=Seen'),
        call('Of the rows', 'Contact/Save', 'ID={Title}&Status=Seen', {
          Method: 'Contact/Search?Object=Foreclosure&ObjectID={ForeclosureID}',
        }),
        { name: 'Below', ...formStep, Parameters: 'ID={LoanID}' },
      ]),
      [
        'By text foreclosureid={ClosedReason} Foreclosure Foreclosure',
        'Of the rows ID={Title} Contact Contact',
        'Below ID={LoanID} Foreclosure ImportForm',
      ],
    );
    assert.deepEqual(
      await warnings([
        call('The case', 'Foreclosure/Save', 'ID={ForeclosureID}&Status=Seen'),
        call('The case as what it derives from', 'Process/Save', 'ID={ProcessID}&Status=Seen'),
        call('What it is on', 'Foreclosure/Save', 'ID={ObjectID}&Status=Seen'),
        call('Who made it', 'Person/Save', 'ID={CreatedPersonID}'),
        call('The rows themselves', 'Contact/Save', 'ID={ContactID}&Status={Title}', {
          Method: 'Contact/Search?Object=Foreclosure&ObjectID={ForeclosureID}',
        }),
        call('A read', 'Loan/Select', 'ID={LoanID}'),
        call('What a column points to, which the firm must reach', 'Loan/Save', 'Status=Seen&ID={LoanID}'),
        call('Below', 'Message/Save', 'Object=Loan&ObjectID={LoanID}&Message={ClosedReason}'),
        call('A number', 'Loan/Save', 'ID=7&Status={ClosedReason}'),
      ]),
      [],
    );
    assert.deepEqual(
      await warnings([call('By id', 'Loan/Save', 'ID={DecisionTemplateID}')], { AppliesTo: 'Foreclosure' }),
      [],
    );
  });

  it('keeps the dependencies of a renamed step, and deletes those of a deleted one', async () => {
    const made = await template('Renamed', diamond);
    const [texas] = await stepsOf(made);
    await save('decisionsteptemplate', {
      ID: texas?.['DecisionStepTemplateID'],
      DecisionStepTemplate: 'Is in Texas',
    });
    assert.deepEqual(
      (await dependenciesOf(made)).map((row) => row['DependencyStepTemplate']),
      ['Is in Texas', 'Is in Texas', 'Texan notice', 'Other notice'],
    );
    const started = await start('Renamed', await newCase({ Foreclosure: 'Texas' }));
    await ok(
      p.admin.post(`/api/decisionsteptemplate/delete?Output=Json`, {
        ID: (await stepsOf(made)).find((row) => row['DecisionStepTemplate'] === 'Other notice')?.[
          'DecisionStepTemplateID'
        ],
      }),
    );
    assert.deepEqual(
      (await dependenciesOf(made)).map((row) => [row['DecisionStepTemplate'], row['DependencyStepTemplate']]),
      [
        ['Texan notice', 'Is in Texas'],
        ['Set open', 'Texan notice'],
      ],
    );
    // A workflow that has already started keeps the version that it started with.
    const elsewhere = await start('Renamed', await newCase({ Foreclosure: 'Ohio' }));
    assert.deepEqual(await stepStatuses(elsewhere['DecisionID']), ['Is in Texas Complete']);
    assert.deepEqual(await stepStatuses(started['DecisionID']), ['Is in Texas Complete', 'Texan notice Pending']);
  });

  it('leaves running workflows on the version that they started with', async () => {
    const made = await template('Versions', [
      { name: 'By hand' },
      { name: 'Then', ...setStatus('Old'), after: ['By hand'] },
    ]);
    const old = await start('Versions', await newCase());
    const steps = await stepsOf(made);
    await save('decisionsteptemplate', {
      ID: steps[1]?.['DecisionStepTemplateID'],
      Parameters: 'ID={ForeclosureID}&Status=New',
    });
    await save('decisiontemplate', {
      ...templateBody('Versions', [
        { name: 'By hand' },
        { name: 'Then', after: ['By hand'] },
        { name: 'More', after: ['Then'] },
      ]),
      ID: made['DecisionTemplateID'],
    });
    const fresh = await start('Versions', await newCase());
    for (const started of [old, fresh])
      await ok(complete((await stepNamed(started['DecisionID'], 'By hand'))['DecisionStepID']));
    assert.deepEqual(await stepStatuses(old['DecisionID']), ['By hand Complete', 'Then Complete']);
    assert.deepEqual(await stepStatuses(fresh['DecisionID']), ['By hand Complete', 'Then Complete', 'More Pending']);
    const statusOf = async (started: WorkflowRow): Promise<unknown> =>
      (await ok(p.admin.get(`/api/foreclosure/select/${String(started['ObjectID'])}?Output=Json`)))['Status'];
    assert.deepEqual([await statusOf(old), await statusOf(fresh)], ['Old', 'New']);
    assert.notEqual(
      (await decision(old['DecisionID']))['DecisionTemplateVersionID'],
      (await decision(fresh['DecisionID']))['DecisionTemplateVersionID'],
    );
  });

  it('WF-33 sets ExtranetEnabled to Self if it is empty, and refuses any other value', async () => {
    const made = await template('Extranet', [{ name: 'By hand' }]);
    assert.equal(made['ExtranetEnabled'], 'Self');
    assert.equal(
      (await save('decisiontemplate', { ID: made['DecisionTemplateID'], ExtranetEnabled: '' }))['ExtranetEnabled'],
      'Self',
    );
    assert.equal(
      (
        await save('decisiontemplate', {
          ...templateBody('Extranet empty', [{ name: 'By hand' }]),
          ExtranetEnabled: null,
        })
      )['ExtranetEnabled'],
      'Self',
    );
    for (const value of ['No', 'Parent'])
      assert.match(
        String(
          (
            await refused(
              p.admin.post('/api/decisiontemplate/save?Output=Json', {
                ID: made['DecisionTemplateID'],
                ExtranetEnabled: value,
              }),
              400,
            )
          )['Message'],
        ),
        /ExtranetEnabled: expected one of Self/,
      );
    assert.equal(
      (await ok(p.admin.get(`/api/decisiontemplate/select/${String(made['DecisionTemplateID'])}?Output=Json`)))[
        'ExtranetEnabled'
      ],
      'Self',
    );
  });
});

describe('an invalid template is refused, and nothing of it is stored', () => {
  const good = sheet('true()');
  const cases: readonly (readonly [string, readonly StepOf[], RegExp, object?])[] = [
    [
      'an unknown operation',
      [{ name: 'A', Object: 'Foreclosure', Operation: 'Svae' }],
      /Step "A": Operation: there is no operation Svae on foreclosure. Did you mean Save/i,
    ],
    [
      'an unknown module',
      [{ name: 'A', Object: 'Forclosure', Operation: 'Save' }],
      /Step "A": Object: there is no module forclosure. Did you mean foreclosure/i,
    ],
    [
      'an unknown parameter',
      [{ name: 'A', Object: 'Foreclosure', Operation: 'Save', Parameters: 'Statsu=Open' }],
      /Step "A": Parameters: .* takes no parameter Statsu. Did you mean Status/i,
    ],
    [
      'a value of another kind',
      [{ name: 'A', Object: 'Foreclosure', Operation: 'Summary', Parameters: 'ID=many' }],
      /Step "A": Parameters: ID: expected/,
    ],
    [
      'an open brace',
      [{ name: 'A', Object: 'Foreclosure', Operation: 'Save', Parameters: 'Status={Loan' }],
      /Step "A": Parameters: an opening brace has no closing brace/,
    ],
    [
      'an operation in braces',
      [{ name: 'A', Object: 'Foreclosure', Operation: '{Status}' }],
      /Step "A": Operation: braces fill in values only/,
    ],
    [
      'an operation without a module',
      [{ name: 'A', Operation: 'Save' }],
      /Step "A": Object: expected the module of the operation/,
    ],
    [
      'an operation and a template',
      [{ name: 'A', ...formStep, Operation: 'Save' }],
      /Step "A": ObjectID: expected no value with an Operation/,
    ],
    [
      'an operation and a stylesheet',
      [{ name: 'A', Object: 'Foreclosure', Operation: 'Save', StepXslt: good }],
      /Step "A": StepXslt: expected no value with an Operation/,
    ],
    [
      'an invalid Method',
      [{ name: 'A', Object: 'Foreclosure', Operation: 'Save', Method: 'Contact/Serach' }],
      /Step "A": Method: there is no operation Serach on contact. Did you mean Search/i,
    ],
    [
      'a loop over one page',
      [{ name: 'A', Object: 'Foreclosure', Operation: 'Save', Method: 'Contact/Search?DisplaySize=5' }],
      /Step "A": Method: DisplaySize: all rows are read/,
    ],
    [
      'a loop over the rows of a change',
      [{ name: 'A', Object: 'Foreclosure', Operation: 'Save', Method: 'DecisionStep/Complete?ID={DecisionStepID}' }],
      /Step "A": Method: Operation: DecisionStepComplete returns no rows; expected a read operation/,
    ],
    [
      'a duration below zero without a date before which it is',
      [{ name: 'A', EstimatedDuration: -3 }],
      /Step "A": EstimatedDuration: expected 0 or more, or a ReferenceDate/,
    ],
    [
      'a type without templates',
      [{ name: 'A', Object: 'Loan', ObjectID: 1 }],
      /Step "A": Object: expected the record type of a template/,
    ],
    [
      'a misspelled type',
      [{ name: 'A', Object: 'ImportFromTemplate', ObjectID: 1 }],
      /Step "A": Object: .*did you mean ImportFormTemplate/,
    ],
    [
      'no template',
      [{ name: 'A', Object: 'ImportFormTemplate' }],
      /Step "A": ObjectID: expected the ID of one ImportFormTemplate, or ObjectMatrixID/,
    ],
    [
      'a template that does not exist',
      [{ name: 'A', Object: 'ImportFormTemplate', ObjectID: 999_999 }],
      /Step "A": ObjectID: expected the ID of one ImportFormTemplate; there is none with ID 999999/,
    ],
    [
      'a template for another type',
      [{ name: 'A', Object: 'ImportForm', ObjectID: loanForm['ImportFormTemplateID'] }],
      new RegExp(
        'Step "A": ObjectID: expected the ID of one ImportFormTemplate for Foreclosure records, as the ' +
          'workflow is; ' +
          '\\d+ is for Loan records',
      ),
    ],
    [
      'a template ID without a type',
      [{ name: 'A', ObjectID: 1 }],
      /Step "A": Object: expected the record type of the template/,
    ],
    [
      'an invalid parameter of an instance',
      [{ name: 'A', Object: 'LedgerTemplate', ObjectID: ledger['LedgerTemplateID'], Parameters: 'Blaance=1' }],
      /Step "A": Parameters: .* takes no parameter Blaance. Did you mean Balance/,
    ],
    [
      'polling without a stylesheet',
      [{ name: 'A', DecisionStepTemplateType: 'Polling' }],
      /Step "A": StepXslt: expected a stylesheet, since the step is of the type Polling/,
    ],
    [
      'if/then without a stylesheet',
      [{ name: 'A', DecisionStepTemplateType: 'IfThen' }],
      /Step "A": StepXslt: expected a stylesheet/,
    ],
    [
      'a schedule without polling',
      [{ name: 'A', DecisionStepTemplateType: 'IfThen', StepXslt: good, MonitorScheduleID: 1 }],
      /MonitorScheduleID/,
    ],
    [
      'a DOCTYPE',
      [
        {
          name: 'A',
          DecisionStepTemplateType: 'IfThen',
          StepXslt: `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${good}`,
        },
      ],
      /Step "A": StepXslt: .*DOCTYPE/,
    ],
    [
      'a stylesheet that is not well formed',
      [{ name: 'A', DecisionStepTemplateType: 'IfThen', StepXslt: good.slice(0, -5) }],
      /Step "A": StepXslt/,
    ],
    [
      'a stylesheet of version 2',
      [{ name: 'A', DecisionStepTemplateType: 'IfThen', StepXslt: good.replace('version="1.0"', 'version="2.0"') }],
      /Step "A": StepXslt: .*version="1.0"/,
    ],
    ['an invalid XPath', [{ name: 'A', ReferenceDate: '//Foreclosure[' }], /Step "A"/],
    ['an unknown duration', [{ name: 'A', DurationScale: 7 }], /Step "A": DurationScale: expected 0 days/],
    ['a duration below 0', [{ name: 'A', EstimatedDuration: -1 }], /Step "A": EstimatedDuration/],
    [
      'an unknown Repeatability',
      [{ name: 'A', Repeatability: 3 }],
      /Step "A": Repeatability: expected 0 \(by hand\), 1 \(once\) or 2 \(again\)/,
    ],
    ['an unknown queue', [{ name: 'A', Queue: 'Nowhere' }], /Step "A": QueueName: there is no such queue/],
    [
      'an unknown queue parameter',
      [{ name: 'A', QueueParameters: 'Nowhere=1' }],
      /Step "A": QueueParameters: expected names among QueueName, QueuedDate, QueueLabel, found Nowhere/,
    ],
    ['a batch without an operation', [{ name: 'A', BatchLog: 1 }], /Step "A": BatchLog: expected an Operation/],
    [
      'a batch without a query',
      [{ name: 'A', Object: 'Foreclosure', Operation: 'Save', Parameters: 'ID={ForeclosureID}', BatchLog: 1 }],
      /Step "A": Method: expected the query whose rows are processed/,
    ],
    [
      'a batch whose query has parameters of the batch',
      [
        {
          name: 'A',
          Object: 'Foreclosure',
          Operation: 'Save',
          Parameters: 'ID={ImportFormID}',
          BatchLog: 1,
          Method: 'ImportForm/Search?DecisionStepID={DecisionStepID}',
        },
      ],
      /Step "A": Method: expected no parameter DecisionStepID/,
    ],
    [
      'too many concurrent rows',
      [
        {
          name: 'A',
          Object: 'Foreclosure',
          Operation: 'Save',
          Method: 'Foreclosure/Search',
          BatchLog: 1,
          BatchStepTheadCount: 65,
        },
      ],
      /Step "A": BatchStepTheadCount: expected 1 to 64/,
    ],
    ['a step that waits for itself', [{ name: 'A', after: ['A'] }], /a step cannot depend on itself/],
    [
      'a step that waits for an unknown step',
      [{ name: 'Alpha' }, { name: 'B', after: ['Alhpa'] }],
      /the workflow has no step "Alhpa". Did you mean Alpha/,
    ],
    [
      'a circle',
      [{ name: 'A' }, { name: 'B', after: ['A', 'C'] }, { name: 'C', after: ['B'] }],
      /Dependencies: the steps depend on each other in a circle: B > C > B/,
    ],
    [
      'a circle without an entry',
      [
        { name: 'B', Repeatability: 2, after: ['C'] },
        { name: 'C', Repeatability: 2, after: ['B'] },
      ],
      /in a circle/,
    ],
    ['two steps with one name', [{ name: 'A' }, { name: 'a' }], /./],
    ['an unknown type', [{ name: 'A' }], /AppliesTo/, { AppliesTo: 'Forclosure' }],
  ];
  for (const [what, steps, message, more] of cases) {
    it(`with ${what}`, async () => {
      const answer = await p.admin.post(
        '/api/decisiontemplate/save?Output=Json',
        templateBody(`Refused with ${what}`, steps, more),
      );
      if (what === 'two steps with one name') {
        // The same name is the same step, sent twice, as with any child.
        assert.equal(answer.status, 200, answer.text);
        return assert.equal((await stepsOf(answer.json())).length, 1);
      }
      assert.ok(answer.status >= 400 && answer.status < 500, answer.text);
      assert.match(String((answer.json() as never as { Error: WorkflowRow }).Error['Message']), message);
      assert.equal(
        (
          await search(
            'decisiontemplate',
            'DecisionTemplate',
            `DecisionTemplate=${encodeURIComponent(`"Refused with ${what}"`)}`,
          )
        ).length,
        0,
      );
    });
  }

  it('and so is a change of a step or dependency that makes it invalid', async () => {
    const made = await template('Sound', [{ name: 'A' }, { name: 'B', after: ['A'] }]);
    const [a, b] = await stepsOf(made);
    const circle = await refused(
      p.admin.post('/api/decisiondependency/save?Output=Json', {
        DecisionTemplateID: made['DecisionTemplateID'],
        DecisionStepTemplateID: a?.['DecisionStepTemplateID'],
        DependencyStepTemplateID: b?.['DecisionStepTemplateID'],
      }),
      400,
    );
    assert.match(String(circle['Message']), /in a circle/);
    assert.equal((await dependenciesOf(made)).length, 1);
    await refused(
      p.admin.post('/api/decisionsteptemplate/save?Output=Json', {
        ID: a?.['DecisionStepTemplateID'],
        Object: 'Foreclosure',
        Operation: 'Nothing',
      }),
      400,
    );
    assert.equal((await stepsOf(made))[0]?.['Operation'] ?? null, null);
  });

  it('and so is a workflow on a record of another type', async () => {
    await template('For foreclosures', [{ name: 'A' }]);
    const loan = await save('loan', { Loan: '123456' });
    assert.match(
      (
        await p.admin.post('/api/decision/save?Output=Json', {
          Template: 'For foreclosures',
          Object: 'Loan',
          ObjectID: loan['LoanID'],
        })
      ).text,
      /Template|Object/,
    );
    assert.equal((await search('decision', 'Decision', `Object=Loan&ObjectID=${String(loan['LoanID'])}`)).length, 0);
  });
});

describe('decisiontemplate/copy', () => {
  const copy = (body: object): Promise<WorkflowRow> => ok(p.admin.post('/api/decisiontemplate/copy?Output=Json', body));
  const plain = (rows: readonly WorkflowRow[]): WorkflowRow[] =>
    rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).filter(
          ([name]) => !/ID$|Date$|^Version$|^RecordCount/.test(name) || ['ObjectID', 'TeamID'].includes(name),
        ),
      ),
    );

  it('WF-15 creates the same steps and dependencies under a free name, and the copy runs alike', async () => {
    const made = await template('Original', diamond, { EnforceStartDates: 1, Description: 'What it is for' });
    const [one, two, named] = [
      await copy({ ID: made['DecisionTemplateID'] }),
      await copy({ ID: made['DecisionTemplateID'] }),
      await copy({ ID: made['DecisionTemplateID'], DecisionTemplate: 'Of my own' }),
    ];
    assert.deepEqual(
      [one, two, named].map((row) => row['DecisionTemplate']),
      ['Original (copy)', 'Original (copy 2)', 'Of my own'],
    );
    assert.deepEqual(
      [one['AppliesTo'], one['EnforceStartDates'], one['Description'], one['ExtranetEnabled']],
      ['Foreclosure', true, 'What it is for', 'Self'],
    );
    assert.deepEqual(plain(await stepsOf(one)), plain(await stepsOf(made)));
    assert.deepEqual(plain(await dependenciesOf(one)), plain(await dependenciesOf(made)));
    assert.equal(
      new Set([...(await stepsOf(one)), ...(await stepsOf(made))].map((row) => row['DecisionStepTemplateID'])).size,
      8,
    );
    const started = await start('Original (copy)', await newCase({ Foreclosure: 'Texas' }));
    assert.deepEqual(await stepStatuses(started['DecisionID']), ['Is in Texas Complete', 'Texan notice Pending']);
  });

  it('WF-15 refuses a name that is taken and an unknown template; the longest name still gets its number, and two copies at once differ', async () => {
    const made = await template('x'.repeat(100), [{ name: 'A' }]);
    await refused(
      p.admin.post('/api/decisiontemplate/copy?Output=Json', {
        ID: made['DecisionTemplateID'],
        DecisionTemplate: 'X'.repeat(100),
      }),
      409,
    );
    await refused(p.admin.post('/api/decisiontemplate/copy?Output=Json', { ID: 999_999 }), 404);
    const copies = await Promise.all(Array.from({ length: 3 }, () => copy({ ID: made['DecisionTemplateID'] })));
    assert.deepEqual(
      copies.map((row) => String(row['DecisionTemplate'])).sort(),
      [`${'x'.repeat(91)} (copy 2)`, `${'x'.repeat(91)} (copy 3)`, `${'x'.repeat(93)} (copy)`].sort(),
    );
    const firm = await p.firm('Copying Firm');
    await refused(firm.caller.post('/api/decisiontemplate/copy?Output=Json', { ID: made['DecisionTemplateID'] }), 403);
  });
});

describe('decisiontemplate/flowchart', () => {
  const flowchartOf = async (query: string): Promise<string> =>
    String((await ok(p.admin.get(`/api/decisiontemplate/flowchart?Output=Json&${query}`)))['Flowchart']);

  it('WF-15 draws each step by its kind, each dependency with its result, and where one of several is enough', async () => {
    const polled = sheet("//ForeclosureItem/Status = 'Sold'");
    const made = await template('Drawn', [
      ...diamond,
      { name: 'Wait for sale', DecisionStepTemplateType: 'Polling', StepXslt: polled, after: ['Set open'] },
      { name: 'By hand', after: ['Wait for sale=1', 'Texan notice'] },
      { name: 'Call "back" #1', Repeatability: 0 },
      { name: 'Repeated', Repeatability: 2, after: ['By hand'] },
    ]);
    const ids = (await stepsOf(made)).map((row) => Number(row['DecisionStepTemplateID']));
    const [texas, yes, no, open, poll, hand, callback, again] = ids.map((id) => `s${id}`);
    const expected = [
      'flowchart TD',
      `  ${texas}{"Is in Texas"}`,
      `  ${yes}["Texan notice"]`,
      `  ${no}["Other notice"]`,
      `  ${open}[["Set open"]]`,
      `  ${poll}{{"Wait for sale"}}`,
      `  ${hand}("By hand")`,
      `  ${callback}("Call #34;back#34; #35;1")`,
      `  ${again}("Repeated")`,
      `  ${texas} -->|true| ${yes}`,
      `  ${texas} -->|false| ${no}`,
      `  g${ids[3]}x0(("any"))`,
      `  ${yes} --> g${ids[3]}x0`,
      `  ${no} --> g${ids[3]}x0`,
      `  g${ids[3]}x0 --> ${open}`,
      `  ${open} --> ${poll}`,
      `  ${poll} --> ${hand}`,
      `  ${yes} --> ${hand}`,
      `  ${hand} --> ${again}`,
      `  class ${texas} ifThen`,
      `  class ${hand},${callback},${again} manual`,
      `  class ${open} operation`,
      `  class ${poll} polling`,
      `  class ${yes},${no} record`,
      '  classDef adHoc stroke-dasharray:1 3',
      '  classDef repeated stroke-dasharray:8 2',
      `  class ${callback} adHoc`,
      `  class ${again} repeated`,
      '',
    ];
    assert.deepEqual((await flowchartOf(`ID=${String(made['DecisionTemplateID'])}`)).split('\n'), expected);
    assert.equal(await flowchartOf(`ID=${String(made['DecisionTemplateID'])}`), expected.join('\n'));
    assert.match(
      (await p.admin.get(`/api/decisiontemplate/flowchart?ID=${String(made['DecisionTemplateID'])}`)).text,
      /<Flowchart>flowchart TD\n/,
    );
  });

  it("WF-15 shows the state of each step of a workflow, in the workflow's version of the template", async () => {
    const made = await template('In progress', diamond);
    const started = await start('In progress', await newCase({ Foreclosure: 'Texas' }));
    const ids = (await stepsOf(made)).map((row) => `s${String(row['DecisionStepTemplateID'])}`);
    await save('decisionsteptemplate', {
      DecisionTemplateID: made['DecisionTemplateID'],
      DecisionStepTemplate: 'Came later',
    });
    const text = await flowchartOf(`DecisionID=${String(started['DecisionID'])}`);
    assert.ok(!text.includes('Came later'));
    assert.ok((await flowchartOf(`ID=${String(made['DecisionTemplateID'])}`)).includes('"Came later"'));
    for (const line of [
      `class ${ids[0]} stateComplete`,
      `class ${ids[1]} statePending`,
      `class ${ids[2]},${ids[3]} stateWaiting`,
      'classDef stateComplete stroke:#2e7d32,stroke-width:3px',
    ])
      assert.ok(text.includes(`  ${line}\n`), `${line} in\n${text}`);
    await refused(p.admin.get('/api/decisiontemplate/flowchart?Output=Json'), 400);
    await refused(p.admin.get('/api/decisiontemplate/flowchart?Output=Json&ID=999999'), 404);
    await refused(p.admin.get('/api/decisiontemplate/flowchart?Output=Json&DecisionID=999999'), 404);
    const other = await template('Another one', [{ name: 'A' }]);
    await refused(
      p.admin.get(
        `/api/decisiontemplate/flowchart?Output=Json&ID=${String(other['DecisionTemplateID'])}` +
          `&DecisionID=${String(started['DecisionID'])}`,
      ),
      400,
    );
    const reader = await p.user('Flow Reader', 'Read Only');
    await ok(reader.caller.get(`/api/decisiontemplate/flowchart?Output=Json&ID=${String(made['DecisionTemplateID'])}`));
    const firm = await p.firm('Drawing Firm');
    await refused(
      firm.caller.get(`/api/decisiontemplate/flowchart?Output=Json&DecisionID=${String(started['DecisionID'])}`),
      403,
    );
    await save('role', { Role: 'Draws', Permissions: 'DecisionTemplateFlowchart' });
    const drawing = await p.firm('Another Drawing Firm', 'Draws');
    await refused(
      drawing.caller.get(`/api/decisiontemplate/flowchart?Output=Json&DecisionID=${String(started['DecisionID'])}`),
      404,
    );
    const mine = await start('In progress', await newCase({ OrganizationID: drawing.organizationId }));
    await ok(
      drawing.caller.get(`/api/decisiontemplate/flowchart?Output=Json&DecisionID=${String(mine['DecisionID'])}`),
    );
  });

  it('WF-15 a name cannot inject notation: characters with a meaning in flowcharts are written as their code points', () => {
    const marks = [
      '"]; click s1 "javascript:alert(1)"',
      '#quot;',
      '<img src=x onerror=alert(1)>',
      '`**x**`',
      '1. one',
      '- one',
      'end',
      'a\n  s9["b"]',
      'style x:#35;y',
      '%%{init: {}}%%',
      '| --> |',
      '\u202eevil',
      'é 日本 😀',
      '\ud800',
    ];
    assert.deepEqual(marks.map(escapeLabel).slice(1, 6), [
      '#35;quot#59;',
      '#60;img src#61;x onerror#61;alert#40;1#41;#62;',
      '#96;#42;#42;x#42;#42;#96;',
      '1#46; one',
      '#45; one',
    ]);
    assert.deepEqual(
      [escapeLabel('end'), escapeLabel('\u202eevil'), escapeLabel('é 日本 😀'), escapeLabel('\n')],
      ['end', 'evil', 'é 日本 #128512;', ' '],
    );
    const decoded = (label: string): string =>
      label.replace(/#(\d+);/g, (_all, number: string) => String.fromCodePoint(Number(number)));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter, maxLength: 60 }), fc.constantFrom(...marks)), (name) => {
        const label = escapeLabel(name);
        assert.match(label, /^(?:[\p{L}\p{M}\p{N} ,]|#\d+;)+$/u);
        assert.equal(
          decoded(label).trim(),
          name
            .toWellFormed()
            .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
            .trim(),
        );
        const text = flowchart({
          name: '',
          steps: [{ id: 7, name, type: null, object: null, operation: null, xslt: null, repeatability: 1, groups: [] }],
        });
        assert.equal(text, `flowchart TD\n  s7("${label}")\n  class s7 manual\n`);
      }),
    );
  });
});

describe('a template in another installation', () => {
  it('KRN-12 is imported with everything its steps point to, even workflows in a circle, and runs; importing it again changes nothing', async (t) => {
    const b = await testPlatform(t);
    const there = workflowCalls(b);
    // The other installation uses different IDs.
    for (let n = 0; n < 3; n++) await there.save('importformtemplate', { ImportFormTemplate: `Filler ${n}` });
    await there.template('Filler workflow', [{ name: 'A' }]);
    const inner = await template('Inner', [{ name: 'Inner form', ...formStep }]);
    const outer = await template('Outer', [
      { name: 'Start inner', Object: 'Decision', ObjectID: inner['DecisionTemplateID'] },
      { name: 'Outer form', Object: 'ImportForm', ObjectID: form['ImportFormTemplateID'], after: ['Start inner'] },
    ]);
    await save('decisionsteptemplate', {
      DecisionTemplateID: inner['DecisionTemplateID'],
      DecisionStepTemplate: 'By hand the outer one',
      Object: 'DecisionTemplate',
      ObjectID: outer['DecisionTemplateID'],
      Repeatability: 0,
    });
    assert.deepEqual(
      (await stepsOf(outer)).map((row) => row['Object']),
      ['DecisionTemplate', 'ImportFormTemplate'],
    );
    const xml = (await p.admin.get(`/api/decisiontemplate/export?ID=${String(outer['DecisionTemplateID'])}`)).text;
    assert.deepEqual(
      [...new Set([...xml.matchAll(/<(\w+)Item Sub/g)].map((match) => match[1]))],
      ['DecisionDependency', 'DecisionStepTemplate', 'DecisionTemplate', 'ImportFormTemplate'],
    );
    const send = async (): Promise<unknown[]> => {
      const answer = await b.admin.post('/api/decisiontemplate/import?Output=Json', xml, {
        'Content-Type': 'text/xml',
      });
      assert.equal(answer.status, 200, answer.text);
      const rows =
        Object.values((Object.values(answer.json() as WorkflowRow)[0] ?? {}) as Record<string, WorkflowRow[]>)[0] ?? [];
      return [...new Set(rows.map((row) => row['Operation']))];
    };
    assert.deepEqual(await send(), ['Insert']);
    const forms = await search('importformtemplate', 'ImportFormTemplate', 'ImportFormTemplate="Review title"', b);
    const arrived = await search(
      'decisionsteptemplate',
      'DecisionStepTemplate',
      'DecisionStepTemplate="Outer form"',
      b,
    );
    assert.deepEqual(
      [arrived[0]?.['ObjectID'], arrived[0]?.['ObjectID'] !== form['ImportFormTemplateID']],
      [forms[0]?.['ImportFormTemplateID'], true],
    );
    assert.deepEqual(await send(), ['Unchanged']);
    const started = await there.start('Outer', await there.newCase());
    assert.deepEqual(await there.stepStatuses(started['DecisionID']), ['Start inner Pending']);
    const child = await there.stepNamed(started['DecisionID'], 'Start inner');
    const task = await there.stepNamed(child['ObjectID'], 'Inner form');
    await there.save('importform', { ID: task['ObjectID'], ActualCompletion: '2026-01-05' });
    assert.deepEqual(await there.stepStatuses(started['DecisionID']), ['Start inner Complete', 'Outer form Pending']);
    assert.equal(
      (await b.admin.get(`/api/decisiontemplate/export?ID=${String(started['DecisionTemplateID'])}`)).text,
      xml,
    );
    const lost = xml.replace(
      /<ObjectSubscriberID>[^<]+<\/ObjectSubscriberID>/,
      '<ObjectSubscriberID>nobody</ObjectSubscriberID>',
    );
    assert.match(
      (await b.admin.post('/api/decisiontemplate/import?Output=Json', lost, { 'Content-Type': 'text/xml' })).text,
      new RegExp(
        'ObjectSubscriberID: neither the document nor this installation has a ' +
          '(?:DecisionTemplate|ImportFormTemplate) with this SubscriberID',
      ),
    );
    const withoutObject = xml.replace(/<Object>\w+<\/Object>/, '');
    assert.match(
      (await b.admin.post('/api/decisiontemplate/import?Output=Json', withoutObject, { 'Content-Type': 'text/xml' }))
        .text,
      /ObjectSubscriberID: Object is required/,
    );
  });
});

describe('the guide', () => {
  const guide = readFileSync(new URL('../../../docs/guides/analysts/workflows.md', import.meta.url), 'utf8');
  const blocks = [...guide.matchAll(/^```json\n(\{\n {2}"DecisionTemplate"[^`]+)```/gm)].map(
    (match) => match[1]?.replaceAll('"ObjectID": 7', `"ObjectID": ${String(form['ImportFormTemplateID'])}`) ?? '',
  );

  it('WF-02 WF-05 describes a first workflow that runs as described', async () => {
    await ok(p.admin.post('/api/decisiontemplate/save?Output=Json', JSON.parse(blocks[0] ?? '') as object));
    const started = await start('Notice of sale', await newCase({ Foreclosure: 'Texas' }));
    assert.deepEqual(await stepStatuses(started['DecisionID']), ['Is in Texas Complete', 'Texan notice Pending']);
    await save('importform', {
      ID: (await stepNamed(started['DecisionID'], 'Texan notice'))['ObjectID'],
      ActualCompletion: '2026-01-05',
    });
    assert.equal((await decision(started['DecisionID']))['Status'], 'Complete');
  });

  it('WF-04 WF-06 WF-07 WF-31 WF-35 shows kinds of steps that each do what it says', async () => {
    await ok(p.admin.post('/api/decisiontemplate/save?Output=Json', JSON.parse(blocks[1] ?? '') as object));
    const caseId = await newCase();
    for (const name of ['Anna', 'Berta'])
      await save('contact', { LastName: name, Object: 'Foreclosure', ObjectID: caseId });
    const started = await start('Every kind of step', caseId);
    assert.deepEqual(await stepStatuses(started['DecisionID']), [
      'A task Complete',
      'A call Complete',
      'A call for each contact Complete',
      'Many calls side by side Pending',
      'A call with a document Complete',
      'A question Pending',
      'Somebody Pending',
    ]);
    assert.deepEqual(
      (await search('message', 'Message', `Object=Foreclosure&ObjectID=${caseId}&OrderBy=MessageID`)).map(
        (row) => row['Message'],
      ),
      [`Case ${caseId} has begun`, 'Anna'],
    );
    assert.deepEqual(
      (await search('contact', 'Contact', `Object=Foreclosure&ObjectID=${caseId}`)).map((row) => row['Status']),
      ['Notified', 'Notified'],
    );
  });
});
