import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { businessCalendar } from '../../../src/modules/work/lib/business-calendar.ts';
import { testPlatform } from '../../support/platform.ts';
import { rowsOf, workflowCalls, type WorkflowRow } from '../../support/work/workflows.ts';

const p = await testPlatform({ after });
const { ok, save, steps, decision } = workflowCalls(p);
/** The document that the first start of an installation imports. */
const standard = readFileSync(new URL('../../../src/app/standard/workflows.xml', import.meta.url), 'utf8');
const importDocument = async (document: string): Promise<readonly WorkflowRow[]> =>
  rowsOf(
    await ok(
      p.admin.send('POST', '/api/importfiletemplate/import?Output=Json', document, { 'Content-Type': 'text/xml' }),
    ),
    'ConfigurationChange',
  );
const importStandard = (): Promise<readonly WorkflowRow[]> => importDocument(standard);
const imported = await importStandard();

interface StandardWorkflow {
  readonly identifier: string;
  readonly name: string;
  readonly appliesTo: 'Foreclosure' | 'Bankruptcy';
  readonly description: string;
  readonly steps: readonly { readonly name: string; readonly kind: string | null }[];
}

const standardWorkflows = await p.platform.store.query<StandardWorkflow>(
  `select s.subscriberid as identifier, t.decisiontemplate as name, t.appliesto as "appliesTo", t.description,
       (select json_agg(
          json_build_object('name', p.decisionsteptemplate, 'kind', p.decisionsteptemplatetype)
          order by p.sequence)
        from decisionsteptemplate p where p.decisiontemplateid = t.decisiontemplateid) as steps
     from decisiontemplate t
     join objectsubscription s on s.object = 'DecisionTemplate' and s.objectid = t.decisiontemplateid
   order by t.decisiontemplateid`,
);
const standardHolds = await p.platform.store.query<{ identifier: string; name: string }>(
  `select s.subscriberid as identifier, t.decisiondelaytemplate as name from decisiondelaytemplate t
   join objectsubscription s on s.object = 'DecisionDelayTemplate' and s.objectid = t.decisiondelaytemplateid`,
);

/** Most rounds of completing open steps in one run: a circle would otherwise never end. */
const ROUNDS_MAX = 60;
/** Dates that a court sets later and that polling steps wait for. */
const awaited = {
  Foreclosure: { ScheduledSaleDate: '2026-09-01' },
  Bankruptcy: { HearingDate: '2026-09-01', BarDate: '2026-09-01' },
} as const;
const isDone = (row: WorkflowRow): boolean => row['Status'] === 'Complete';

/**
 * The answer to each question by its name. `State` and `Chapter` select the case itself: yes for a state with judicial
 * foreclosure or a chapter with a plan.
 */
type Answers = (question: string) => boolean;
const yes: Answers = () => true;
const no: Answers = () => false;
/** The state of the property is not known, so a person is asked. */
const unknownState: Answers = () => true;
/** Workflows in which a question follows another answer, and therefore need a run with different answers to the two. */
const mixed: Readonly<Record<string, readonly Answers[]>> = {
  'Foreclosure, non-judicial': [(question) => question !== 'Reinstated'],
  'Motion for relief': [(question) => question !== 'Agreed'],
  'Foreclosure referral': [unknownState],
};
let loans = 600_000_000;
/** The required questions of each task type, by template ID. */
const questions = new Map<unknown, WorkflowRow[]>();

/** Runs a workflow to its end. Returns the names of the completed steps, if/then steps also as `Name=1` or `Name=0`. */
async function runToEnd(
  workflow: StandardWorkflow,
  answers: Answers,
): Promise<{ readonly done: ReadonlySet<string>; readonly status: unknown }> {
  const { appliesTo, name } = workflow;
  const state = answers('State') ? 'FL' : 'TX';
  const property = await save('property', { State: answers === unknownState ? '' : state });
  const loan = await save('loan', { Agency: 'INVESTOR', Loan: String(loans++), PropertyID: property['PropertyID'] });
  const made = await save(appliesTo.toLowerCase(), {
    [appliesTo]: name,
    LoanID: loan['LoanID'],
    ...(appliesTo === 'Bankruptcy' ? { Chapter: answers('Chapter') ? '13' : '7' } : {}),
  });
  const caseId = Number(made[`${appliesTo}ID`]);
  const started = await save('decision', { Template: name, Object: appliesTo, ObjectID: caseId });
  for (let n = 0; n < ROUNDS_MAX; n++) {
    const workflows = rowsOf(
      await ok(p.admin.get(`/api/${appliesTo.toLowerCase()}/${caseId}/decision/search?Output=Json`)),
      'Decision',
    );
    const all = (await Promise.all(workflows.map((row) => steps(row['DecisionID'])))).flat();
    const open = all.filter((row) => row['Status'] === 'Pending' && row['Object'] !== 'Decision');
    if (open.length === 0) break;
    for (const step of open) {
      if (step['Object'] === 'ImportForm') await completeTask(step['ObjectID'], answers);
      else await completePolling(appliesTo, caseId, step);
    }
  }
  const done = new Set<string>();
  for (const row of await steps(started['DecisionID'])) {
    assert.ok(
      isDone(row),
      `${name}: ${String(row['DecisionStep'])} ${String(row['Status'])} ${String(row['ErrorMessage'])}`,
    );
    done.add(String(row['DecisionStep']));
    if (row['DecisionStepType'] === 'IfThen')
      done.add(`${String(row['DecisionStep'])}=${row['IsTrue'] === true ? 1 : 0}`);
  }
  return { done, status: (await decision(started['DecisionID']))['Status'] };
}

