import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { testPlatform } from '../../support/platform.ts';
import { sheet, workflowCalls } from '../../support/work/workflows.ts';

// One test occupies all threads with stylesheets that never end.
const p = await testPlatform({ after }, { stylesheetSeconds: 1 });
const { ok, refused, save, template, start, newCase, stepStatuses, stepNamed, complete } = workflowCalls(p);

for (const [Role, Permissions] of [
  ['Forms', 'ImportFormSave'],
  ['Workflows', 'DecisionSave'],
  ['Steps', 'DecisionStepComplete'],
])
  await save('role', { Role, Permissions, UniversalAccess: false });
const alpha = await p.firm('Alpha', 'Partner,Forms');
const beta = await p.firm('Beta', 'Partner,Forms,Workflows,Steps');
const flow = await p.user('workflows of Alpha', 'Partner,Workflows');
const both = await p.user('steps of Alpha', 'Partner,Forms,Steps');
await p.platform.store.query(
  `update person set organizationid = $1::bigint where person collate "C" like '% of Alpha' and organizationid is null`,
  [alpha.organizationId],
);
const form = await save('importformtemplate', {
  ImportFormTemplate: 'Work of a firm',
  AppliesTo: 'Foreclosure',
  ExtranetEnabled: 'Self',
});
const formStep = { Object: 'ImportFormTemplate', ObjectID: form['ImportFormTemplateID'] };
await template('Approval', [
  { name: 'Firm works', ...formStep },
  { name: 'Staff approves' },
  {
    name: 'Pay',
    Object: 'Foreclosure',
    Operation: 'Save',
    Parameters: 'ID={ForeclosureID}&Status=Paid',
    after: ['Staff approves'],
  },
]);
await template('Other', [
  { name: 'Nothing', Object: 'Foreclosure', Operation: 'Save', Parameters: 'ID={ForeclosureID}' },
]);

async function approval(): Promise<{ readonly caseId: number; readonly id: unknown; readonly step: unknown }> {
  const caseId = await newCase({ OrganizationID: alpha.organizationId });
  const id = (await start('Approval', caseId))['DecisionID'];
  return { caseId, id, step: (await stepNamed(id, 'Staff approves'))['DecisionStepID'] };
}
const open = ['Firm works Pending', 'Staff approves Pending'];

describe("a firm's user", () => {
  it("WF-05 KRN-17 cannot complete another's step by attaching its own task: that takes the permission to complete steps", async () => {
    const { caseId, id, step } = await approval();
    const tied = { Object: 'Foreclosure', ObjectID: caseId, ImportForm: 'mine', DecisionStepID: step };
    const error = await refused(
      alpha.caller.post('/api/importform/save?Output=Json', { ...tied, ActualCompletion: '2026-01-05' }),
      403,
    );
    assert.deepEqual([error['Code'], error['Field']], ['NO_PERMISSION', 'DecisionStepID']);
    const own = await ok(
      alpha.caller.post('/api/importform/save?Output=Json', {
        Object: 'Foreclosure',
        ObjectID: caseId,
        ImportForm: 'mine',
      }),
    );
    await refused(
      alpha.caller.post('/api/importform/save?Output=Json', {
        ID: own['ImportFormID'],
        DecisionStepID: step,
        ActualCompletion: '2026-01-05',
      }),
      403,
    );
    await refused(
      beta.caller.post('/api/importform/save?Output=Json', {
        ImportForm: 'theirs',
        DecisionStepID: step,
        ActualCompletion: '2026-01-05',
      }),
      404,
    );
    assert.deepEqual(await stepStatuses(id), open);
    await ok(both.caller.post('/api/importform/save?Output=Json', { ...tied, ActualCompletion: '2026-01-05' }));
    assert.deepEqual(await stepStatuses(id), ['Firm works Pending', 'Staff approves Complete', 'Pay Complete']);
  });

  it('WF-05 FRM-05 completes the task that a workflow created for it, also when it sends the step ID along', async () => {
    const { id } = await approval();
    const { ObjectID, DecisionStepID } = await stepNamed(id, 'Firm works');
    await ok(
      alpha.caller.post('/api/importform/save?Output=Json', {
        ID: ObjectID,
        DecisionStepID,
        ActualCompletion: '2026-01-05',
      }),
    );
    assert.deepEqual(await stepStatuses(id), ['Firm works Complete', 'Staff approves Pending']);
  });

  it("WF-05 KRN-17 cannot complete another's step by starting a workflow of its own", async () => {
    const { caseId, id, step } = await approval();
    const error = await refused(
      flow.caller.post('/api/decision/save?Output=Json', {
        Template: 'Other',
        Object: 'Foreclosure',
        ObjectID: caseId,
        ParentDecisionStepID: step,
      }),
      403,
    );
    assert.deepEqual([error['Code'], error['Field']], ['NO_PERMISSION', 'ParentDecisionStepID']);
    await refused(
      beta.caller.post('/api/decision/save?Output=Json', { Template: 'Other', ParentDecisionStepID: step }),
      404,
    );
    assert.deepEqual(await stepStatuses(id), open);
  });

  it('KRN-17 reads the progress of workflows, but not the templates of workflows and worklists', async () => {
    const { caseId, id } = await approval();
    for (const path of [
      `decision/outline?ID=${String(id)}`,
      `decision/${String(id)}/decisionstep/search`,
      `foreclosure/summary/${caseId}`,
    ])
      assert.equal((await alpha.caller.get(`/api/${path}`)).status, 200, path);
    for (const path of [
      'decisionsteptemplate/search',
      'decisiondependency/search',
      'smartworklisttemplate/search',
      'decisiontemplate/summary/1',
      'decisiontemplateversion/search',
      'decisiontemplate/flowchart/1',
    ])
      assert.equal((await alpha.caller.get(`/api/${path}`)).status, 403, path);
  });
});

