/** Loop steps whose rows are logged as a batch: limited concurrency, each row run once, completed with the last one. */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { item } from '../../../src/kernel/door/answer.ts';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { f, required } from '../../../src/kernel/declare/field.ts';
import { defineOperation, handle } from '../../../src/kernel/declare/operation.ts';
import { startWorker } from '../../../src/surfaces/worker/worker.ts';
import { batchEnded, batchRows, insertContacts } from '../../support/imports/batches.ts';
import { atEnd } from '../../support/at-end.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import { workflowCalls, type StepOf, type WorkflowRow } from '../../support/work/workflows.ts';

/** The number of rows running now, the highest number so far, and the promise that each row waits for. */
const running = { now: 0, most: 0, gate: Promise.resolve() };
/** Rows of the loop in which some rows fail; `npm run soak -- loops` runs 100,000. */
const ROWS = Number(process.env['CASEWRIGHT_TEST_LOOP_ROWS'] ?? 150);
/** Longest time to wait for a step. */
const LOOP_MILLISECONDS_MAX = 20_000 + ROWS * 20;

/** First names of the rows that fail. */
const failing = new Set<string>();

const fields = { Word: required(f.text({ doc: 'A word.', max: 100 })) };
const mark = defineOperation({
  module: 'loopprobe',
  name: 'Mark',
  method: 'GET',
  summary: 'Leaves a mark.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: fields,
  returns: fields,
  errors: [],
  source: 'test',
});
const later = defineOperation({
  ...mark,
  name: 'Later',
  params: { ...fields, DecisionStepID: f.id({ doc: 'The step that waits.', to: 'DecisionStep' }) },
});

const fixture = {
  schema:
    'create table loopmark (id bigint generated always as identity, word text); grant insert on loopmark to public;',
  declarations: {
    operations: [
      {
        operation: mark,
        run: handle(mark, async (ctx, { Word }) => {
          running.most = Math.max(running.most, ++running.now);
          try {
            await running.gate;
            await ctx.transaction().query('insert into loopmark (word) values ($1::text)', [Word]);
            if (failing.has(Word)) throw new PlatformError('RULE_EXCEPTION', { message: `The rule refuses ${Word}.` });
            return item('Loopprobe', fields, { Word });
          } finally {
            running.now--;
          }
        }),
      },
      // Calls back from the queue, once its work is done.
      {
        operation: later,
        run: handle(later, async (ctx, { Word, DecisionStepID }) => {
          const [step] = await ctx.db.query<{ decisionid: number }>(
            'select decisionid from decisionstep where decisionstepid = $1::bigint',
            [DecisionStepID],
          );
          await ctx.enqueue({
            route: 'decision/advance',
            parameters: { ID: step?.decisionid ?? 0, CompleteStepID: [DecisionStepID ?? 0], IsTrue: Word === 'yes' },
          });
          return item('Loopprobe', fields, { Word });
        }),
      },
    ],
  },
};

const p = await testPlatform({ after }, { worker: true, fixture });
// A second worker: without the limit, more rows would run at once than either test allows.
const second = startWorker(p.platform, p.platform.queue);
atEnd({ after }, () => second.stop());
const { ok, save, template, newCase, start, stepStatuses, decision, stepNamed } = workflowCalls(p);

beforeEach(() => {
  failing.clear();
  Object.assign(running, { now: 0, most: 0, gate: Promise.resolve() });
});

const loop = (lastName: string, more: Record<string, unknown> = {}): StepOf => ({
  name: 'Loop',
  Object: 'loopprobe',
  Operation: 'Mark',
  Parameters: 'Word={FirstName}',
  Method: `Contact/Search?LastName=${lastName}`,
  BatchLog: 1,
  ...more,
});
const byHand: StepOf = { name: 'Behind', after: ['Loop'] };

async function marks(): Promise<Record<string, number>> {
  const rows = await p.platform.store.query<{ word: string; n: number }>(
    'select word, count(*)::integer as n from loopmark group by word',
  );
  return Object.fromEntries(rows.map(({ word, n }) => [word, n]));
}

