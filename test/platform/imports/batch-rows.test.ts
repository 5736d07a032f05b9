/** The rows of batches: whose permissions they run with, what becomes of failed rows, and that each runs only once. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { item } from '../../../src/kernel/door/answer.ts';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { f, required } from '../../../src/kernel/declare/field.ts';
import { defineOperation, handle } from '../../../src/kernel/declare/operation.ts';
import { requeueAbandonedImports } from '../../../src/modules/imports/importfile/lib/abandoned-imports.ts';
import { housekeeping } from '../../../src/app/housekeeping.ts';
import { startWorker } from '../../../src/surfaces/worker/worker.ts';
import {
  batchEnded,
  batchRows,
  countContacts,
  insertContacts,
  makeBatch,
  type BatchRow,
} from '../../support/imports/batches.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform, type Caller } from '../../support/platform.ts';
import { setSetting } from '../../support/imports/referrals.ts';

/** The promise that held calls wait for. */
let gate: Promise<void> = Promise.resolve();

const fields = { Word: required(f.text({ doc: 'A word.', max: 100 })) };
const base = {
  module: 'rowprobe',
  method: 'GET',
  summary: 'Leaves a mark.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: fields,
  returns: fields,
  errors: [],
  source: 'test',
} as const;
const mark = defineOperation({ ...base, name: 'Mark' });
const own = defineOperation({ ...base, name: 'Own', transactions: 'own' });
const broken = defineOperation({ ...base, name: 'Broken' });
const late = defineOperation({ ...base, name: 'Late' });
const write = 'insert into rowmark (word, personid) values ($1::text, $2::bigint)';

const fixture = {
  schema: `create table rowmark (id bigint generated always as identity, word text, personid bigint, constraint later
    unique
      (word, personid) deferrable initially deferred); grant insert on rowmark to casewright_reach;`,
  declarations: {
    operations: [
      {
        operation: mark,
        run: handle(mark, async (ctx, { Word }) => {
          await ctx.transaction().query(write, [Word, ctx.user.personId]);
          if (Word.startsWith('fail'))
            throw new PlatformError('RULE_EXCEPTION', {
              message: `The rule refuses ${Word}, whose number is 123-45-6789.`,
            });
          return item('Rowprobe', fields, { Word });
        }),
      },
      {
        operation: own,
        run: handle(own, async (ctx, { Word }) => {
          await ctx.inTransaction((part) => part.db.query(write, [Word, ctx.user.personId]));
          await gate;
          return item('Rowprobe', fields, { Word });
        }),
      },
      {
        operation: broken,
        run: handle(broken, async () => {
          throw new Error('nobody foresaw this of 123-45-6789');
        }),
      },
      // The second insert of a word fails at the commit.
      {
        operation: late,
        run: handle(late, async (ctx, { Word }) => {
          await ctx.transaction().query(write, [Word, ctx.user.personId]);
          return item('Rowprobe', fields, { Word });
        }),
      },
    ],
  },
};

const t = await testPlatform({ after }, { worker: true, fixture });
const { admin } = t;

/** Creates an import file, adds the given rows to it, and marks them as complete. */
async function rowsOf(caller: Caller, rows: readonly object[], personId: number): Promise<number> {
  const { store } = t.platform;
  const [file] = await store.query<{ id: number }>(
    `insert into importfile (importfile, status, importstart, createdpersonid)
      values ('by hand', 'Importing', now(), $1::bigint) returning importfileid as id`,
    [personId],
  );
  const id = Number(file?.id);
  await store.query(
    `insert into importrun (importfileid, deliveryid, state, total, done)
      values ($1::bigint, gen_random_uuid(), '{"queued":true}', $2::bigint, $2::bigint)`,
    [id, rows.length],
  );
  const added = await caller.post('/api/importfilequeue/add?Output=Json', {
    ImportFileID: id,
    Rows: JSON.stringify(rows),
  });
  assert.equal(added.status, 200, added.text);
  return id;
}

const adminId = Number(
  (await t.platform.store.query<{ id: number }>(`select personid as id from person where person = 'administrator'`))[0]
    ?.id,
);

