/** Bulk repairs of workflows: reprocessed steps, requeued failed and stalled steps, and backfilled completions. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { item } from '../../../src/kernel/door/answer.ts';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { f, required } from '../../../src/kernel/declare/field.ts';
import { defineOperation, handle } from '../../../src/kernel/declare/operation.ts';
import { requeueStalledSteps } from '../../../src/modules/work/decisionstep/lib/stalled-steps.ts';
import { startWorker } from '../../../src/surfaces/worker/worker.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import { setSetting } from '../../support/imports/referrals.ts';
import { sheet, workflowCalls, type WorkflowRow } from '../../support/work/workflows.ts';

/** The service that steps call; with `away` every call fails. */
const service = { away: false, calls: 0 };

const fields = { Word: required(f.text({ doc: 'A word.', max: 100 })) };
const ask = defineOperation({
  module: 'repairprobe',
  name: 'Ask',
  method: 'GET',
  summary: 'Asks a service.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: fields,
  returns: fields,
  errors: [],
  source: 'test',
});
const fixture = {
  declarations: {
    operations: [
      {
        operation: ask,
        run: handle(ask, async (_ctx, { Word }) => {
          service.calls++;
          if (service.away)
            return Promise.reject(new PlatformError('RULE_EXCEPTION', { message: 'The service is away.' }));
          return Promise.resolve(item('Repairprobe', fields, { Word }));
        }),
      },
    ],
  },
};

const p = await testPlatform({ after }, { fixture });
const { ok, refused, save, template, newCase, start, steps, stepStatuses, decision, stepNamed } = workflowCalls(p);
const { store } = p.platform;

const asks = { Object: 'repairprobe', Operation: 'Ask', Parameters: 'Word=please' };
const post = (path: string, body: object): Promise<WorkflowRow> => ok(p.admin.post(`/api/${path}?Output=Json`, body));

async function templateId(name: string, step: string): Promise<number> {
  const [row] = await store.query<{ id: number }>(
    `select s.decisionsteptemplateid as id
     from decisionsteptemplate s
     join decisiontemplate t using (decisiontemplateid)
     where t.decisiontemplate = $1::text and s.decisionsteptemplate = $2::text`,
    [name, step],
  );
  return row?.id ?? 0;
}

/** Returns the queued starts of a step. */
async function queuedStarts(stepId: unknown, state = 'created'): Promise<{ id: string; start: string }[]> {
  const rows = await store.query<{ id: string; start: string }>(
    `select id::text as id, start_after as start from pgboss.job
     where data ->> 'label' = $1::text and state::text = $2::text
     order by created_on`,
    [`DecisionStep ${String(stepId)}`, state],
  );
  return rows.map((row) => ({ ...row }));
}

/** Runs queued jobs until a workflow's steps have the expected statuses. */
async function workUntil(started: WorkflowRow, expected: readonly string[]): Promise<void> {
  const worker = startWorker(p.platform, p.platform.queue);
  try {
    await eventually(`the steps are ${expected.join(', ')}`, async () => {
      const now = await stepStatuses(started['DecisionID']);
      return now.join() === expected.join() ? true : Promise.reject(new Error(now.join()));
    });
  } finally {
    await worker.stop();
  }
}

const deleteQueuedStart = (stepId: unknown): Promise<unknown> =>
  store.query(`delete from pgboss.job where data ->> 'label' = $1::text`, [`DecisionStep ${String(stepId)}`]);