/** Completes a task as a user would: answers each required question with yes or no. */
async function completeTask(formId: unknown, answers: Answers): Promise<void> {
  const form = await ok(p.admin.get(`/api/importform/select/${String(formId)}?Output=Json`));
  const formQuestions =
    questions.get(form['ImportFormTemplateID']) ??
    rowsOf(
      await ok(
        p.admin.get(
          `/api/importformtemplate/${String(form['ImportFormTemplateID'])}/importformquestion/search?Output=Json`,
        ),
      ),
      'ImportFormQuestion',
    ).filter((question) => question['IsRequired'] === true && question['RowsOf'] === undefined);
  questions.set(form['ImportFormTemplateID'], formQuestions);
  const answered = Object.fromEntries(
    formQuestions.map((question) => [
      String(question['ImportFormQuestion']),
      answers(String(question['ImportFormQuestion'])) ? '1' : '0',
    ]),
  );
  await save('importform', { ID: formId, ...answered, ActualCompletion: new Date().toISOString() });
}

/** Sets the date that a polling step waits for and starts the step. */
async function completePolling(
  appliesTo: 'Foreclosure' | 'Bankruptcy',
  caseId: number,
  step: WorkflowRow,
): Promise<void> {
  assert.equal(step['DecisionStepType'], 'Polling', String(step['DecisionStep']));
  await save(appliesTo.toLowerCase(), { ID: caseId, ...awaited[appliesTo] });
  await ok(p.admin.post('/api/decisionstep/start?Output=Json', { ID: step['DecisionStepID'] }));
}