async function marks(word: string): Promise<number> {
  const [row] = await t.platform.store.query<{ n: number }>(
    'select count(*)::integer as n from rowmark where word = $1::text',
    [word],
  );
  return row?.n ?? 0;
}

const word = (operation: string, Word: string, more: object = {}): object => ({
  className: 'Rowprobe',
  operation,
  parameters: { Word },
  ...more,
});
const outcome = ({ succeeded, failed, executecount }: BatchRow): string =>
  `${succeeded ? 'success' : ''}${failed ? 'failure' : ''} ${executecount}`;

describe('a failing row', () => {
  it('IMP-16 IMP-07 is rolled back alone with its reason while the other rows run: a rule, an unknown class or operation, an unexpected error, a refused commit', async () => {
    const id = await rowsOf(
      admin,
      [
        word('Mark', 'before', { label: 'first' }),
        word('Mark', 'fail 1'),
        { className: 'Nonsense', operation: 'Save', parameters: {} },
        { className: 'Contact', operation: 'Frobnicate', parameters: {} },
        word('Broken', 'x'),
        word('Late', 'twice'),
        word('Late', 'twice'),
        word('Mark', 'wrong', { parameters: { Wrod: 'x' } }),
        { className: 'Contact', operation: '../Delete', parameters: {} },
        { className: 'Contact', operation: 'Save', parameters: { 'not a name': 'x' } },
        { className: 'Contact', operation: 'Save', queue: 'Btach', parameters: {} },
        { line: 4_711, problem: 'It could not be read: 123-45-6789.' },
        word('Mark', 'behind'),
      ],
      adminId,
    );
    const file = await batchEnded(t, id);
    assert.deepEqual([file.status, file.successcount, file.errorcount], ['Complete', 3, 10]);
    const rows = await batchRows(t, id);
    assert.deepEqual(rows.map(outcome), [
      'success 1',
      'failure 1',
      'failure 1',
      'failure 1',
      'failure 1',
      'success 1',
      'failure 1',
      'failure 1',
      'failure 0',
      'failure 0',
      'failure 0',
      'failure 0',
      'success 1',
    ]);
    assert.deepEqual(await Promise.all(['before', 'behind', 'twice', 'fail 1'].map(marks)), [1, 1, 1, 0]);
    const reported = rows.map((row) => row.message ?? '');
    assert.match(reported[1] ?? '', /^The rule refuses fail 1, whose number is XXX-XX-6789\.$/);
    assert.match(reported[2] ?? '', /there is no module nonsense/i);
    assert.match(reported[3] ?? '', /no operation frobnicate/);
    assert.match(reported[4] ?? '', /^Unexpected error\. Quote the correlation ID [0-9a-f-]+ to support\.$/);
    assert.match(reported[6] ?? '', /another record already has this value/);
    assert.match(reported[7] ?? '', /Wrod: the operation takes no such parameter/);
    assert.match(reported[8] ?? '', /Operation: expected the name of an operation/);
    assert.match(reported[9] ?? '', /name cannot be the name of a parameter/);
    assert.match(reported[10] ?? '', /there is no such queue\. Did you mean Batch/);
    assert.equal(reported[11], 'It could not be read: XXX-XX-6789.');
    assert.equal(rows[11]?.line, 4_711);
    assert.equal(rows[0]?.label, 'first');
    const log = await t.platform.store.query<{ status: string; n: number }>(
      `select status, count(*)::integer as n from importlog where importfileid = $1::bigint group by status
        order by status`,
      [id],
    );
    assert.deepEqual(
      log.map((row) => ({ ...row })),
      [
        { status: 'Error', n: 10 },
        { status: 'Success', n: 3 },
      ],
    );
  });

  it('IMP-16 cannot be both successful and failed: the database refuses it', async () => {
    await assert.rejects(
      t.platform.store.query('insert into importfilequeue (successdate, failuredate) values (now(), now())'),
      /importfilequeue_outcome_check/,
    );
  });
});

