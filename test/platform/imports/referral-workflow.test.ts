import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startWorker } from '../../../src/surfaces/worker/worker.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import {
  collection,
  foreclosure,
  nextLoan,
  referralFirm,
  saveSampleTemplates,
  searchRows,
  standAloneItem,
  updateOf,
} from '../../support/imports/referrals.ts';
import { rowsOf, workflowCalls, type WorkflowRow } from '../../support/work/workflows.ts';

const p = await testPlatform({ after });
const { ok, save, template, decision, stepStatuses, stepNamed } = workflowCalls(p);
await saveSampleTemplates(p.admin);
const firm = await referralFirm(p, 'Alder Law');
const stranger = await referralFirm(p, 'Birch Law');

const idFields: Readonly<Record<string, string>> = {
  importformtemplate: 'ImportFormTemplateID',
  importfiletemplate: 'ImportFileTemplateID',
  decisiondelaytemplate: 'DecisionDelayTemplateID',
};
const idOf = async (module: string, name: string): Promise<unknown> =>
  (await searchRows(p.admin, `${module}/search?${module}=${encodeURIComponent(name)}`))[0]?.[idFields[module] ?? 'ID'];
const complaint = { Object: 'ImportFormTemplate', ObjectID: await idOf('importformtemplate', 'Complaint Filed') };
const failing = { Object: 'Foreclosure', Operation: 'Save', Parameters: 'ID=999999999&Status=Never' };
const flow = await template(
  'Referral flow',
  [
    { name: 'Complaint', ...complaint },
    {
      name: 'Next',
      Object: 'Foreclosure',
      Operation: 'Save',
      Parameters: 'ID={ForeclosureID}&Status=Filed',
      after: ['Complaint'],
    },
  ],
  { Repeatable: 'OneActive' },
);
const importTemplate = await idOf('importfiletemplate', 'Foreclosure');
const starts = (decisionTemplateId: unknown): Promise<WorkflowRow> =>
  save('importfiletemplate', { ID: importTemplate, DecisionTemplateID: decisionTemplateId });
const workflowsOf = async (caseId: number): Promise<WorkflowRow[]> =>
  rowsOf(await ok(p.admin.get(`/api/foreclosure/${caseId}/decision/search?Output=Json`)), 'Decision');
const process = (id: unknown): Promise<WorkflowRow> =>
  ok(p.admin.post('/api/decision/process?Output=Json', { ID: id }));
const queued = async (id: unknown): Promise<number> =>
  (
    await p.platform.store.query<{ n: number }>(
      `select count(*)::integer as n from pgboss.job where data->>'route' = 'decision/process'
        and data->>'label' = $1::text`,
      [`Decision ${String(id)}`],
    )
  )[0]?.n ?? 0;
const delays = (rest: string): string =>
  `<Delays><DecisionDelayItem><Template>Title Issue</Template>${rest}</DecisionDelayItem></Delays>`;
const completed =
  '<Forms><ImportFormItem><Template>Complaint Filed</Template>' +
  '<ActualCompletion>2024-05-02T10:00:00Z</ActualCompletion></ImportFormItem></Forms>';

let made = 0;
/** Creates a case with its workflow and runs the first pass. */
async function newCase(rest = ''): Promise<{ caseId: number; subscriberId: string; id: unknown }> {
  const subscriberId = `flow-${made++}`;
  const { caseId } = await firm.send('foreclosure', foreclosure({ subscriberId, rest }));
  const [workflow] = await workflowsOf(caseId);
  await process(workflow?.['DecisionID']);
  return { caseId, subscriberId, id: workflow?.['DecisionID'] };
}