describe('decision/reprocess', () => {
  it('WF-26 WF-14 WF-08 steps of a complete workflow become Reprocessing and are queued, the workflow continues, and repeating steps after them run again', async () => {
    await template('Again', [
      { name: 'Ask', ...asks },
      { name: 'Repeats', ...asks, Repeatability: 2, after: ['Ask'] },
      { name: 'Once', ...asks, after: ['Ask'] },
    ]);
    const [one, two] = [await start('Again', await newCase()), await start('Again', await newCase())];
    assert.equal((await decision(one['DecisionID']))['Status'], 'Complete');
    const answer = await post('decision/reprocess', {
      ID: [one['DecisionID'], two['DecisionID']],
      DecisionStepTemplateID: await templateId('Again', 'Ask'),
    });
    assert.deepEqual([answer['WorkflowCount'], answer['StepCount'], answer['QueuedDate'] ?? null], [2, 2, null]);
    assert.deepEqual(await stepStatuses(one['DecisionID']), ['Ask Reprocessing', 'Repeats Complete', 'Once Complete']);
    const open = await decision(one['DecisionID']);
    assert.deepEqual([open['Status'], open['ActualCompletion'] ?? null], ['Reactivated', null]);
    const before = service.calls;
    await workUntil(one, ['Ask Complete', 'Repeats Complete', 'Once Complete', 'Repeats Complete']);
    await workUntil(two, ['Ask Complete', 'Repeats Complete', 'Once Complete', 'Repeats Complete']);
    assert.equal(service.calls - before, 4);
    assert.deepEqual(
      [(await decision(one['DecisionID']))['Status'], (await decision(two['DecisionID']))['Status']],
      ['Complete', 'Complete'],
    );
  });

  it('WF-26 ProcessFuture delays by QueueUnit units of QueueScale and replaces the start queued before', async () => {
    await template('Later', [{ name: 'Ask', ...asks, Async: 1 }]);
    const started = await start('Later', await newCase());
    const step = await stepNamed(started['DecisionID'], 'Ask');
    const [first] = await queuedStarts(step['DecisionStepID']);
    const id = await templateId('Later', 'Ask');
    const at = Date.now();
    const answer = await post('decision/reprocess', {
      ID: started['DecisionID'],
      DecisionStepTemplateID: id,
      ProcessTime: 'ProcessFuture',
      QueueUnit: 3,
      QueueScale: 1,
    });
    const [second, ...more] = await queuedStarts(step['DecisionStepID']);
    assert.ok(second && first && second.id !== first.id && more.length === 0);
    assert.equal(Date.parse(second.start), Date.parse(String(answer['QueuedDate'])));
    assert.ok(Math.abs(Date.parse(second.start) - at - 3 * 3_600_000) < 60_000, second.start);
    const wrong = async (more: object, words: RegExp): Promise<void> => {
      assert.match(
        String(
          (
            await refused(
              p.admin.post('/api/decision/reprocess?Output=Json', {
                ID: started['DecisionID'],
                DecisionStepTemplateID: id,
                ...more,
              }),
              400,
            )
          )['Message'],
        ),
        words,
      );
    };
    await wrong({ ProcessTime: 'ProcessFuture' }, /QueueUnit is required/);
    await wrong({ QueueUnit: 1 }, /QueueUnit: expected ProcessTime=ProcessFuture/);
    await wrong({ ProcessTime: 'ProcessFuture', QueueUnit: 1, QueueScale: 7 }, /QueueScale: expected 0 days, 1 hours/);
    await wrong(
      { ProcessTime: 'ProcessFuture', QueueUnit: '1.5', QueueScale: 4 },
      /QueueUnit: expected a whole number of months/,
    );
    await wrong({ ProcessTime: 'ProcessFuture', QueueUnit: -1 }, /QueueUnit: expected 0 or more/);
    await wrong({ ProcessTime: 'Sometime' }, /ProcessTime/);
  });

  it('WF-26 skips canceled workflows and those without such a step with an alert; if none is left it fails, and an unknown one changes nothing', async () => {
    await template('Mixed', [
      { name: 'Ask', ...asks },
      { name: 'By hand', after: ['Ask'] },
    ]);
    const [good, bad] = [await start('Mixed', await newCase()), await start('Mixed', await newCase())];
    await store.query("update decision set canceleddate = now(), status = 'Canceled' where decisionid = $1::bigint", [
      bad['DecisionID'],
    ]);
    const id = await templateId('Mixed', 'Ask');
    const answer = await post('decision/reprocess', {
      ID: [good['DecisionID'], bad['DecisionID']],
      DecisionStepTemplateID: id,
    });
    assert.deepEqual(
      [answer['WorkflowCount'], (answer['Alerts'] as WorkflowRow[]).map((alert) => [alert['Code'], alert['ID']])],
      [1, [['STATE_REFUSES', bad['DecisionID']]]],
    );
    assert.deepEqual(await stepStatuses(bad['DecisionID']), ['Ask Complete', 'By hand Pending']);
    assert.match(
      String(
        (
          await refused(
            p.admin.post('/api/decision/reprocess?Output=Json', { ID: bad['DecisionID'], DecisionStepTemplateID: id }),
            422,
          )
        )['Message'],
      ),
      /is canceled/,
    );
    assert.match(
      String(
        (
          await refused(
            p.admin.post('/api/decision/reprocess?Output=Json', {
              ID: good['DecisionID'],
              DecisionStepTemplateID: 999_999,
            }),
            422,
          )
        )['Message'],
      ),
      /has no step of the template 999999/,
    );
    const fresh = await start('Mixed', await newCase());
    await refused(
      p.admin.post('/api/decision/reprocess?Output=Json', {
        ID: [fresh['DecisionID'], 999_999],
        DecisionStepTemplateID: id,
      }),
      404,
    );
    assert.deepEqual(await stepStatuses(fresh['DecisionID']), ['Ask Complete', 'By hand Pending']);
  });

  it('WF-26 WF-16 on hold the step stays Reprocessing, and is queued again when the hold has ended', async () => {
    const kind = await save('decisiondelaytemplate', { DecisionDelayTemplate: 'A hold', AppliesTo: 'Foreclosure' });
    await template('On hold', [
      { name: 'Ask', ...asks },
      { name: 'By hand', after: ['Ask'] },
    ]);
    const started = await start('On hold', await newCase());
    const hold = await save('decisiondelay', {
      DecisionID: started['DecisionID'],
      DecisionDelayTemplateID: kind['DecisionDelayTemplateID'],
    });
    await post('decision/reprocess', {
      ID: started['DecisionID'],
      DecisionStepTemplateID: await templateId('On hold', 'Ask'),
    });
    const step = await stepNamed(started['DecisionID'], 'Ask');
    assert.deepEqual([step['Status'], step['Delayed']], ['Reprocessing', true]);
    const worker = startWorker(p.platform, p.platform.queue);
    await eventually(
      'the queued start was skipped because of the hold',
      async () => (await queuedStarts(step['DecisionStepID'], 'completed')).length > 0,
    );
    await worker.stop();
    assert.equal((await stepNamed(started['DecisionID'], 'Ask'))['Status'], 'Reprocessing');
    await save('decisiondelay', {
      ID: hold['DecisionDelayID'],
      ActualCompletion: new Date(Date.now() + 1_000).toISOString(),
    });
    await post('decision/process', { ID: started['DecisionID'] });
    await workUntil(started, ['Ask Complete', 'By hand Pending']);
  });

  it('WF-26 two callers at once queue a step once, and it runs once for both', async () => {
    await template('Twice', [
      { name: 'Ask', ...asks },
      { name: 'By hand', after: ['Ask'] },
    ]);
    const started = await start('Twice', await newCase());
    const body = { ID: started['DecisionID'], DecisionStepTemplateID: await templateId('Twice', 'Ask') };
    await Promise.all([post('decision/reprocess', body), post('decision/reprocess', body)]);
    const step = await stepNamed(started['DecisionID'], 'Ask');
    assert.equal((await queuedStarts(step['DecisionStepID'])).length, 1);
    const before = service.calls;
    await workUntil(started, ['Ask Complete', 'By hand Pending']);
    assert.equal(service.calls - before, 1);
  });
});