describe('the permissions of rows', () => {
  it('IMP-07 KRN-17 are those of the user who queued them, checked when they run: without permission nothing changes', async () => {
    await insertContacts(t, 'Authority', 4);
    await admin.post('/api/role/save', {
      Role: 'Batcher',
      Permissions: 'ImportFileBatch ContactSearch',
      UniversalAccess: true,
    });
    const { caller } = await t.user('batcher', 'Batcher');
    const made = await makeBatch(caller, {
      ClassName: 'Contact',
      Operation: 'Search',
      LastName: 'Authority',
      Signature: 'Contact/Save?ID={ContactID}&MiddleName=stolen',
    });
    assert.deepEqual(
      [(await batchEnded(t, made.ImportFileID)).errorcount, await countContacts(t, `middlename = 'stolen'`)],
      [4, 0],
    );
    assert.match(
      (await batchRows(t, made.ImportFileID))[0]?.message ?? '',
      /The permission ContactSave is not granted to you/,
    );
    // A batch does not let the user read what the user is not permitted to read.
    assert.equal(
      (
        await caller.post('/api/importfile/batch', {
          ClassName: 'Loan',
          Operation: 'Search',
          Signature: 'Contact/Save?ID={LoanID}',
        })
      ).status,
      403,
    );
    assert.equal((await caller.post('/api/importfilequeue/requeue', { ImportFileID: made.ImportFileID })).status, 403);
  });

  it("IMP-07 KRN-18 limit a firm's batch to the records that the firm can access, and hide it from other firms", async () => {
    await admin.post('/api/role/save', {
      Role: 'Firm batches',
      Permissions: 'ImportFileBatch Contact* ImportFile*',
      UniversalAccess: false,
    });
    const [one, two] = [await t.firm('Batch One LLP', 'Firm batches'), await t.firm('Batch Two LLP', 'Firm batches')];
    const contact = async (organizationId: number, name: string): Promise<number> =>
      Number(
        (
          await admin.post('/api/contact/save?Output=Json', {
            LastName: 'Reach',
            FirstName: name,
            Object: 'Organization',
            ObjectID: organizationId,
          })
        ).json()['ContactID'],
      );
    const [mine, theirs] = [await contact(one.organizationId, 'mine'), await contact(two.organizationId, 'theirs')];
    const made = await makeBatch(one.caller, {
      ClassName: 'Contact',
      Operation: 'Search',
      LastName: 'Reach',
      Signature: 'Contact/Save?ID={ContactID}&MiddleName=seen',
    });
    assert.equal(made.RowCount, 1);
    assert.equal((await batchEnded(t, made.ImportFileID)).successcount, 1);
    assert.equal(await countContacts(t, `middlename = 'seen' and contactid <> ${mine}`), 0);
    const foreign = await makeBatch(one.caller, {
      ClassName: 'Contact',
      Operation: 'Search',
      LastName: 'Reach',
      Signature: `Contact/Save?ID=${theirs}&MiddleName={FirstName}`,
    });
    assert.deepEqual(
      [
        (await batchEnded(t, foreign.ImportFileID)).errorcount,
        await countContacts(t, `contactid = ${theirs} and middlename is not null`),
      ],
      [1, 0],
    );
    const [row] = await batchRows(t, foreign.ImportFileID);
    assert.match(row?.message ?? '', /Contact \d+ not found/);
    for (const path of [
      `select?ID=${row?.id}`,
      `requeue?ID=${row?.id}`,
      `requeue?ImportFileID=${foreign.ImportFileID}`,
      `resume?ImportFileID=${foreign.ImportFileID}`,
      `process?ImportFileID=${foreign.ImportFileID}&Queue=Batch&From=1&To=999999`,
    ]) {
      const answer = await two.caller.post(`/api/importfilequeue/${path}`);
      assert.equal(answer.status, 404, `${path}: ${answer.text}`);
    }
    assert.equal((await two.caller.post(`/api/importfile/endbatch?ID=${foreign.ImportFileID}`)).status, 404);
    assert.doesNotMatch((await two.caller.get('/api/importfilequeue/search')).text, /ImportFileQueueID/);
    assert.match((await one.caller.get(`/api/importfilequeue/select?ID=${row?.id}`)).text, /ImportFileQueueID/);
  });

  it("IMP-09 stay those of the user who first queued the rows, whoever requeues them: nobody can run another user's rows as themselves", async () => {
    await insertContacts(t, 'Lent', 1);
    await admin.post('/api/role/save', {
      Role: 'Lender',
      Permissions: 'ImportFileBatch ContactSearch',
      UniversalAccess: true,
    });
    const { caller, personId } = await t.user('lender', 'Lender');
    const made = await makeBatch(caller, {
      ClassName: 'Contact',
      Operation: 'Search',
      LastName: 'Lent',
      Signature: 'Role/Save?Role=Own&Permissions={FirstName}*',
    });
    await batchEnded(t, made.ImportFileID);
    assert.equal((await admin.get(`/api/importfilequeue/requeue?ImportFileID=${made.ImportFileID}`)).status, 200);
    const [row] = await eventually('the second attempt', async () => {
      const rows = await batchRows(t, made.ImportFileID);
      return rows[0]?.executecount === 2 && rows[0].failed ? rows : undefined;
    });
    assert.match(row?.message ?? '', /The permission RoleSave is not granted/);
    assert.equal((await t.platform.store.query(`select 1 from role where role = 'Own'`)).length, 0);
    // An administrator who processes these rows finds none that the administrator queued.
    const none = await admin.post(
      `/api/importfilequeue/process?Output=Json&ImportFileID=${made.ImportFileID}&Queue=Batch&From=1&To=99999999`,
    );
    assert.deepEqual([none.json()['Succeeded'], none.json()['Failed']], [0, 0]);
    await batchEnded(t, made.ImportFileID);
    await admin.post('/api/person/save', { ID: personId, Status: 'Inactive' });
    const refused = await admin.post(`/api/importfilequeue/requeue?ID=${row?.id}`);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /a user who is no longer active/);
  });
});

