import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import postgres from 'postgres';
import { item } from '../../../src/kernel/door/answer.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { marks } from '../../../src/kernel/door/scratch.ts';
import { f } from '../../../src/kernel/declare/field.ts';
import { planOptions, planSave } from '../../../src/kernel/records/save/plan.ts';
import { saveRecord } from '../../../src/kernel/records/save/save-record.ts';
import { expectOk, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';
import { fixture, work } from '../../support/kernel/fixture.ts';

const p = await testPlatform({ after }, { fixture });
const fields = { Attempts: f.integer({ doc: 'a' }) };
const run = (name: string, path = 'run'): Promise<TestAnswer> =>
  p.admin.get(`/api/probe/${path}?Work=${name}&Output=Json`);
const errorOf = (answer: TestAnswer): Row => (answer.json() as never as { Error: Row }).Error;
const codeOf = (answer: TestAnswer): unknown => (answer.status === 200 ? 'OK' : errorOf(answer)['Code']);

async function tally(name: string): Promise<number> {
  const [row] = await p.platform.store.query<{ n: number }>('select n from tally where name = $1', [name]);
  return row?.n ?? 0;
}
const count = (ctx: Context, name: string): Promise<unknown> =>
  ctx.db.query('insert into tally values ($1, 1) on conflict (name) do update set n = tally.n + 1', [name]);
const jobs = async (label: string): Promise<number> =>
  (await p.platform.store.query("select 1 from pgboss.job where data ->> 'label' = $1", [label])).length;

/** A gate at which calls wait for one another: opens once `n` have arrived. */
function gate(n: number): () => Promise<void> {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  let come = 0;
  return () => {
    if (++come >= n) open();
    return opened;
  };
}

describe('one transaction', () => {
  it('KRN-23 a failing child rolls back the parent, everything before it, and what it queued', async () => {
    const body = {
      LastName: 'Undone',
      SubscriberID: 'undone',
      Contacts: [{ FirstName: 'Fine' }, { ParentContactID: 99_999_999 }],
    };
    assert.equal(codeOf(await p.admin.post('/api/contact/save?Output=Json', body)), 'BAD_PARAMETER');
    const found = await p.admin.get('/api/contact/search?Output=Csv&LastName=Undone&RecordCount=false');
    assert.equal(found.text.split('\r\n').length, 2);
    assert.equal(
      (await p.platform.store.query("select 1 from objectsubscription where subscriberid = 'undone'")).length,
      0,
    );
  });

  it('KRN-23 jobs exist once the call commits and not otherwise, from nested calls too', async () => {
    const enqueue = async (ctx: Context, label: string): Promise<void> => {
      await ctx.enqueue({ route: 'contact/search', parameters: {}, label });
      await ctx.callNamed('probe/run', { Work: 'enqueue-nested' });
    };
    work.set('enqueue-nested', async (ctx) => {
      await ctx.enqueue({ route: 'contact/search', parameters: {}, label: 'nested' });
      return { kind: 'nothing' };
    });
    work.set('enqueue-fail', async (ctx) => {
      await enqueue(ctx, 'outer');
      await count(ctx, 'fail');
      throw new PlatformError('RULE_EXCEPTION');
    });
    work.set('enqueue-fine', async (ctx) => {
      await enqueue(ctx, 'outer');
      await count(ctx, 'fine');
      // Not before the commit.
      assert.equal(await jobs('outer'), 0);
      return { kind: 'nothing' };
    });
    assert.equal(codeOf(await run('enqueue-fail')), 'RULE_EXCEPTION');
    assert.deepEqual([await jobs('outer'), await jobs('nested'), await tally('fail')], [0, 0, 0]);
    assert.equal((await run('enqueue-fine')).status, 204);
    assert.deepEqual([await jobs('outer'), await jobs('nested'), await tally('fine')], [1, 1, 1]);
  });

  it('KRN-23 a job that cannot be queued rolls back the call', async () => {
    work.set('enqueue-wrong', async (ctx) => {
      await count(ctx, 'wrong-queue');
      await ctx.enqueue({ route: 'contact/search', parameters: {}, queueName: 'Nowhere' });
      return { kind: 'nothing' };
    });
    assert.equal(codeOf(await run('enqueue-wrong')), 'BAD_PARAMETER');
    assert.equal(await tally('wrong-queue'), 0);
  });

  it('KRN-23 error log and security log survive a call that is rolled back', async () => {
    work.set('log-and-fail', async (ctx) => {
      await count(ctx, 'logged');
      await ctx.security({ event: 'Tested', detail: 'kept' });
      throw new Error('unforeseen');
    });
    const answer = await run('log-and-fail');
    assert.equal(codeOf(answer), 'INTERNAL');
    const id = String(errorOf(answer)['CorrelationID']);
    assert.equal(
      (
        await p.platform.store.query("select 1 from securitylog where correlationid = $1 and securitylog = 'Tested'", [
          id,
        ])
      ).length,
      1,
    );
    assert.equal((await p.platform.store.query('select 1 from errorlog where errorguid = $1', [id])).length, 1);
    assert.equal(await tally('logged'), 0);
  });

  it('KRN-23 work behind a savepoint fails alone', async () => {
    work.set('savepoint', async (ctx) => {
      await count(ctx, 'kept');
      await assert.rejects(
        ctx.transaction().savepoint(async () => {
          await count(ctx, 'lost');
          await ctx.db.query('select 1 / 0');
        }),
      );
      await count(ctx, 'kept');
      return { kind: 'nothing' };
    });
    assert.equal((await run('savepoint')).status, 204);
    assert.deepEqual([await tally('kept'), await tally('lost')], [2, 0]);
  });

  it('KRN-23 the jobs, files and warnings of work behind a savepoint are discarded when it fails', async () => {
    const undone: string[] = [];
    work.set('savepoint-effects', async (ctx) => {
      const part = async (name: string, fails: boolean): Promise<void> => {
        await ctx
          .savepoint(async () => {
            await ctx.enqueue({ route: 'contact/search', parameters: {}, label: `part ${name}` });
            ctx.onUndo(() => Promise.resolve(void undone.push(name)));
            ctx.beforeCommit(() => Promise.resolve(void undone.push(`last of ${name}`)));
            ctx.alert({ code: 'REMARK', text: name });
            await count(ctx, `part ${name}`);
            if (fails) throw new PlatformError('RULE_EXCEPTION');
          })
          .catch(() => undefined);
      };
      await part('kept', false);
      await part('gone', true);
      await part('kept too', false);
      return { kind: 'nothing' };
    });
    const answer = await run('savepoint-effects');
    assert.equal(answer.headers.get('x-alerts'), '2');
    assert.deepEqual(
      await Promise.all(
        ['part kept', 'part gone', 'part kept too'].map(async (name) => [await jobs(name), await tally(name)]),
      ),
      [
        [1, 1],
        [0, 0],
        [1, 1],
      ],
    );
    assert.deepEqual(undone, ['gone', 'last of kept', 'last of kept too']);
  });

  it('marks and scratch values are shared by nested calls and parts of other users, and end with the call', async () => {
    const notified = marks<string>('notified');
    const ran: string[] = [];
    const notify = (ctx: Context, key: string): unknown => ctx.once(notified, key, () => ran.push(key));
    work.set('marks-nested', async (ctx) => {
      notify(ctx, 'a');
      notify(ctx, 'b');
      return Promise.resolve({ kind: 'nothing' });
    });
    work.set('marks', async (ctx) => {
      notify(ctx, 'a');
      await ctx.callNamed('probe/run', { Work: 'marks-nested' });
      await ctx.actingAs('System', async (own) => {
        notify(own, 'a');
        notify(own, 'c');
        await own.savepoint(() => Promise.reject(new Error(String(notify(ctx, 'd'))))).catch(() => undefined);
      });
      for (const key of ['b', 'c', 'd']) notify(ctx, key);
      return { kind: 'nothing' };
    });
    assert.equal((await run('marks')).status, 204);
    assert.deepEqual(ran, ['a', 'b', 'c', 'd', 'd']);
    assert.equal((await run('marks')).status, 204);
    assert.equal(ran.length, 10);
  });

  it('a rolled-back save point leaves no reach of what it created, and another user has none of it', async () => {
    const has: boolean[] = [];
    work.set('reach', async (ctx) => {
      const contact = ctx.registry.recordType('Contact');
      const create = async (): Promise<number> => {
        const plan = planSave(ctx.registry, contact, { LastName: 'Reach' }, planOptions(ctx));
        return (await saveRecord(ctx, plan, 'save')).id;
      };
      const note = (by: Context, id: number): unknown =>
        has.push(by.reach.has(contact, id), by.reach.hasCreated(contact, id));
      note(ctx, await create());
      let lost = 0;
      await ctx
        .savepoint(async () => {
          note(ctx, (lost = await create()));
          throw new Error('rolled back');
        })
        .catch(() => undefined);
      note(ctx, lost);
      const created = await create();
      await ctx.actingAs('System', (own) => Promise.resolve(note(own, created)));
      return { kind: 'nothing' };
    });
    assert.equal((await run('reach')).status, 204);
    assert.deepEqual(has, [true, true, true, true, false, false, false, false]);
  });

  it('KRN-23 an operation that commits item by item keeps the items before the one that failed', async () => {
    work.set('items', async (ctx) => {
      for (const name of ['item-1', 'item-2', 'item-3']) {
        await ctx.inTransaction(async (own) => {
          await count(own, name);
          if (name === 'item-2') throw new PlatformError('RULE_EXCEPTION');
        });
      }
      return { kind: 'nothing' };
    });
    assert.equal(codeOf(await run('items', 'runown')), 'RULE_EXCEPTION');
    assert.deepEqual([await tally('item-1'), await tally('item-2'), await tally('item-3')], [1, 0, 0]);
  });

  it('a failed statement whose error the operation swallows cannot pass as a commit', async () => {
    work.set('swallow', async (ctx) => {
      await count(ctx, 'swallowed');
      await ctx.db.query('select 1 / 0').catch(() => undefined);
      return { kind: 'nothing' };
    });
    assert.notEqual((await run('swallow')).status, 204);
    assert.equal(await tally('swallowed'), 0);
  });

  it('a failing elevated section does not leave the rest of the call elevated', async () => {
    await p.admin.post('/api/role/save', { Role: 'Runner', Permissions: 'Probe*' });
    const { caller } = await p.firm('Elevated Firm', 'Runner');
    const roles: string[] = [];
    work.set('elevate', async (ctx) => {
      const role = async (): Promise<void> =>
        void roles.push((await ctx.db.query<{ role: string }>('select current_user as role'))[0]?.role ?? '');
      await role();
      await ctx
        .transaction()
        .elevated(async () => {
          await role();
          throw new PlatformError('NOT_FOUND');
        })
        .catch(() => undefined);
      await role();
      return { kind: 'nothing' };
    });
    assert.equal((await caller.get('/api/probe/run?Work=elevate')).status, 204);
    assert.equal(roles[0], 'casewright_reach');
    assert.notEqual(roles[1], 'casewright_reach');
    assert.equal(roles[2], 'casewright_reach');
  });
});

describe('acting as another user', () => {
  it('changes belong to that user while it lasts, even nested, and to the caller before and after, also if a section fails', async () => {
    const names: string[] = [];
    const [{ system, workflow } = { system: 0, workflow: 0 }] = await p.platform.store.query<{
      system: number;
      workflow: number;
    }>(
      `select (select personid from person where person = 'System') as system,
       (select personid from person where person = 'Workflow') as workflow`,
    );
    work.set('names', async (ctx) => {
      const noteActor = async (own: Context): Promise<void> =>
        void names.push(
          (
            await own.db.query<{ name: string }>(
              "select current_setting('casewright.person') || ' ' || current_setting('casewright.firm') as name",
            )
          )[0]?.name ?? '',
        );
      await noteActor(ctx);
      await ctx.actingAs('Workflow', async (own) => {
        await noteActor(own);
        await own.actingAs('System', noteActor);
        await noteActor(own);
        await own
          .savepoint(() =>
            own.actingAs('System', async (inner) => (await noteActor(inner), inner.db.query('select 1 / 0'))),
          )
          .catch(() => undefined);
        await noteActor(own);
      });
      await noteActor(ctx);
      return { kind: 'nothing' };
    });
    await p.admin.post('/api/role/save', { Role: 'Namer', Permissions: 'Probe*' });
    const { caller, personId, organizationId } = await p.firm('Named Firm', 'Namer');
    const answer = await caller.get('/api/probe/run?Work=names');
    assert.equal(answer.status, 204, answer.text);
    const [own, theirs, innermost] = [`${personId} ${organizationId}`, `${workflow} 0`, `${system} 0`];
    assert.deepEqual(names, [own, theirs, innermost, theirs, innermost, theirs, own]);
  });
});

describe('running again', () => {
  it('two transactions that cannot be serialized have the effect of one after the other; warnings are returned once', async () => {
    const own = await testPlatform({ after }, { fixture });
    await own.platform.store.query("insert into tally values ('serial', 0)");
    // New connections begin serializable transactions; those already open do not and are closed.
    const sql = postgres({ ...own.database, max: 1 });
    await sql.unsafe(`alter database ${own.database.database} set default_transaction_isolation = 'serializable'`);
    await sql.unsafe(
      `select pg_terminate_backend(pid)
       from pg_stat_activity
       where datname = current_database() and application_name = 'casewright'`,
    );
    await sql.end();
    const both = gate(2);
    let attempts = 0;
    work.set('serialize', async (ctx) => {
      attempts++;
      const [row] = await ctx.db.query<{ n: number }>("select n from tally where name = 'serial'");
      ctx.alert({ code: 'TRIED', text: 'once' });
      await both();
      await ctx.db.query("update tally set n = $1 where name = 'serial'", [Number(row?.n) + 1]);
      return item('Tried', fields, { Attempts: attempts });
    });
    const call = (): Promise<TestAnswer> => own.admin.get('/api/probe/run?Work=serialize');
    await eventually(
      'the pool has connected again',
      async () => (await own.admin.get('/api/probe/count')).status === 200,
    );
    const answers = await Promise.all([call(), call()]);
    assert.deepEqual(
      answers.map((a) => [a.status, a.headers.get('x-alerts')]),
      [
        [200, '1'],
        [200, '1'],
      ],
    );
    assert.equal((await own.platform.store.query<{ n: number }>('select n from tally'))[0]?.n, 2);
    assert.equal(attempts, 3);
  });

  it('a deadlocked call is run again', async () => {
    await p.platform.store.query("insert into tally values ('left', 0), ('right', 0)");
    const both = gate(2);
    let attempts = 0;
    // One of the two detects deadlocks long before the other, so only that one is rolled back.
    const lock = (first: string, second: string, patience: string) => async (ctx: Context) => {
      attempts++;
      await ctx.db.query(`set local deadlock_timeout = '${patience}'`);
      await ctx.db.query('update tally set n = n + 1 where name = $1', [first]);
      await both();
      await ctx.db.query('update tally set n = n + 1 where name = $1', [second]);
      return { kind: 'nothing' as const };
    };
    work.set('left', lock('left', 'right', '20ms'));
    work.set('right', lock('right', 'left', '8s'));
    const answers = await Promise.all([run('left'), run('right')]);
    assert.deepEqual(
      answers.map((a) => a.status),
      [204, 204],
    );
    assert.deepEqual([await tally('left'), await tally('right'), attempts], [2, 2, 3]);
  });

  it("a call whose deadlock ended a pipelined statement is run again too: the caller does not get the next statement's error", async () => {
    await p.platform.store.query("insert into tally values ('near', 0), ('far', 0)");
    const both = gate(2);
    let attempts = 0;
    const lock = (first: string, second: string, patience: string) => async (ctx: Context) => {
      attempts++;
      await ctx.db.query(`set local deadlock_timeout = '${patience}'`);
      await ctx.db.query('update tally set n = n + 1 where name = $1', [first]);
      await both();
      ctx.transaction().later('update tally set n = n + 1 where name = $1', [second]);
      await ctx.db.query('select 1');
      return { kind: 'nothing' as const };
    };
    work.set('near', lock('near', 'far', '20ms'));
    work.set('far', lock('far', 'near', '8s'));
    const answers = await Promise.all([run('near'), run('far')]);
    assert.deepEqual(
      answers.map((a) => a.status),
      [204, 204],
    );
    assert.deepEqual([await tally('near'), await tally('far'), attempts], [2, 2, 3]);
    for (const next of [
      (ctx: Context) => ctx.db.query('select 1'),
      (ctx: Context) => ctx.savepoint(() => ctx.db.query('select 1')),
    ]) {
      work.set('no number', async (ctx) => {
        ctx.transaction().later("insert into tally values ('near', 'x'::text::integer)", []);
        await next(ctx);
        return { kind: 'nothing' };
      });
      assert.equal((await run('no number')).status, 400);
    }
  });

  it('an item of an operation that commits item by item is run again alone', async () => {
    let attempts = 0;
    work.set('own-serialize', async (ctx) => {
      await ctx.inTransaction((own) => count(own, 'own-first'));
      await ctx.inTransaction(async (own) => {
        await count(own, 'own-second');
        if (++attempts === 1) await own.db.query("do $$ begin raise exception using errcode = '40001'; end $$");
      });
      return { kind: 'nothing' };
    });
    assert.equal((await run('own-serialize', 'runown')).status, 204);
    assert.deepEqual([await tally('own-first'), await tally('own-second'), attempts], [1, 1, 2]);
  });

  it('a conflict that never ends is returned after four attempts, with nothing changed', async () => {
    let attempts = 0;
    work.set('hopeless', async (ctx) => {
      attempts++;
      await count(ctx, 'hopeless');
      await ctx.db.query("do $$ begin raise exception using errcode = '40001'; end $$");
      return { kind: 'nothing' };
    });
    const answer = await run('hopeless');
    assert.deepEqual(
      [answer.status, codeOf(answer), attempts, await tally('hopeless')],
      [409, 'CONCURRENT_CHANGE', 4, 0],
    );
  });

  it('a call that reads a body is not run again: the body arrives only once', async () => {
    let attempts = 0;
    work.set('raw', async (ctx) => {
      attempts++;
      let length = 0;
      for await (const part of ctx.body?.bytes ?? []) length += part.length;
      assert.equal(length, 5);
      await ctx.db.query("do $$ begin raise exception using errcode = '40001'; end $$");
      return { kind: 'nothing' };
    });
    const answer = await p.admin.post('/api/probe/runraw?Work=raw&Output=Json', 'bytes', {
      'Content-Type': 'application/octet-stream',
    });
    assert.deepEqual([codeOf(answer), attempts], ['CONCURRENT_CHANGE', 1]);
  });
});

describe('time limits', () => {
  it('a statement that takes too long is TIMED_OUT and rolled back', async () => {
    work.set('slow', async (ctx) => {
      await count(ctx, 'slow');
      await ctx.db.query("set local statement_timeout = '50ms'");
      await ctx.db.query('select pg_sleep(20)');
      return { kind: 'nothing' };
    });
    const answer = await run('slow');
    assert.deepEqual([answer.status, codeOf(answer), await tally('slow')], [503, 'TIMED_OUT', 0]);
  });

  it('a lock not granted in time is CONCURRENT_CHANGE, and the connection is reused', async () => {
    await p.platform.store.query("insert into tally values ('locked', 0)");
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const holding = p.platform.store.transaction({ personId: null, firm: null, callId: 'holder' }, async (t) => {
      await t.query("update tally set n = 1 where name = 'locked'");
      await released;
    });
    work.set('wait', async (ctx) => {
      await ctx.db.query("set local lock_timeout = '50ms'");
      await ctx.db.query("update tally set n = 2 where name = 'locked'");
      return { kind: 'nothing' };
    });
    await eventually(
      'the row is locked',
      async () =>
        (await p.platform.store.query("select 1 from tally where name = 'locked' for update skip locked")).length === 0,
    );
    const answer = await run('wait');
    release();
    await holding;
    assert.deepEqual([codeOf(answer), await tally('locked')], ['CONCURRENT_CHANGE', 1]);
  });

  it('a transaction whose connection is lost is UNAVAILABLE, and the next call works', async () => {
    work.set('cut', async (ctx) => {
      const [row] = await ctx.db.query<{ pid: number }>('select pg_backend_pid() as pid');
      await p.platform.store.query('select pg_terminate_backend($1)', [row?.pid]);
      await ctx.db.query('select 1');
      return { kind: 'nothing' };
    });
    const answer = await run('cut');
    assert.deepEqual([answer.status, codeOf(answer)], [503, 'UNAVAILABLE']);
    assert.equal((await p.admin.get('/api/contact/search')).status, 200);
  });
});

describe('versions', () => {
  it('an outdated Version is 409 with the fields that differ; the current one and none change the record', async () => {
    const made = await expectOk(
      p.admin.post('/api/chore/save?Output=Json', {
        Chore: 'v',
        Note: 'one',
        Amount: '5',
        Count: 1,
        Flag: true,
        Due: '2024-01-01',
      }),
    );
    const id = made['ChoreID'];
    assert.equal(
      (await expectOk(p.admin.post('/api/chore/save?Output=Json', { ID: id, Version: 1, Note: 'two' })))['Version'],
      2,
    );
    const stale = await p.admin.post('/api/chore/save?Output=Json', {
      ID: id,
      Version: 1,
      Note: 'three',
      Amount: '5.00',
      Count: 2,
      Flag: 'yes',
      Due: '',
    });
    assert.equal(stale.status, 409);
    const error = errorOf(stale);
    assert.deepEqual(
      [error['Code'], error['Field'], error['Version'], error['Fields']],
      ['VERSION_CONFLICT', 'Version', 2, ['Note', 'Count', 'Due']],
    );
    assert.equal((await expectOk(p.admin.get(`/api/chore/${String(id)}?Output=Json`)))['Note'], 'two');
    assert.equal(
      (await expectOk(p.admin.post('/api/chore/save?Output=Json', { ID: id, Count: 9 })))['Note'],
      'two',
      'not sent, the last write wins column by column',
    );
    assert.match(
      (await p.admin.post('/api/chore/save', { ID: id, Version: 1, Note: 'x' })).text,
      /<Detail Name="Fields">Note<\/Detail>/,
    );
  });

  it("If-Match is the Version, also for a delete and under a record's own address; Version overrides it", async () => {
    const id = String((await expectOk(p.admin.post('/api/chore/save?Output=Json', { Chore: 'm' })))['ChoreID']);
    const put = (version: string): Promise<TestAnswer> =>
      p.admin.send('PUT', `/api/chore/${id}?Output=Json`, '{"Note":"n"}', {
        'Content-Type': 'application/json',
        'If-Match': version,
      });
    assert.equal((await put('"1"')).json()['Version'], 2);
    assert.equal((await put('W/"1"')).status, 409);
    assert.equal((await put('2')).json()['Version'], 3);
    assert.equal(codeOf(await put('"abc"')), 'BAD_PARAMETER');
    assert.equal((await p.admin.post(`/api/chore/delete/${id}?Output=Json`, '', { 'If-Match': '"2"' })).status, 409);
    assert.equal(
      (await p.admin.post(`/api/chore/delete/${id}?Output=Json&Version=3`, '', { 'If-Match': '"2"' })).status,
      200,
    );
  });

  it('of two concurrent changes of the same version one wins', async () => {
    const id = (await expectOk(p.admin.post('/api/chore/save?Output=Json', { Chore: 'race' })))['ChoreID'];
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        p.admin.post('/api/chore/save?Output=Json', { ID: id, Version: 1, Note: `n${i}` }),
      ),
    );
    assert.deepEqual(
      answers.map((a) => a.status).sort((a, b) => a - b),
      [200, 409, 409, 409, 409, 409],
    );
  });

  it('an outdated Version rolls back linked records and children that were saved with it', async () => {
    const made = await expectOk(
      p.admin.post('/api/chore/save?Output=Json', { Chore: 'links', HelperContact: { LastName: 'Before' } }),
    );
    const stale = await p.admin.post('/api/chore/save?Output=Json', {
      ID: made['ChoreID'],
      Version: 7,
      HelperContact: { LastName: 'After' },
      SubChores: [{ Chore: 'never' }],
    });
    assert.equal(stale.status, 409);
    assert.equal(
      (await expectOk(p.admin.get(`/api/contact/${String(made['HelperContactID'])}?Output=Json`)))['LastName'],
      'Before',
    );
    assert.equal((await p.admin.get('/api/chore/search?Output=Csv&Chore=never')).text.split('\r\n').length, 2);
  });
});