describe('decisionstep/errorrequeue', () => {
  it('WF-27 WF-14 requeues the failed steps of a period; it skips workflows that are complete, canceled or on hold, and leaves waiting steps unchanged', async () => {
    await template('Fragile', [
      { name: 'Ask', ...asks },
      { name: 'Behind', after: ['Ask'] },
    ]);
    service.away = true;
    const made: WorkflowRow[] = [];
    for (let n = 0; n < 4; n++) {
      const caseId = await newCase();
      await refused(
        p.admin.post('/api/decision/save?Output=Json', {
          Template: 'Fragile',
          Object: 'Foreclosure',
          ObjectID: caseId,
        }),
        422,
      );
      made.push({
        DecisionID: (
          await store.query<{ id: number }>('select decisionid as id from decision where objectid = $1::bigint', [
            caseId,
          ])
        )[0]?.id,
      });
    }
    service.away = false;
    const fine = await start('Fragile', await newCase());
    const [plain, canceled, held, early] = made.map((row) => row['DecisionID']);
    await store.query("update decision set canceleddate = now(), status = 'Canceled' where decisionid = $1::bigint", [
      canceled,
    ]);
    await store.query('update decision set delayed = true where decisionid = $1::bigint', [held]);
    await store.query("update decisionstep set createddate = '2024-06-30T12:00:00Z' where decisionid = $1::bigint", [
      early,
    ]);
    const body = { DecisionStepTemplateID: await templateId('Fragile', 'Ask'), StartDate: '2025-01-01' };
    const answer = await post('decisionstep/errorrequeue', body);
    assert.deepEqual([answer['QueuedCount'], answer['SkippedCount']], [1, 0]);
    assert.deepEqual(await stepStatuses(plain), ['Ask Queued']);
    for (const id of [canceled, held, early]) assert.deepEqual(await stepStatuses(id), ['Ask Error']);
    assert.deepEqual(await stepStatuses(fine['DecisionID']), ['Ask Complete', 'Behind Pending']);
    const again = await post('decisionstep/errorrequeue', body);
    assert.deepEqual([again['QueuedCount'], again['SkippedCount']], [0, 1]);
    await workUntil({ DecisionID: plain }, ['Ask Complete', 'Behind Pending']);
    // EndDate includes the whole day.
    const old = await post('decisionstep/errorrequeue', { ...body, StartDate: '2024-06-01', EndDate: '2024-06-30' });
    assert.equal(old['QueuedCount'], 1);
    const waits = await post('decisionstep/errorrequeue', {
      ...body,
      DecisionStepTemplateID: await templateId('Fragile', 'Behind'),
    });
    assert.deepEqual([waits['QueuedCount'], Number(waits['SkippedCount']) >= 1], [0, true]);
    await refused(p.admin.post('/api/decisionstep/errorrequeue?Output=Json', { ...body, EndDate: '2024-12-31' }), 400);
    await refused(p.admin.post('/api/decisionstep/errorrequeue?Output=Json', { StartDate: '2025-01-01' }), 400);
  });
});