describe('importfilequeue/requeue', () => {
  it('IMP-09 of a whole batch reports how many rows it skipped, and why', async () => {
    const id = await rowsOf(
      admin,
      [word('Mark', 'fail once'), word('Mark', 'fail once'), word('Mark', 'fail once')],
      adminId,
    );
    await batchEnded(t, id);
    const [first] = await batchRows(t, id);
    // As of a row that could not be read.
    await t.platform.store.query(
      'update importfilequeue set parameterxml = null where importfilequeueid = $1::bigint',
      [first?.id],
    );
    const answer = (await admin.get(`/api/importfilequeue/requeue?Output=Json&ImportFileID=${id}`)).json();
    assert.equal(answer['Requeued'], 2);
    assert.match(JSON.stringify(answer['Alerts']), /1 row: could not be read as a call; correct it and send it again/);
    await batchEnded(t, id);
  });

  it('IMP-09 IMP-22 IMP-16 requeues rows that did not succeed, skips the others with an alert, changes their queue, and the file ends again', async () => {
    const id = await rowsOf(admin, [word('Mark', 'kept'), word('Mark', 'fail once')], adminId);
    await batchEnded(t, id);
    const [stored, failed] = await batchRows(t, id);
    // The obstacle is removed.
    await t.platform.store.query(`update importfilequeue set operation = 'Late' where importfilequeueid = $1::bigint`, [
      failed?.id,
    ]);
    const answer = await admin.get(
      `/api/importfilequeue/requeue?Output=Json&ID=${stored?.id},${failed?.id}&Queue=mail`,
    );
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json()['Requeued'], 1);
    assert.match(answer.text, new RegExp(`Row ${stored?.id} has succeeded`));
    assert.deepEqual(await batchEnded(t, id), { status: 'Complete', successcount: 2, errorcount: 0, message: null });
    const rows = await batchRows(t, id);
    assert.deepEqual(
      rows.map((row) => [outcome(row), row.queue, row.message]),
      [
        ['success 1', 'Batch', null],
        ['success 2', 'Mail', null],
      ],
    );
    assert.equal(await marks('kept'), 1);
    const log = await t.platform.store.query<{ status: string }>(
      'select status from importlog where importfileid = $1::bigint order by sequence',
      [id],
    );
    assert.deepEqual(
      log.map((row) => row.status),
      ['Success', 'Success'],
      'the later outcome replaces the first one',
    );
    const refused = await admin.get(`/api/importfilequeue/requeue?ID=${stored?.id},${failed?.id}`);
    assert.equal(refused.status, 422);
    assert.equal((await admin.get(`/api/importfilequeue/requeue?ID=${failed?.id}&Queue=Mial`)).status, 400);
    assert.equal((await admin.get('/api/importfilequeue/requeue?ID=999999999')).status, 404);
    assert.equal((await admin.get('/api/importfilequeue/requeue')).status, 400);
  });
});