describe('the standard workflows', () => {
  it('are configuration like any other: the document is imported whole, and importing it again changes nothing', async () => {
    assert.equal(standardWorkflows.length, 5);
    assert.equal(standardHolds.length, 4);
    const changed = (rows: readonly WorkflowRow[]): unknown[] => [...new Set(rows.map((row) => row['Operation']))];
    // The import types already exist and only get their workflows.
    assert.deepEqual(new Set(changed(imported)), new Set(['Insert', 'Update']));
    assert.deepEqual(changed(await importStandard()), ['Unchanged']);
  });

  it('WF-01 are valid as shipped: saving each one changes none of its steps, and its identifier finds it', async () => {
    for (const { identifier, name, description, steps: of } of standardWorkflows) {
      const saved = await save('decisiontemplate', {
        SubscriberID: identifier,
        Description: `${description} Checked.`,
      });
      assert.equal(saved['DecisionTemplate'], name);
      const versions = await p.platform.store.query<{ n: number; steps: number }>(
        `select count(*)::integer as n, max(stepcount) as steps
         from decisiontemplateversion
         where decisiontemplateid = $1::bigint`,
        [saved['DecisionTemplateID']],
      );
      assert.deepEqual(versions[0], { n: 2, steps: of.length }, name);
      const [first, second] = await p.platform.store.query<{ steps: unknown }>(
        `select content -> 'steps' as steps
         from decisiontemplatecontent
         join decisiontemplateversion using (decisiontemplateversionid)
         where decisiontemplateid = $1::bigint
         order by decisiontemplateversionid`,
        [saved['DecisionTemplateID']],
      );
      assert.deepEqual(second, first, `${name}: saving it leaves its steps unchanged`);
    }
    for (const { identifier, name } of standardHolds)
      assert.equal(
        (await save('decisiondelaytemplate', { SubscriberID: identifier, Status: 'Active' }))['DecisionDelayTemplate'],
        name,
      );
    const wired = await p.platform.store.query<{ name: string; workflow: string }>(
      `select i.importfiletemplate as name, s.subscriberid as workflow
       from importfiletemplate i
       join objectsubscription s on s.object = 'DecisionTemplate' and s.objectid = i.decisiontemplateid`,
    );
    assert.deepEqual(Object.fromEntries(wired.map(({ name, workflow }) => [name, workflow])), {
      Foreclosure: 'standard/foreclosure-referral',
      MFR: 'standard/bankruptcy-mfr',
      POC: 'standard/bankruptcy-poc',
    });
  });

  it('WF-05 choose judicial or non-judicial foreclosure by the ProcessType that the firm sent, else by the state of the property, else ask a person', async () => {
    const kinds: readonly (readonly [processType: string, state: string, workflow: string])[] = [
      ['Judicial', '', 'Judicial foreclosure'],
      ['Judicial', 'TX', 'Judicial foreclosure'],
      ['Non Judicial', 'FL', 'Non-judicial foreclosure'],
      ['Co-op', 'NY', 'Judicial foreclosure'],
      ['Home Equity', 'TX', 'Non-judicial foreclosure'],
      ['', 'FL', 'Judicial foreclosure'],
      ['', 'fl', 'Judicial foreclosure'],
      ['', 'TX', 'Non-judicial foreclosure'],
      ['', '', 'Choose the kind of foreclosure'],
      ['Home Equity', 'Pennsylvania', 'Choose the kind of foreclosure'],
      ['Co-op', '', 'Choose the kind of foreclosure'],
    ];
    for (const [processType, state, workflow] of kinds) {
      const property = await save('property', { Address: '1 Sample Street', State: state });
      const loan = await save('loan', {
        Agency: 'INVESTOR',
        Loan: String(loans++),
        PropertyID: property['PropertyID'],
      });
      const made = await save('foreclosure', {
        Foreclosure: `${processType} ${state}`,
        ProcessType: processType,
        LoanID: loan['LoanID'],
      });
      const started = await save('decision', {
        Template: 'Foreclosure referral',
        Object: 'Foreclosure',
        ObjectID: made['ForeclosureID'],
      });
      const begun = (await steps(started['DecisionID'])).map((step) => step['DecisionStep']);
      assert.deepEqual(
        begun,
        ['The kind is known', ...(workflow.startsWith('Choose') ? [] : ['The courts foreclose']), workflow],
        `${processType} in ${state}`,
      );
    }
  });

  it('WF-05 follow what the person answers who chooses the kind of foreclosure', async () => {
    for (const answers of [yes, no]) {
      const made = await save('foreclosure', { Foreclosure: 'Nowhere', ProcessType: 'Home Equity' });
      const started = await save('decision', {
        Template: 'Foreclosure referral',
        Object: 'Foreclosure',
        ObjectID: made['ForeclosureID'],
      });
      const [, task] = await steps(started['DecisionID']);
      await completeTask(task?.['ObjectID'], answers);
      assert.equal(
        (await steps(started['DecisionID'])).at(-1)?.['DecisionStep'],
        answers('Judicial') ? 'Judicial foreclosure' : 'Non-judicial foreclosure',
      );
    }
  });

  it('FRM-01 require in their tasks the answers that they branch on: a task without them cannot be completed', async () => {
    const made = await save('foreclosure', { Foreclosure: 'Unanswered' });
    const form = await save('importform', {
      Template: 'Hold the sale',
      Object: 'Foreclosure',
      ObjectID: made['ForeclosureID'],
    });
    const refused = await p.admin.post('/api/importform/save', {
      ID: form['ImportFormID'],
      ActualCompletion: '2026-01-05',
    });
    assert.match(refused.text, /SoldToThirdParty/);
    await completeTask(form['ImportFormID'], no);
  });

  for (const workflow of standardWorkflows) {
    it(`WF-05 WF-06 WF-07 ${workflow.name} runs to its end when its tasks are completed in order, through both results of every if/then step`, async () => {
      const reached = new Set<string>();
      for (const answers of [yes, no, ...(mixed[workflow.name] ?? [])]) {
        const { done, status } = await runToEnd(workflow, answers);
        assert.equal(status, 'Complete');
        for (const one of done) reached.add(one);
      }
      assert.deepEqual(
        workflow.steps
          .flatMap(({ name, kind }) => (kind === 'IfThen' ? [name, `${name}=1`, `${name}=0`] : [name]))
          .filter((one) => !reached.has(one)),
        [],
      );
    });
  }
});

describe('the standard holidays', () => {
  it('WF-20 are not business days; an installation that has some already gets the others', async () => {
    const document = readFileSync(new URL('../../../src/app/standard/holidays.xml', import.meta.url), 'utf8');
    const { configuration, settings } = p.platform;
    const isBusinessDay = async (day: string): Promise<boolean> =>
      (await businessCalendar({ configuration, settings })).isBusinessDay(day);
    await save('holiday', { Holiday: 'Thanksgiving', Date: '2026-11-26' });
    assert.deepEqual([await isBusinessDay('2026-11-25'), await isBusinessDay('2026-12-25')], [true, true]);
    await importDocument(document);
    for (const [day, expected] of [
      ['2026-07-02', true],
      ['2026-07-03', false],
      ['2026-11-26', false],
      ['2026-11-27', true],
      ['2026-12-25', false],
    ] as const)
      assert.equal(await isBusinessDay(day), expected, day);
    const [{ n } = { n: 0 }] = await p.platform.store.query<{ n: number }>(
      'select count(*)::integer as n from holiday',
    );
    assert.equal(n, 17 * 11);
    await importDocument(document);
    assert.equal((await p.platform.store.query('select 1 from holiday')).length, n);
  });
});