describe('a pass', () => {
  it('WF-09 creates nothing twice when a waiting step is started again, and leaves a canceled step unchanged', async () => {
    const { caseId, id } = await approval();
    const step = (await stepNamed(id, 'Firm works'))['DecisionStepID'];
    const advance = (more: object): Promise<unknown> =>
      ok(p.admin.post('/api/decision/advance?Output=Json', { ID: id, ...more }));
    await advance({ StartStepID: step });
    assert.equal(
      (await p.platform.store.query('select 1 from importform where objectid = $1::bigint', [caseId])).length,
      1,
    );
    await p.platform.store.query(
      `update decisionstep set status = 'Canceled', canceleddate = now() where decisionstepid = $1::bigint`,
      [step],
    );
    await advance({ StartStepID: step });
    await advance({ FailStepID: step, Message: 'Too late.' });
    assert.deepEqual(await stepStatuses(id), ['Firm works Canceled', 'Staff approves Pending']);
  });

  it('WF-04 WF-09 postpones a step instead of failing it while all sandbox threads are busy', async () => {
    await template('Asks', [
      { name: 'Asks', DecisionStepTemplateType: 'IfThen', StepXslt: sheet('true()') },
      { name: 'By hand' },
    ]);
    const caseId = await newCase();
    const run = (stylesheet: string): Promise<unknown> =>
      p.platform.sandbox
        .transform({ stylesheet, xml: '<a/>', scope: 'staff', wellFormed: false })
        .catch(() => undefined);
    const busy = [
      ...Array.from({ length: 2 }, () => run(ENDLESS)),
      ...Array.from({ length: 16 }, () => run(sheet('true()'))),
    ];
    const { DecisionID } = await start('Asks', caseId);
    assert.deepEqual(await stepStatuses(DecisionID), ['Asks Queued', 'By hand Pending']);
    const { DecisionStepID, QueueMessageID } = await stepNamed(DecisionID, 'Asks');
    const [job] = await p.platform.store.query<{ later: boolean }>(
      `select start_after > now() as later from pgboss.job
       where data->>'route' = 'decisionstep/start' and data->>'label' = $1::text`,
      [`DecisionStep ${String(DecisionStepID)}`],
    );
    assert.deepEqual([typeof QueueMessageID, job?.later], ['string', true]);
    await Promise.all(busy);
    await ok(p.admin.post('/api/decisionstep/start?Output=Json', { ID: DecisionStepID }));
    await ok(complete((await stepNamed(DecisionID, 'By hand'))['DecisionStepID']));
    assert.deepEqual(await stepStatuses(DecisionID), ['Asks Complete', 'By hand Complete']);
  });
});

/** Occupies a sandbox thread until its time limit. */
const ENDLESS = [
  '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="text"/>',
  '<xsl:template match="/">',
  '<xsl:call-template name="on"><xsl:with-param name="n" select="40"/></xsl:call-template>',
  '</xsl:template>',
  '<xsl:template name="on"><xsl:param name="n"/><xsl:if test="$n &gt; 0">',
  '<xsl:call-template name="on"><xsl:with-param name="n" select="$n - 1"/></xsl:call-template>',
  '<xsl:call-template name="on"><xsl:with-param name="n" select="$n - 1"/></xsl:call-template>',
  '</xsl:if></xsl:template></xsl:stylesheet>',
].join('');