describe('a call that commits its own transactions', () => {
  it('IMP-16 is marked as running; if its process dies, the row fails with an unknown outcome and is not run again', async () => {
    const held = Promise.withResolvers<undefined>();
    gate = held.promise;
    try {
      const id = await rowsOf(admin, [word('Own', 'alone'), word('Mark', 'after alone')], adminId);
      await eventually('the call runs', async () => (await marks('alone')) === 1);
      const [running] = await batchRows(t, id);
      assert.deepEqual([running?.status, running?.executecount], ['Running', 1]);
      assert.match((await admin.get(`/api/importfilequeue/requeue?ID=${running?.id}`)).text, /is running/);
      // Another delivery waits for it and processes no row after it.
      const waits = await admin.post(
        `/api/importfilequeue/process?Output=Json&ImportFileID=${id}&Queue=Batch` +
          `&From=${running?.id}&To=${Number(running?.id) + 1}`,
      );
      assert.deepEqual([waits.json()['Succeeded'], waits.json()['Failed'], await marks('after alone')], [0, 0, 0]);
      await t.platform.store.query(
        `update importfilequeue set leaseduntil = now() - interval '1 second' where importfilequeueid = $1::bigint`,
        [running?.id],
      );
      const taken = await admin.post(
        `/api/importfilequeue/process?Output=Json&ImportFileID=${id}&Queue=Batch` +
          `&From=${running?.id}&To=${Number(running?.id) + 1}`,
      );
      assert.deepEqual([taken.json()['Succeeded'], taken.json()['Failed']], [1, 1]);
      const file = await batchEnded(t, id);
      assert.deepEqual([file.successcount, file.errorcount], [1, 1]);
      held.resolve(undefined);
      await eventually(
        'the call that was given up has ended',
        async () =>
          (await t.platform.store.query(`select 1 from pgboss.job where name = 'Batch' and state = 'active'`))
            .length === 0,
      );
      const [row] = await batchRows(t, id);
      assert.match(row?.message ?? '', /interrupted, and it is unknown whether the operation took effect/);
      assert.deepEqual([row && outcome(row), await marks('alone')], ['failure 1', 1]);
    } finally {
      held.resolve(undefined);
    }
  });
});

