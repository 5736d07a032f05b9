import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import type { Context } from '../../../src/kernel/door/context.ts';
import type { Db } from '../../../src/kernel/database/store.ts';
import { expectOk, expectRefused } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';
import { fixture, touched, work } from '../../support/kernel/fixture.ts';

const p = await testPlatform({ after }, { fixture });
await p.admin.post('/api/role/save', { Role: 'Toucher', Permissions: 'Contact*,Probe*' });
const { caller: firm } = await p.firm('Touching Firm', 'Toucher');
const MISSING = 99_999_999;

async function newId(record: string, values: Record<string, string>): Promise<number> {
  const row = await expectOk(p.admin.post(`/api/${record.toLowerCase()}/save?Output=Json`, values));
  return Number(row[`${record}ID`]);
}

const chore = await newId('Chore', { Chore: 'Sweep' });
const hidden = await newId('Contact', { LastName: 'Hidden' });

/** Runs work in one call as the administrator. */
async function runWork(run: (ctx: Context) => Promise<void>): Promise<void> {
  work.set('reach', async (ctx) => (await run(ctx), { kind: 'nothing' }));
  const answer = await p.admin.get('/api/probe/run?Work=reach');
  assert.equal(answer.status, 204, answer.text);
}

/** Returns how many statements a function sends in the transaction of a call. */
async function countStatements(ctx: Context, run: () => Promise<unknown>): Promise<number> {
  const transaction = ctx.transaction() as { -readonly [K in keyof Db]: Db[K] };
  const query = transaction.query.bind(transaction);
  let count = 0;
  transaction.query = (text, params) => {
    count += 1;
    return query(text, params);
  };
  await run();
  transaction.query = query;
  return count;
}