describe('decisionstep/stalledstepsrequeue', () => {
  const age = (stepId: unknown, minutes: number): Promise<unknown> =>
    store.query(
      `update decisionstep set updateddate = now() - $2::integer * interval '1 minute'
       where decisionstepid = $1::bigint`,
      [stepId, minutes],
    );

  it('WF-28 WF-14 requeues steps that have been Queued for longer than AgeMinutes and whose job is gone, and no others', async () => {
    await template('Stalls', [
      { name: 'Ask', ...asks, Async: 1 },
      { name: 'Behind', after: ['Ask'] },
    ]);
    const [lost, live, young, ended] = [
      await start('Stalls', await newCase()),
      await start('Stalls', await newCase()),
      await start('Stalls', await newCase()),
      await start('Stalls', await newCase()),
    ];
    const stepOf = async (started: WorkflowRow): Promise<unknown> =>
      (await stepNamed(started['DecisionID'], 'Ask'))['DecisionStepID'];
    for (const started of [lost, live, ended]) await age(await stepOf(started), 11);
    for (const started of [lost, young, ended]) await deleteQueuedStart(await stepOf(started));
    await store.query("update decision set canceleddate = now(), status = 'Canceled' where decisionid = $1::bigint", [
      ended['DecisionID'],
    ]);
    const answer = await post('decisionstep/stalledstepsrequeue', {});
    assert.deepEqual([answer['QueuedCount'], answer['SkippedCount']], [1, 1]);
    assert.equal((await queuedStarts(await stepOf(lost))).length, 1);
    assert.equal((await queuedStarts(await stepOf(live))).length, 1);
    assert.equal((await queuedStarts(await stepOf(young))).length, 0);
    assert.equal((await queuedStarts(await stepOf(ended))).length, 0);
    assert.equal((await post('decisionstep/stalledstepsrequeue', {}))['QueuedCount'], 0);
    // A step without a status counts as stalled too.
    await store.query('update decisionstep set status = null where decisionstepid = $1::bigint', [await stepOf(young)]);
    assert.equal((await post('decisionstep/stalledstepsrequeue', { AgeMinutes: 0 }))['QueuedCount'], 1);
    await workUntil(young, ['Ask Complete', 'Behind Pending']);
    await workUntil(lost, ['Ask Complete', 'Behind Pending']);
    await refused(p.admin.post('/api/decisionstep/stalledstepsrequeue?Output=Json', { AgeMinutes: -1 }), 400);
  });

  it('WF-28 a dead-letter job does not count as a live one', async () => {
    const started = await start('Stalls', await newCase());
    const { DecisionStepID: step } = await stepNamed(started['DecisionID'], 'Ask');
    await age(step, 11);
    await store.query(`update pgboss.job set state = 'failed' where data ->> 'label' = $1::text`, [
      `DecisionStep ${String(step)}`,
    ]);
    assert.equal((await post('decisionstep/stalledstepsrequeue', {}))['QueuedCount'], 1);
    await workUntil(started, ['Ask Complete', 'Behind Pending']);
  });

  it('WF-28 polls again if the poll became a dead letter or is gone, and leaves polls that are still to come', async () => {
    await template('Waits', [{ name: 'Ready', DecisionStepTemplateType: 'Polling', StepXslt: sheet('false()') }]);
    const [dead, gone, unsent, live] = (await Promise.all(
      [1, 2, 3, 4].map(async () => start('Waits', await newCase())),
    )) as [WorkflowRow, WorkflowRow, WorkflowRow, WorkflowRow];
    const stepOf = async (started: WorkflowRow): Promise<unknown> =>
      (await stepNamed(started['DecisionID'], 'Ready'))['DecisionStepID'];
    for (const started of [dead, gone, unsent, live]) await age(await stepOf(started), 11);
    await store.query(`update pgboss.job set state = 'failed' where data ->> 'label' = $1::text`, [
      `DecisionStep ${String(await stepOf(dead))}`,
    ]);
    for (const started of [gone, unsent]) await deleteQueuedStart(await stepOf(started));
    await store.query('update decisionstep set queuemessageid = null where decisionstepid = $1::bigint', [
      await stepOf(unsent),
    ]);
    const answer = await post('decisionstep/stalledstepsrequeue', {});
    assert.deepEqual([answer['QueuedCount'], answer['SkippedCount']], [3, 1]);
    for (const started of [dead, gone, unsent, live])
      assert.equal((await queuedStarts(await stepOf(started))).length, 1);
    assert.deepEqual(
      [await stepStatuses(dead['DecisionID']), await stepStatuses(live['DecisionID'])],
      [['Ready Queued'], ['Ready Pending']],
    );
    await workUntil(dead, ['Ready Pending']);
    for (const { DecisionID } of [dead, gone, unsent, live]) await post('decision/cancel', { ID: DecisionID });
  });

  it('WF-28 WF-09 fails a step that was running whenever its process ended, until its call became a dead letter; without a call it starts again', async () => {
    const [dead, gone] = [await start('Stalls', await newCase()), await start('Stalls', await newCase())];
    for (const started of [dead, gone]) {
      const { DecisionStepID: step } = await stepNamed(started['DecisionID'], 'Ask');
      await store.query(`update decisionstep set status = 'Started' where decisionstepid = $1::bigint`, [step]);
      await age(step, 11);
      if (started === gone) await deleteQueuedStart(step);
      // As the queue leaves a job whose worker never reported.
      else
        await store.query(
          `with job as (delete from pgboss.job where data ->> 'label' = $1::text returning *)
           insert into pgboss.job (id, name, data, source_name, source_id, source_root_id, source_retry_count)
           select gen_random_uuid(), 'DeadLetters', data, name, id, id, 5 from job`,
          [`DecisionStep ${String(step)}`],
        );
    }
    const answer = await post('decisionstep/stalledstepsrequeue', {});
    assert.equal(answer['QueuedCount'], 2);
    assert.equal((await post('decisionstep/stalledstepsrequeue', { AgeMinutes: 0 }))['QueuedCount'], 0);
    await workUntil(dead, ['Ask Error']);
    await workUntil(gone, ['Ask Complete', 'Behind Pending']);
    assert.match(
      String((await stepNamed(dead['DecisionID'], 'Ask'))['ErrorMessage']),
      /process that ran the step ended/,
    );
    await store.query("delete from pgboss.job where name = 'DeadLetters'");
  });

  it('WF-28 WF-11 queues a pass over a workflow whose child or batch has ended while its call is lost', async () => {
    const child = await template('Ends below', [{ name: 'Last' }]);
    await template('Above', [{ name: 'Child', Object: 'DecisionTemplate', ObjectID: child['DecisionTemplateID'] }]);
    await template('Loops', [
      { name: 'Loop', ...asks, BatchLog: 1, Method: 'Foreclosure/Search?ForeclosureID={ForeclosureID}' },
    ]);
    await template('Loops on', [
      { name: 'Loop', ...asks, BatchLog: 1, Method: 'Foreclosure/Search?ForeclosureID={ForeclosureID}' },
    ]);
    const [above, waiting] = [await start('Above', await newCase()), await start('Above', await newCase())];
    const [loop, running] = [await start('Loops', await newCase()), await start('Loops on', await newCase())];
    const only = async (started: WorkflowRow): Promise<WorkflowRow> => {
      const [step] = await steps(started['DecisionID']);
      assert.ok(step);
      return step;
    };
    // As an older version left them: the child and the batch have ended, the calls that said so are gone.
    await store.query(
      `update decision set actualcompletion = now(), status = 'Complete' where decisionid = $1::bigint`,
      [(await only(above))['ObjectID']],
    );
    await store.query(
      `update importfile set importcomplete = now(), status = 'Complete', successcount = 1, errorcount = 0
       where importfileid = $1::bigint`,
      [(await only(loop))['ObjectID']],
    );
    await store.query('delete from pgboss.job');
    for (const started of [above, waiting, loop, running]) await age((await only(started))['DecisionStepID'], 11);
    const counts = async (): Promise<unknown[]> => {
      const answer = await post('decisionstep/stalledstepsrequeue', {});
      return [answer['QueuedCount'], answer['SkippedCount']];
    };
    assert.deepEqual(await counts(), [2, 1]);
    for (const started of [above, loop]) await age((await only(started))['DecisionStepID'], 11);
    assert.deepEqual(await counts(), [0, 3], 'the passes are queued once');
    await workUntil(above, ['Child Complete']);
    await workUntil(loop, ['Loop Complete']);
    assert.deepEqual(
      [await stepStatuses(waiting['DecisionID']), await stepStatuses(running['DecisionID'])],
      [['Child Pending'], ['Loop Pending']],
    );
    for (const { DecisionID } of [waiting, running]) await post('decision/cancel', { ID: DecisionID });
  });

  it('WF-28 handles more steps than fit into one transaction page by page, each once', async () => {
    const started = await start('Stalls', await newCase());
    await store.query(
      `insert into decisionstep
         (decisionstep, decisionid, decisionsteptemplateid, status, updateddate, queuemessageid)
       select 'Ask', $1::bigint, $2::bigint, 'Queued', now() - interval '1 hour', gen_random_uuid()::text
       from generate_series(1, 3000)`,
      [started['DecisionID'], await templateId('Stalls', 'Ask')],
    );
    assert.equal((await post('decisionstep/stalledstepsrequeue', {}))['QueuedCount'], 3_000);
    const [row] = await store.query<{ n: number }>(
      `select count(distinct s.queuemessageid)::integer as n
       from decisionstep s
       join pgboss.job j on j.id::text = s.queuemessageid and j.state = 'created'
       where s.decisionid = $1::bigint`,
      [started['DecisionID']],
    );
    assert.equal(row?.n, 3_001);
    await store.query('update decision set canceleddate = now() where decisionid = $1::bigint', [
      started['DecisionID'],
    ]);
    await store.query('delete from pgboss.job');
  });

  it('WF-28 housekeeping requeues stalled steps on its own', async () => {
    const started = await start('Stalls', await newCase());
    const { DecisionStepID: step } = await stepNamed(started['DecisionID'], 'Ask');
    await age(step, 24 * 60);
    await deleteQueuedStart(step);
    assert.equal(await requeueStalledSteps.run(p.platform), 1);
    await workUntil(started, ['Ask Complete', 'Behind Pending']);
    assert.equal(await requeueStalledSteps.run(p.platform), 0);
  });
});