describe('the end of a batch', () => {
  it('IMP-20 comes once even if two workers finish at the same moment, and calls EndImport once', async () => {
    const second = startWorker(t.platform, t.platform.queue);
    try {
      const template = await admin.post('/api/importfiletemplate/save?Output=Json', {
        ImportFileTemplate: 'Ends once',
        ImportEngine: 'BatchReader',
        ImportOperationsAllowed: 7,
        EndImportMethod: 'Rowprobe/Late?Word=ended {ImportFileID}',
        ParameterString: 'LogCategory=all&FailureLogCategory=bad',
      });
      for (let round = 0; round < 5; round++) {
        const rows = [
          word('Mark', `a${round}`),
          word('Mark', `b${round}`, { queue: 'Mail' }),
          word('Mark', `fail ${round}`, { queue: 'Report' }),
        ];
        const { store } = t.platform;
        const [file] = await store.query<{ id: number }>(
          `insert into importfile (importfile, status, importstart, createdpersonid, importfiletemplateid)
            values ('once', 'Importing', now(), $1::bigint, $2::bigint) returning importfileid as id`,
          [adminId, template.json()['ImportFileTemplateID']],
        );
        await store.query(
          `insert into importrun (importfileid, deliveryid, state, total, done)
            values ($1::bigint, gen_random_uuid(), '{"queued":true}', 3, 3)`,
          [file?.id],
        );
        await admin.post('/api/importfilequeue/add', { ImportFileID: file?.id, Rows: JSON.stringify(rows) });
        const ended = await batchEnded(t, Number(file?.id));
        assert.deepEqual([ended.successcount, ended.errorcount], [2, 1]);
        await eventually('EndImport was called', async () => (await marks(`ended ${file?.id}`)) === 1);
        const calls = async (): Promise<number> =>
          Number(
            (
              await store.query<{ n: number }>(
                `select count(*)::integer as n from pgboss.job where name <> 'DeadLetters'
                  and data ->> 'label' = $1::text`,
                [`EndImport of import file ${file?.id}`],
              )
            )[0]?.n,
          );
        assert.equal(await calls(), 1);
        // Six workers find at the same moment that all rows are done.
        await store.query(
          `update importfile set status = 'Importing', importcomplete = null where importfileid = $1::bigint`,
          [file?.id],
        );
        await Promise.all([1, 2, 3, 4, 5, 6].map(() => admin.post(`/api/importfile/endbatch?ID=${file?.id}`)));
        assert.equal(await calls(), 2);
        const log = await store.query<{ status: string; logcategory: string }>(
          'select distinct status, logcategory from importlog where importfileid = $1::bigint order by 1',
          [file?.id],
        );
        assert.deepEqual(
          log.map((row) => ({ ...row })),
          [
            { status: 'Error', logcategory: 'bad' },
            { status: 'Success', logcategory: 'all' },
          ],
        );
      }
    } finally {
      await second.stop();
    }
  });

  it('IMP-21 is an Error if more rows fail than FailureThreshold allows: the remaining rows do not run, and EndImport is not called', async () => {
    const template = await admin.post('/api/importfiletemplate/save?Output=Json', {
      ImportFileTemplate: 'Breaches',
      ImportEngine: 'BatchReader',
      ImportOperationsAllowed: 4,
      FailureThreshold: '1',
      EndImportMethod: 'Rowprobe/Mark?Word=breached',
    });
    const { store } = t.platform;
    const [file] = await store.query<{ id: number }>(
      `insert into importfile (importfile, status, importstart, createdpersonid, importfiletemplateid)
        values ('breach', 'Importing', now(), $1::bigint, $2::bigint) returning importfileid as id`,
      [adminId, template.json()['ImportFileTemplateID']],
    );
    await store.query(
      `insert into importrun (importfileid, deliveryid, state, total, done)
        values ($1::bigint, gen_random_uuid(), '{"queued":true}', 4, 4)`,
      [file?.id],
    );
    await admin.post('/api/queue/stop', { QueueName: 'Report' });
    try {
      await admin.post('/api/importfilequeue/add', {
        ImportFileID: file?.id,
        Rows: JSON.stringify([
          word('Mark', 'fail x'),
          word('Mark', 'fail y'),
          word('Mark', 'fail z'),
          word('Mark', 'left', { queue: 'Report' }),
        ]),
      });
      const ended = await batchEnded(t, Number(file?.id));
      assert.deepEqual([ended.status, ended.errorcount], ['Error', 3]);
      assert.match(ended.message ?? '', /FailureThreshold: 3 rows failed; the import type allows 1/);
    } finally {
      await admin.post('/api/queue/start', { QueueName: 'Report' });
    }
    await eventually(
      'the queue is empty',
      async () =>
        (await store.query(`select 1 from pgboss.job where name = 'Report' and state < 'completed'`)).length === 0,
    );
    assert.deepEqual([await marks('left'), await marks('breached')], [0, 0]);
  });

  it('IMP-14 a row whose template does not allow its operation fails, and nothing of it is saved', async () => {
    const template = await admin.post('/api/importfiletemplate/save?Output=Json', {
      ImportFileTemplate: 'Inserts',
      ImportEngine: 'BatchReader',
      ImportOperationsAllowed: 1,
    });
    const [existing = 0] = await insertContacts(t, 'Flags', 1);
    const { store } = t.platform;
    const [file] = await store.query<{ id: number }>(
      `insert into importfile (importfile, status, importstart, createdpersonid, importfiletemplateid)
        values ('flags', 'Importing', now(), $1::bigint, $2::bigint) returning importfileid as id`,
      [adminId, template.json()['ImportFileTemplateID']],
    );
    await store.query(
      `insert into importrun (importfileid, deliveryid, state, total, done)
        values ($1::bigint, gen_random_uuid(), '{"queued":true}', 3, 3)`,
      [file?.id],
    );
    await admin.post('/api/importfilequeue/add', {
      ImportFileID: file?.id,
      Rows: JSON.stringify([
        { className: 'Contact', operation: 'Save', parameters: { LastName: 'Flags new' } },
        { className: 'Contact', operation: 'Save', parameters: { ID: existing, MiddleName: 'changed' } },
        word('Mark', 'invoked'),
      ]),
    });
    const ended = await batchEnded(t, Number(file?.id));
    assert.deepEqual([ended.successcount, ended.errorcount], [1, 2]);
    assert.deepEqual(
      [
        await countContacts(t, `lastname = 'Flags new'`),
        await countContacts(t, `middlename = 'changed'`),
        await marks('invoked'),
      ],
      [1, 0, 0],
    );
    const rows = await batchRows(t, Number(file?.id));
    assert.match(rows[1]?.message ?? '', /would change a record, which the import type does not allow/);
    assert.match(rows[2]?.message ?? '', /would invoke an operation/);
  });

  it('a stopped batch does nothing until it is resumed, and then runs the remaining rows', async () => {
    await admin.post('/api/queue/stop', { QueueName: 'Report' });
    const id = await rowsOf(
      admin,
      [word('Mark', 'stopped 1', { queue: 'Report' }), word('Mark', 'stopped 2', { queue: 'Report' })],
      adminId,
    );
    assert.equal((await admin.post(`/api/importfile/stop?ID=${id}`)).status, 200);
    assert.equal(
      (
        await t.platform.store.query(
          `select 1 from importfile where importfileid = $1::bigint and status = 'Stopped'`,
          [id],
        )
      ).length,
      1,
    );
    await admin.post('/api/queue/start', { QueueName: 'Report' });
    await eventually(
      'its queue message was processed',
      async () =>
        (await t.platform.store.query(`select 1 from pgboss.job where name = 'Report' and state < 'completed'`))
          .length === 0,
    );
    assert.equal(await marks('stopped 1'), 0);
    assert.match(
      (await admin.get(`/api/importfilequeue/requeue?ID=${(await batchRows(t, id))[0]?.id}`)).text,
      /import file that is Stopped/,
    );
    const resumed = await admin.post(`/api/importfilequeue/resume?Output=Json&ImportFileID=${id}`);
    assert.equal(resumed.json()['Requeued'], 2, resumed.text);
    assert.equal((await batchEnded(t, id)).successcount, 2);
    assert.deepEqual([await marks('stopped 1'), await marks('stopped 2')], [1, 1]);
  });
});