const fileOf = async (started: WorkflowRow): Promise<number> =>
  Number((await stepNamed(started['DecisionID'], 'Loop'))['ObjectID']);
const untilSteps = (started: WorkflowRow, expected: readonly string[]): Promise<unknown> =>
  eventually(
    `the steps are ${expected.join(', ')}`,
    async () => {
      const now = await stepStatuses(started['DecisionID']);
      return now.join() === expected.join() ? true : Promise.reject(new Error(now.join()));
    },
    LOOP_MILLISECONDS_MAX,
  );

describe('a queued step', () => {
  it('WF-17 whose process did not run while another one started the step again leaves nothing', async () => {
    await template('Overtaken', [
      { name: 'Mark', Object: 'loopprobe', Operation: 'Mark', Parameters: 'Word=Overtaken', Async: 1 },
    ]);
    let open = (): void => undefined;
    running.gate = new Promise((resolve) => {
      open = resolve;
    });
    const started = await start('Overtaken', await newCase());
    await eventually('the operation runs', () => Promise.resolve(running.now === 1));
    const { DecisionStepID: step } = await stepNamed(started['DecisionID'], 'Mark');
    // What the start by another process does, once the lease of the job has expired.
    await p.platform.store.query(
      'update decisionstepattempt set token = gen_random_uuid() where decisionstepid = $1::bigint',
      [step],
    );
    open();
    await eventually('the first start has ended', () => Promise.resolve(running.now === 0));
    await eventually('its job is done', async () => {
      const jobs = await p.platform.store.query(
        "select 1 from pgboss.job where data->>'label' = $1::text and state < 'completed'",
        [`DecisionStep ${String(step)}`],
      );
      return jobs.length === 0;
    });
    assert.deepEqual([await stepStatuses(started['DecisionID']), await marks()], [['Mark Started'], {}]);
    await p.platform.store.query('update decisionstep set actualstart = $2::timestamptz where decisionstepid = $1', [
      step,
      '2026-01-01T00:00:00Z',
    ]);
    await p.platform.store.query('update decisionstep set queuemessageid = null where decisionstepid = $1::bigint', [
      step,
    ]);
    await ok(p.admin.post('/api/decisionstep/start?Output=Json', { ID: step }));
    assert.deepEqual([await stepStatuses(started['DecisionID']), await marks()], [['Mark Complete'], { Overtaken: 1 }]);
    await p.platform.store.query('delete from loopmark');
  });
});