describe('decision/backfill', () => {
  it('WF-29 WF-14 completes steps as of their past ProjectedCompletion, and starts the steps that are then ready', async () => {
    await template('Behind time', [{ name: 'First' }, { name: 'Second', after: ['First'], EstimatedDuration: 2 }]);
    const [past, future, held] = [
      await start('Behind time', await newCase()),
      await start('Behind time', await newCase()),
      await start('Behind time', await newCase()),
    ];
    const project = async (started: WorkflowRow, at: string): Promise<unknown> =>
      save('decisionstep', {
        ID: (await stepNamed(started['DecisionID'], 'First'))['DecisionStepID'],
        ProjectedCompletion: at,
      });
    await project(past, '2026-01-05T10:00:00Z');
    await project(future, '2999-01-05T10:00:00Z');
    await project(held, '2026-01-05T10:00:00Z');
    await store.query('update decision set delayed = true where decisionid = $1::bigint', [held['DecisionID']]);
    const all = await post('decision/backfill', { DecisionTemplateID: past['DecisionTemplateID'] });
    assert.deepEqual(
      [all['WorkflowCount'], all['CompletedCount'], all['FailedCount'], all['QueueMessageID'] ?? null],
      [2, 1, 0, null],
    );
    assert.deepEqual(await stepStatuses(past['DecisionID']), ['First Complete', 'Second Pending']);
    assert.equal((await stepNamed(past['DecisionID'], 'First'))['ActualCompletion'], '2026-01-05T10:00:00.000Z');
    assert.deepEqual(
      [
        (await stepNamed(past['DecisionID'], 'Second'))['EstimatedStart'],
        (await stepNamed(past['DecisionID'], 'Second'))['EstimatedCompletion'],
      ],
      ['2026-01-05T10:00:00.000Z', '2026-01-07T10:00:00.000Z'],
    );
    for (const started of [future, held])
      assert.deepEqual(await stepStatuses(started['DecisionID']), ['First Pending']);
    const again = await post('decision/backfill', { DecisionTemplateID: past['DecisionTemplateID'] });
    assert.deepEqual([again['WorkflowCount'], again['CompletedCount']], [2, 0]);
  });

  it('WF-29 a workflow that was never processed gets its first steps from a queued pass', async () => {
    await template('Unborn', [{ name: 'First' }]);
    await setSetting(p.admin, 'DecisionProcessOnInsert', 'false');
    const started = await start('Unborn', await newCase());
    await setSetting(p.admin, 'DecisionProcessOnInsert', 'true');
    assert.deepEqual(await stepStatuses(started['DecisionID']), []);
    const one = await post('decision/backfill', { ID: started['DecisionID'] });
    assert.deepEqual([one['WorkflowCount'], one['CompletedCount']], [1, 0]);
    await workUntil(started, ['First Pending']);
    await refused(p.admin.post('/api/decision/backfill?Output=Json', { ID: [started['DecisionID'], 999_999] }), 404);
  });

  it('WF-29 a step that cannot complete is reported, and the other workflows continue', async () => {
    await template('Refusing', [{ name: 'First', OnCompleteParentStatus: 'Any' }]);
    const [bad, good] = [await start('Refusing', await newCase()), await start('Refusing', await newCase())];
    for (const started of [bad, good])
      await save('decisionstep', {
        ID: (await stepNamed(started['DecisionID'], 'First'))['DecisionStepID'],
        ProjectedCompletion: '2026-01-05',
      });
    await store.query("update decision set object = 'Foreclosure', objectid = 999999 where decisionid = $1::bigint", [
      bad['DecisionID'],
    ]);
    const answer = await post('decision/backfill', { DecisionTemplateID: bad['DecisionTemplateID'] });
    assert.deepEqual([answer['CompletedCount'], answer['FailedCount']], [1, 1]);
    assert.equal((answer['Alerts'] as WorkflowRow[])[0]?.['ID'], bad['DecisionID']);
    assert.equal((await decision(good['DecisionID']))['Status'], 'Complete');
  });
});