describe('the rows of a batch', () => {
  it('are reported as progress while they wait and run', async () => {
    await admin.post('/api/queue/stop', { QueueName: 'Report' });
    try {
      const id = await rowsOf(
        admin,
        [
          word('Mark', 'progress'),
          word('Mark', 'fail of progress'),
          word('Mark', 'waits', { queue: 'Report' }),
          word('Mark', 'waits too', { queue: 'Report' }),
        ],
        adminId,
      );
      const progress = await eventually('half is done', async () => {
        const reported = (await admin.get(`/api/importfile/progress?Output=Json&ID=${id}`)).json();
        return reported['RowsDone'] === 2 ? reported : undefined;
      });
      assert.deepEqual(
        [
          progress['RowsTotal'],
          Number(progress['PercentDone']),
          progress['SuccessCount'],
          progress['ErrorCount'],
          progress['Status'],
        ],
        [4, 50, 1, 1, 'Importing'],
      );
      await admin.post('/api/queue/start', { QueueName: 'Report' });
      assert.equal((await batchEnded(t, id)).successcount, 3);
    } finally {
      await admin.post('/api/queue/start', { QueueName: 'Report' });
    }
  });

  it('are deleted after ImportLogMonths, except those that have not run', async () => {
    const task = housekeeping.find(({ name }) => name === 'rows of batches past their time');
    const { store } = t.platform;
    await store.query(
      `insert into importfilequeue (importfilequeue, createddate, successdate)
        values ('old and done', '2019-01-01', '2019-01-01'), ('old', '2019-01-01', null), ('new', now(), now())`,
    );
    assert.equal(await task?.run(t.platform), 0, 'nothing is deleted unless the setting says so');
    await setSetting(admin, 'ImportLogMonths', '12');
    await t.platform.settings.fresh();
    assert.equal(await task?.run(t.platform), 1);
    const left = await store.query<{ label: string }>(
      `select importfilequeue as label from importfilequeue where importfilequeue in ('old and done', 'old', 'new')
        order by 1`,
    );
    assert.deepEqual(
      left.map((row) => row.label),
      ['new', 'old'],
    );
    await setSetting(admin, 'ImportLogMonths', '0');
    await t.platform.settings.fresh();
  });

  it('are picked up by housekeeping if nobody ended their batch; rows that wait in their queues are left alone', async () => {
    const { store } = t.platform;
    await admin.post('/api/queue/stop', { QueueName: 'Report' });
    const [waiting, over] = [
      await rowsOf(admin, [word('Mark', 'left waiting', { queue: 'Report' })], adminId),
      await rowsOf(admin, [word('Mark', 'nobody ended')], adminId),
    ];
    await batchEnded(t, over);
    await store.query(
      `update importfile set status = 'Importing', importcomplete = null where importfileid = $1::bigint`,
      [over],
    );
    await store.query(`update importrun set activedate = now() - interval '1 hour'`);
    assert.equal(await requeueAbandonedImports.run(t.platform), 1);
    assert.equal((await batchEnded(t, over)).status, 'Complete');
    await admin.post('/api/queue/start', { QueueName: 'Report' });
    assert.equal((await batchEnded(t, waiting)).status, 'Complete');
  });
});