describe('a loop that is logged as a batch', () => {
  it('WF-07 runs each row of Method once, at most BatchStepTheadCount at a time, and completes with the last one', async () => {
    await insertContacts(p, 'Wide', 24);
    await template('Wide', [loop('Wide', { BatchStepTheadCount: 3 }), byHand]);
    let open = (): void => undefined;
    running.gate = new Promise((resolve) => {
      open = resolve;
    });
    const started = await start('Wide', await newCase());
    assert.deepEqual(await stepStatuses(started['DecisionID']), ['Loop Pending']);
    const file = await fileOf(started);
    await eventually('three rows run at once', () => running.now === 3);
    open();
    assert.deepEqual(await batchEnded(p, file), { status: 'Complete', successcount: 24, errorcount: 0, message: null });
    await untilSteps(started, ['Loop Complete', 'Behind Pending']);
    assert.equal(running.most, 3);
    const mine = Object.entries(await marks());
    assert.deepEqual([mine.length, mine.every(([, n]) => n === 1)], [24, true]);
    assert.ok((await batchRows(p, file)).every((row) => row.succeeded && row.executecount === 1));
  });

  it('WF-07 runs four rows at a time by default', async () => {
    await insertContacts(p, 'Plain', 12);
    await template('Four', [loop('Plain'), byHand]);
    let open = (): void => undefined;
    running.gate = new Promise((resolve) => {
      open = resolve;
    });
    const started = await start('Four', await newCase());
    await eventually('four rows run at once', () => running.now === 4);
    open();
    await untilSteps(started, ['Loop Complete', 'Behind Pending']);
    assert.equal(running.most, 4);
  });

  it('WF-07 failed rows leave the step in Error with their count; requeued rows that succeed complete it, and no row runs twice', async () => {
    await p.platform.store.query('truncate loopmark');
    await insertContacts(p, 'Torn', ROWS);
    for (const n of [1, ROWS / 2, ROWS / 2 + 1, ROWS]) failing.add(`n${n}`);
    await template('Torn', [loop('Torn', { BatchStepTheadCount: 2 }), byHand]);
    const started = await start('Torn', await newCase());
    await untilSteps(started, ['Loop Error']);
    const step = await stepNamed(started['DecisionID'], 'Loop');
    assert.match(String(step['ErrorMessage']), new RegExp(`4 of ${ROWS} rows failed; the others are done`));
    const [entry] = await p.platform.store.query<{ n: number }>(
      'select count(*)::integer as n from errorlog where errorguid = $1::text',
      [step['ErrorGUID']],
    );
    assert.equal(entry?.n, 1);
    const file = await fileOf(started);
    failing.delete('n1');
    Object.assign(running, { now: 0, most: 0 });
    await ok(p.admin.get(`/api/importfilequeue/requeue?Output=Json&ImportFileID=${file}`));
    await eventually('the step reports the rows that failed once more', async () =>
      String((await stepNamed(started['DecisionID'], 'Loop'))['ErrorMessage']).includes(`3 of ${ROWS} rows failed`),
    );
    failing.clear();
    await ok(p.admin.get(`/api/importfilequeue/requeue?Output=Json&ImportFileID=${file}`));
    await untilSteps(started, ['Loop Complete', 'Behind Pending']);
    assert.ok(running.most <= 2, 'rows that are queued again are limited too');
    const rows = Object.entries(await marks());
    assert.deepEqual([rows.length, rows.every(([, n]) => n === 1)], [ROWS, true]);
    assert.equal((await stepNamed(started['DecisionID'], 'Loop'))['ErrorGUID'] ?? null, null);
  });

  it('WF-07 without rows, completes at once', async () => {
    await template('None', [loop('Nobody of this name'), byHand]);
    const started = await start('None', await newCase());
    assert.deepEqual(await stepStatuses(started['DecisionID']), ['Loop Complete', 'Behind Pending']);
  });

  it('WF-07 WF-16 a batch that ends while the workflow is on hold completes its step when the hold ends', async () => {
    await insertContacts(p, 'Held', 3);
    const kind = await save('decisiondelaytemplate', {
      DecisionDelayTemplate: 'Waits for papers',
      AppliesTo: 'Foreclosure',
    });
    await template('Held', [loop('Held'), byHand]);
    let open = (): void => undefined;
    running.gate = new Promise((resolve) => {
      open = resolve;
    });
    const started = await start('Held', await newCase());
    const hold = await save('decisiondelay', {
      DecisionID: started['DecisionID'],
      DecisionDelayTemplateID: kind['DecisionDelayTemplateID'],
    });
    open();
    await batchEnded(p, await fileOf(started));
    assert.deepEqual(await stepStatuses(started['DecisionID']), ['Loop Pending']);
    await save('decisiondelay', {
      ID: hold['DecisionDelayID'],
      ActualCompletion: new Date(Date.now() + 1_000).toISOString(),
    });
    await ok(p.admin.post(`/api/decision/process/${String(started['DecisionID'])}?Output=Json`));
    await untilSteps(started, ['Loop Complete', 'Behind Pending']);
  });

  it('WF-07 a step that calls importfile/batch itself waits for the batch too', async () => {
    await insertContacts(p, 'Own', 3);
    await template('Own', [
      {
        name: 'Loop',
        Object: 'ImportFile',
        Operation: 'Batch',
        Parameters: 'ClassName=Contact&Operation=Search&LastName=Own&Signature=loopprobe/Mark%3FWord%3D%7BFirstName%7D',
      },
      byHand,
    ]);
    const started = await start('Own', await newCase());
    await untilSteps(started, ['Loop Complete', 'Behind Pending']);
  });

  it('WF-07 a batch that another call attaches to the step does not complete it', async () => {
    await template('Strange', [{ name: 'Loop' }]);
    const started = await start('Strange', await newCase());
    const step = await stepNamed(started['DecisionID'], 'Loop');
    await ok(
      p.admin.post('/api/importfile/batch?Output=Json', {
        ClassName: 'Contact',
        Operation: 'Search',
        LastName: 'Nobody of this name',
        Signature: 'Contact/Save?ID={ContactID}',
        DecisionStepID: step['DecisionStepID'],
      }),
    );
    await ok(p.admin.post(`/api/decision/process/${String(started['DecisionID'])}?Output=Json`));
    assert.deepEqual(await stepStatuses(started['DecisionID']), ['Loop Pending']);
    const refused = await p.admin.post('/api/importfile/batch?Output=Json', {
      ClassName: 'Contact',
      Operation: 'Search',
      Signature: 'Contact/Save?ID={ContactID}',
      DecisionStepID: 999_999,
    });
    assert.equal(refused.status, 404, refused.text);
    const wide = await p.admin.post('/api/importfile/batch?Output=Json', {
      ClassName: 'Contact',
      Operation: 'Search',
      Signature: 'Contact/Save?ID={ContactID}',
      BatchStepTheadCount: 65,
    });
    assert.match(wide.text, /BatchStepTheadCount: expected 1 to 64/);
  });
});