describe('a new referral', () => {
  it('WF-01 IMP-02 starts the workflow of its import template once, with the first pass queued; sent again, or as an update, it starts none', async () => {
    await starts(flow['DecisionTemplateID']);
    const [subscriberId, loan] = ['once', nextLoan()];
    const document = foreclosure({ subscriberId, loan, caseNumber: 'W-1' });
    const answer = await firm.send('foreclosure', document);
    assert.deepEqual([answer.http, answer.status, answer.of('Decision').length], [200, 'Complete', 0]);
    const [workflow, ...more] = await workflowsOf(answer.caseId);
    assert.deepEqual(
      [
        workflow?.['Decision'],
        workflow?.['Status'],
        more.length,
        await stepStatuses(workflow?.['DecisionID']),
        await queued(workflow?.['DecisionID']),
      ],
      ['Referral flow', 'In Progress', 0, [], 1],
    );
    assert.equal(
      (await searchRows(p.admin, `person/search?PersonID=${String(workflow?.['CreatedPersonID'])}`))[0]?.['Person'],
      'Workflow',
    );
    assert.deepEqual(
      (await firm.search(`foreclosure/${answer.caseId}/decision/search`)).map((row) => row['DecisionID']),
      [workflow?.['DecisionID']],
      'the firm can access it through the case',
    );
    assert.equal((await stranger.search(`decision/search?DecisionID=${String(workflow?.['DecisionID'])}`)).length, 0);
    assert.equal((await firm.send('foreclosure', document)).http, 200);
    assert.equal(
      (await firm.send('foreclosureupdate', updateOf(subscriberId, delays('<ReasonDetail>Old lien</ReasonDetail>'))))
        .http,
      200,
    );
    assert.equal((await workflowsOf(answer.caseId)).length, 1);
  });

  it('WF-01 sent twice at once starts one workflow', async () => {
    const document = foreclosure({ subscriberId: 'twice', loan: nextLoan(), caseNumber: 'W-2' });
    const answers = await Promise.all([firm.send('foreclosure', document), firm.send('foreclosure', document)]);
    assert.equal(answers[0].caseId, answers[1].caseId);
    assert.equal((await workflowsOf(answers[0].caseId)).length, 1);
  });

  it('WF-09 does not fail because of a failing step or an unsuitable workflow, which goes to the error log', async () => {
    await starts((await template('Referral fails', [{ name: 'Wrong', ...failing }]))['DecisionTemplateID']);
    const answer = await firm.send('foreclosure', foreclosure({ subscriberId: 'fails' }));
    assert.deepEqual([answer.http, answer.errors], [200, 0]);
    const [workflow] = await workflowsOf(answer.caseId);
    assert.equal(
      (await p.admin.post('/api/decision/process?Output=Json', { ID: workflow?.['DecisionID'] })).status,
      422,
    );
    assert.deepEqual(await stepStatuses(workflow?.['DecisionID']), ['Wrong Error']);
    await starts(
      (await template('Only for bankruptcies', [{ name: 'By hand' }], { AppliesTo: 'Bankruptcy' }))[
        'DecisionTemplateID'
      ],
    );
    const unfit = await firm.send('foreclosure', foreclosure({ subscriberId: 'unfit' }));
    assert.deepEqual([unfit.http, unfit.errors, (await workflowsOf(unfit.caseId)).length], [200, 0, 0]);
    const [entry] = await searchRows(p.admin, 'errorlog/search?Operation=decision/begin');
    assert.match(
      String(entry?.['ErrorLog']),
      new RegExp(`was not started on Foreclosure ${unfit.caseId}: .*Bankruptcy`),
    );
    await starts(flow['DecisionTemplateID']);
  });

  it('WF-01 starts it too if the documents of a custom template are stored first', async () => {
    await save('importfiletemplate', {
      ImportFileTemplate: 'Foreclosures by file',
      ImportEngine: 'ReferralEngine',
      ParameterString: 'Operation=Foreclosure',
      ExtranetEnabled: 'Self',
      AppliesTo: 'Foreclosure',
      DecisionTemplateID: flow['DecisionTemplateID'],
    });
    const answer = await firm.caller.post('/api/import/foreclosuresbyfile', foreclosure({ subscriberId: 'stored' }), {
      'Content-Type': 'text/xml; charset=utf-8',
    });
    assert.equal(answer.status, 200, answer.text);
    const [found] = await firm.search('foreclosure/search?SubscriberID=stored');
    const rows = found
      ? await workflowsOf(Number(found['ForeclosureID']))
      : await workflowsOf(Number(/<ObjectID>(\d+)<\/ObjectID>/.exec(answer.text)?.[1]));
    assert.deepEqual(
      rows.map((row) => row['Decision']),
      ['Referral flow'],
    );
  });
});