describe('access to repairs', () => {
  it("WF-26 WF-29 a firm's user needs the permission to repair, and then repairs only what the firm can access", async () => {
    const firm = await p.firm('Repairing Firm');
    const other = await start('Mixed', await newCase());
    const body = { ID: other['DecisionID'], DecisionStepTemplateID: await templateId('Mixed', 'Ask') };
    await refused(firm.caller.post('/api/decision/reprocess?Output=Json', body), 403);
    await save('role', {
      Role: 'Repairer',
      Permissions: 'DecisionReprocess DecisionBackfill DecisionStepStalledStepsRequeue DecisionStepErrorRequeue',
    });
    const repairer = await p.firm('Another Firm', 'Repairer');
    await refused(repairer.caller.post('/api/decision/reprocess?Output=Json', body), 404);
    const mine = await start('Mixed', await newCase({ OrganizationID: repairer.organizationId }));
    const answer = await ok(repairer.caller.post('/api/decision/backfill?Output=Json', {}));
    assert.equal(answer['WorkflowCount'], 1);
    assert.equal(
      (await ok(repairer.caller.post('/api/decision/reprocess?Output=Json', { ...body, ID: mine['DecisionID'] })))[
        'StepCount'
      ],
      1,
    );
    assert.equal(
      (await ok(repairer.caller.post('/api/decisionstep/stalledstepsrequeue?Output=Json', { AgeMinutes: 0 })))[
        'QueuedCount'
      ],
      0,
    );
  });
});