describe('a loop without BatchLog', () => {
  it('WF-07 runs the rows in order; failed rows do not stop the others, and the step is in Error with their count', async () => {
    await p.platform.store.query('truncate loopmark');
    await insertContacts(p, 'Inline', 6);
    failing.add('n2').add('n5');
    await template('Inline', [
      loop('Inline', { BatchLog: 0, Method: 'Contact/Search?LastName=Inline&OrderBy=ContactID' }),
      byHand,
    ]);
    const answer = await p.admin.post('/api/decision/save?Output=Json', {
      Template: 'Inline',
      Object: 'Foreclosure',
      ObjectID: await newCase(),
    });
    assert.match(
      answer.text,
      /2 of 6 rows failed; the others are done. row 2: The rule refuses n2. row 5: The rule refuses n5./,
    );
    const rows = await p.platform.store.query<{ word: string }>('select word from loopmark order by id');
    assert.deepEqual(
      rows.map(({ word }) => word),
      ['n1', 'n3', 'n4', 'n6'],
    );
    assert.equal(running.most, 1);
  });
});

describe('a Method that returns a document', () => {
  it('WF-31 leads to one call whose placeholders its output fills, not to a loop', async () => {
    await p.platform.store.query('truncate loopmark');
    const caseId = await newCase({ Foreclosure: 'Of a document' });
    await template('Document', [
      {
        name: 'Once',
        Object: 'loopprobe',
        Operation: 'Mark',
        Parameters: 'Word={//ForeclosureItem/Foreclosure}',
        Method: 'Foreclosure/Summary?ID={ForeclosureID}',
      },
      {
        name: 'Item',
        Object: 'loopprobe',
        Operation: 'Mark',
        Parameters: 'Word={Status}',
        Method: 'Foreclosure/Save?ID={ForeclosureID}&Status=Seen',
        after: ['Once'],
      },
    ]);
    const started = await start('Document', caseId);
    assert.equal((await decision(started['DecisionID']))['Status'], 'Complete');
    assert.deepEqual(await marks(), { 'Of a document': 1, Seen: 1 });
  });
});

describe("an operation that takes the step's id", () => {
  it('WF-07 leaves the step Pending until it calls back with the result', async () => {
    await template('Called back', [
      { name: 'Loop', Object: 'loopprobe', Operation: 'Later', Parameters: 'Word=yes' },
      { name: 'Yes', after: ['Loop=1'] },
      { name: 'No', after: ['Loop=0'] },
    ]);
    const started = await start('Called back', await newCase());
    await untilSteps(started, ['Loop Complete', 'Yes Pending']);
  });
});