describe('an update of a referral', () => {
  it("WF-16 WF-32 REF-06 with a delay puts the workflow on hold, with the delay's status and task; a step reported meanwhile is stored, and continues the workflow when the delay ends", async () => {
    const task = await save('importformtemplate', {
      ImportFormTemplate: 'Look into the title',
      AppliesTo: 'Foreclosure',
    });
    await save('decisiondelaytemplate', {
      ID: await idOf('decisiondelaytemplate', 'Title Issue'),
      OnStartParentStatus: 'Title hold',
      ImportFormTemplateID: task['ImportFormTemplateID'],
    });
    const { caseId, subscriberId, id } = await newCase();
    const answer = await firm.send(
      'foreclosureupdate',
      updateOf(subscriberId, delays('<ReasonDetail>Old lien</ReasonDetail><ActualStart>2024-02-13</ActualStart>')),
    );
    assert.deepEqual([answer.http, answer.of('DecisionDelay').map((r) => r.operation)], [200, ['Insert']], answer.text);
    const tasks = rowsOf(
      await ok(
        p.admin.get(
          `/api/foreclosure/${caseId}/importform/search?Output=Json` +
            `&ImportForm=${encodeURIComponent('Look into the title')}`,
        ),
      ),
      'ImportForm',
    );
    assert.deepEqual(
      [
        (await decision(id))['Delayed'],
        tasks.length,
        (await ok(p.admin.get(`/api/foreclosure/select/${caseId}?Output=Json`)))['Status'],
      ],
      [true, 1, 'Title hold'],
    );
    const form = (await stepNamed(id, 'Complaint'))['ObjectID'];
    for (const operation of ['Update', 'None']) {
      const reported = await firm.send('foreclosureupdate', updateOf(subscriberId, completed));
      assert.deepEqual([reported.http, reported.of('ImportForm')[0]?.operation], [200, operation], reported.text);
      if (operation === 'Update') {
        assert.equal(reported.of('ImportForm')[0]?.status, 'Warning');
        assert.match(reported.of('ImportForm')[0]?.message ?? '', /on hold by the servicer and continues when/);
      }
    }
    const done = await ok(p.admin.get(`/api/importform/select/${String(form)}?Output=Json`));
    assert.match(String(done['ActualCompletion']), /^2024-05-02/);
    await process(id);
    assert.deepEqual(await stepStatuses(id), ['Complaint Pending'], 'the hold still holds the workflow');
    const before = await queued(id);
    const ended = await firm.send(
      'foreclosureupdate',
      updateOf(subscriberId, delays('<ActualCompletion>2024-02-20</ActualCompletion>')),
    );
    assert.equal(ended.http, 200, ended.text);
    assert.deepEqual([(await decision(id))['Delayed'], (await queued(id)) - before], [false, 1]);
    await process(id);
    assert.deepEqual(await stepStatuses(id), ['Complaint Complete', 'Next Complete']);
  });

  it('REF-21 WF-03 with a completed step, nested or sent alone, completes the workflow step that waits for it, and the workflow continues', async () => {
    const nested = await newCase();
    assert.equal((await firm.send('foreclosureupdate', updateOf(nested.subscriberId, completed))).http, 200);
    assert.deepEqual(
      [await stepStatuses(nested.id), (await decision(nested.id))['Status']],
      [['Complaint Complete', 'Next Complete'], 'Complete'],
    );
    const alone = await newCase();
    const item = standAloneItem(
      'ImportFormItem',
      'Foreclosure',
      alone.subscriberId,
      '<Template>Complaint Filed</Template><ActualCompletion>2024-05-02T10:00:00Z</ActualCompletion>',
    );
    const answer = await firm.send('importform', collection(item));
    assert.equal(answer.http, 200, answer.text);
    assert.equal((await decision(alone.id))['Status'], 'Complete');
  });
});

describe('an update that closes a case', () => {
  it('REF-04 WF-22 first completes the steps that it names, then cancels everything still open on the case, including what the firm cannot see', async () => {
    const hidden = await save('importformtemplate', {
      ImportFormTemplate: 'Only for staff',
      AppliesTo: 'Foreclosure',
      ExtranetEnabled: 'No',
    });
    await template('Beside the referral', [
      { name: 'Look', Object: 'ImportFormTemplate', ObjectID: hidden['ImportFormTemplateID'] },
    ]);
    const { caseId, subscriberId, id } = await newCase();
    const { DecisionID: beside } = await save('decision', {
      Template: 'Beside the referral',
      Object: 'Foreclosure',
      ObjectID: caseId,
    });
    const closing =
      '<Status>Closed</Status><DateClosed>2024-06-01</DateClosed><ClosedReason>Paid in full</ClosedReason>';
    assert.equal((await firm.send('foreclosureupdate', updateOf(subscriberId, '<Status>Closed</Status>'))).http, 500);
    assert.equal((await decision(beside))['Status'], 'In Progress', 'a refused update closes nothing');
    const answer = await firm.send('foreclosureupdate', updateOf(subscriberId, `${closing}${completed}`));
    assert.equal(answer.http, 200, answer.text);
    const [notice] = answer.of('ImportFile');
    assert.equal(`${notice?.operation} ${notice?.status}`, 'None Warning');
    assert.match(notice?.message ?? '', /workflows 1, tasks 1, work items 0\./);
    assert.doesNotMatch(answer.text, /<Alerts>/, 'ImportResults has no element but Result');
    assert.equal((await firm.caller.get(`/api/import/result?ID=${answer.id}`)).text, answer.text);
    assert.deepEqual(
      [(await decision(id))['Status'], await stepStatuses(id)],
      ['Complete', ['Complaint Complete', 'Next Complete']],
    );
    assert.deepEqual(
      [(await decision(beside))['Status'], await stepStatuses(beside)],
      ['Case Closed', ['Look Canceled']],
    );
    assert.equal(
      typeof (
        await ok(
          p.admin.get(`/api/importform/select/${String((await stepNamed(beside, 'Look'))['ObjectID'])}?Output=Json`),
        )
      )['CanceledDate'],
      'string',
    );
  });
});

describe('with a worker', () => {
  it('WF-01 the first pass over the workflow of a new referral runs on its own', async (t) => {
    const worker = startWorker(p.platform, p.platform.queue);
    t.after(() => worker.stop());
    const { caseId } = await firm.send('foreclosure', foreclosure({ subscriberId: 'by itself' }));
    const [workflow] = await workflowsOf(caseId);
    await eventually(
      'the first step',
      async () => (await stepStatuses(workflow?.['DecisionID']))[0] === 'Complaint Pending',
    );
  });
});