describe('ParameterXml', () => {
  it('KRN-21 IMP-16 is stored encrypted and returned masked, or unmasked with UnmaskSSN, which the security log records', async () => {
    const number = '123456789';
    const id = await rowsOf(
      admin,
      [
        {
          className: 'Contact',
          operation: 'Save',
          label: 'of 123-45-6789',
          parameters: {
            LastName: 'Sealed',
            USSSN: number,
            Contacts_0_LastName: 'Child',
            Contacts_0_USSSN: '987.65.4321',
            Description: `the number is ${number}`,
          },
        },
      ],
      adminId,
    );
    await batchEnded(t, id);
    const [row] = await batchRows(t, id);
    const masked = (await admin.get(`/api/importfilequeue/select?ID=${row?.id}`)).text;
    assert.match(masked, /&lt;USSSN&gt;XXX-XX-6789&lt;\/USSSN&gt;/);
    assert.match(masked, /&lt;Contacts_0_USSSN&gt;XXX-XX-4321/);
    assert.match(masked, /the number is XXXXX6789/);
    assert.doesNotMatch(masked, /123456789|123-45|987\.65/);
    const clear = await admin.get(`/api/importfilequeue/select?ID=${row?.id}&Unmask=true`);
    assert.match(clear.text, /&lt;USSSN&gt;123456789&lt;/);
    const entries = await t.platform.store.query(
      `select 1 from securitylog where securitylog = 'ParametersUnmasked' and objectid = $1::bigint`,
      [row?.id],
    );
    assert.equal(entries.length, 1);
    const { caller } = await t.user('reader of batches', 'Staff');
    assert.match((await caller.get(`/api/importfilequeue/${row?.id}`)).text, /XXX-XX-6789/);
    assert.equal((await caller.get(`/api/importfilequeue/select?ID=${row?.id}&Unmask=true`)).status, 403);
    assert.doesNotMatch(
      (await caller.get(`/api/importfilequeue/search?ImportFileID=${id}`)).text,
      /ParameterXml|123456789/,
    );
    assert.equal((await caller.get('/api/importfilequeue/search?ParameterXml=*123*')).status, 400);
    for (const table of ['importfilequeue', 'importlog', 'history', 'pgboss.job', 'errorlog']) {
      const found = await t.platform.store.query(`select 1 from ${table} x where x::text ~ '123456789|123-45-6789'`);
      assert.equal(found.length, 0, table);
    }
  });
});