describe('the door reaches the records that an operation names', () => {
  beforeEach(() => {
    touched.length = 0;
  });

  it('a record that does not exist is refused before the operation runs, the first missing one of a list by name', async () => {
    const { message } = await expectRefused(
      p.admin.post('/api/chore/touch?Output=Json', { ID: `${chore},${MISSING},${MISSING + 1}` }),
      'NOT_FOUND',
      'ID',
    );
    assert.equal(message, `Chore ${MISSING} not found, or you don't have access to it.`);
    assert.deepEqual(touched, []);
    assert.equal((await p.admin.post('/api/chore/touch', { ID: String(chore) })).status, 204);
    assert.deepEqual(touched, [[chore]]);
  });

  it('a record of another firm is refused like one that does not exist, in direct and queued calls', async () => {
    for (const route of ['contact/touch', 'contact/queue/touch'])
      for (const id of [hidden, MISSING]) {
        const { message } = await expectRefused(
          firm.post(`/api/${route}?Output=Json`, { ID: String(id) }),
          'NOT_FOUND',
          'ID',
        );
        assert.equal(message, `Contact ${id} not found, or you don't have access to it.`);
      }
    const nested = firm.post('/api/probe/signature?Output=Json', { Signature: `Contact/Touch?ID=${hidden}` });
    await expectRefused(nested, 'NOT_FOUND', 'ID');
    assert.deepEqual(touched, []);
  });

  it('errors of parameters and missing permissions come first', async () => {
    await expectRefused(
      p.admin.post('/api/chore/touch?Output=Json', { ID: String(MISSING), Extra: '1' }),
      'UNKNOWN_PARAMETER',
      'Extra',
    );
    await expectRefused(firm.post('/api/chore/touch?Output=Json', { ID: String(MISSING) }), 'NO_PERMISSION');
  });

  it('an operation that reaches its records itself is not preceded by a read', async () => {
    assert.equal((await p.admin.post('/api/chore/touchown', { ID: String(MISSING) })).status, 204);
    assert.deepEqual(touched, [[MISSING]]);
  });

  it('a record costs one statement per transaction, and none if the transaction has created or updated it', async () => {
    const counts: number[] = [];
    await runWork(async (ctx) => {
      const touch = async (ids: string, operation = 'touch'): Promise<void> => {
        counts.push(await countStatements(ctx, () => ctx.callNamed(`chore/${operation}`, { ID: ids })));
      };
      await touch(String(chore), 'touchown');
      await touch(String(chore));
      await touch(String(chore));
      await ctx.callNamed('chore/save', { Chore: 'New' });
      const [row] = await ctx.db.query<{ id: number }>('select max(choreid)::integer as id from chore');
      await touch(String(row?.id));
      await touch(`${chore},${String(row?.id)}`);
    });
    assert.deepEqual(counts, [0, 1, 0, 0, 0]);
  });

  it('an operation gets the row that the door has read, without another statement', async () => {
    const counts: number[] = [];
    await runWork(async (ctx) => {
      for (const operation of ['touchrow', 'touchlocked'])
        counts.push(await countStatements(ctx, () => ctx.callNamed(`chore/${operation}`, { ID: String(chore) })));
    });
    assert.deepEqual(counts, [1, 1]);
    assert.deepEqual(touched, [[['Chore', chore]], [['Chore', chore]]]);
  });

  it('a list is locked by one statement, and its rows have the order of the ids; one that is missing refuses all', async () => {
    const other = await newId('Chore', { Chore: 'Other' });
    const ids = `${other},${chore}`;
    await runWork(async (ctx) => {
      assert.equal(await countStatements(ctx, () => ctx.callNamed('chore/touchlocked', { ID: ids })), 1);
    });
    assert.deepEqual(touched, [
      [
        ['Chore', other],
        ['Chore', chore],
      ],
    ]);
    const { message } = await expectRefused(
      p.admin.post('/api/chore/touchlocked?Output=Json', { ID: `${other},${MISSING},${chore}` }),
      'NOT_FOUND',
      'ID',
    );
    assert.equal(message, `Chore ${MISSING} not found, or you don't have access to it.`);
  });

  it('a locked record is handed over as its concrete type', async () => {
    const organization = await newId('Organization', { Organization: 'Locked firm' });
    const answer = await p.admin.post('/api/contact/touchlocked', { ID: String(organization) });
    assert.equal(answer.status, 204, answer.text);
    assert.deepEqual(touched, [[['Organization', organization]]]);
  });

  it('a hidden record is refused like a missing one where its row is read or locked, and where a pair names it', async () => {
    for (const id of [hidden, MISSING])
      for (const sent of [
        firm.post('/api/contact/touchlocked?Output=Json', { ID: String(id) }),
        firm.post('/api/contact/select?Output=Json', { ID: String(id) }),
        firm.post('/api/contact/delete?Output=Json', { ID: String(id) }),
      ]) {
        const { message } = await expectRefused(sent, 'NOT_FOUND', 'ID');
        assert.match(message, /^Contact \d+ not found, or you don't have access to it\.$/);
      }
    for (const [sent, field] of [
      [{ HelperContactID: MISSING }, 'HelperContactID'],
      [{ Object: 'Contact', ObjectID: MISSING }, 'ObjectID'],
    ] as const) {
      const { message } = await expectRefused(
        p.admin.post('/api/chore/touchpair?Output=Json', sent),
        'NOT_FOUND',
        field,
      );
      assert.equal(message, `${field}: Contact ${MISSING} not found, or you don't have access to it.`);
    }
    await expectRefused(
      p.admin.post('/api/importfile/detect?Output=Json', { AttachmentID: MISSING }),
      'NOT_FOUND',
      'AttachmentID',
    );
    await expectRefused(
      p.admin.post('/api/chore/touchpair?Output=Json', { Object: 'Nonsense', ObjectID: '1' }),
      'BAD_PARAMETER',
      'Object',
    );
    assert.deepEqual(touched, []);
    const visible = await p.admin.post('/api/chore/touchpair', { Object: 'Contact', ObjectID: String(hidden) });
    assert.equal(visible.status, 204, visible.text);
    assert.equal(touched.length, 1);
  });

  it('code without row security gets rows that its caller cannot see, and grants no reach', async () => {
    const record = p.platform.registry.requireRecord('Chore', 'Object');
    work.set('elevated', async (ctx) => {
      const touch = (): Promise<unknown> => ctx.callOf(record, 'touchlocked', { ID: chore });
      await assert.rejects(touch(), { code: 'NOT_FOUND' });
      await ctx.transaction().elevated(touch);
      assert.equal(ctx.reach.has(record, chore), false);
      return { kind: 'nothing' };
    });
    const answer = await firm.get('/api/probe/run?Work=elevated');
    assert.equal(answer.status, 204, answer.text);
    assert.deepEqual(touched, [[['Chore', chore]]]);
  });

  it('a deleted record is read again, and refused, in the same transaction', async () => {
    const gone = await newId('Chore', { Chore: 'Gone' });
    await runWork(async (ctx) => {
      await ctx.callNamed('chore/touch', { ID: `${gone},${chore}` });
      await ctx.callNamed('chore/delete', { ID: String(gone) });
      await assert.rejects(ctx.callNamed('chore/touch', { ID: String(gone) }), { code: 'NOT_FOUND' });
      await ctx.callNamed('chore/touch', { ID: String(chore) });
    });
    assert.equal(touched.length, 2);
  });

  it('a contact read as such is not taken for one of the exact type contact', async () => {
    const organization = await newId('Organization', { Organization: 'Firm of another type' });
    await runWork(async (ctx) => {
      await ctx.callNamed('contact/touch', { ID: String(organization) });
      await ctx.callNamed('chore/save', { Chore: 'Below it', Object: 'Contact', ObjectID: String(organization) });
    });
    const rows = await p.platform.store.query<{ object: string }>(
      'select object from chore where objectid = $1::bigint',
      [organization],
    );
    assert.deepEqual([...rows], [{ object: 'Organization' }]);
  });
});
