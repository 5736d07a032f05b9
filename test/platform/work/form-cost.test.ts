import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { item } from '../../../src/kernel/door/answer.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { f, required } from '../../../src/kernel/declare/field.ts';
import { defineOperation, handle } from '../../../src/kernel/declare/operation.ts';
import { testPlatform } from '../../support/platform.ts';

const fields = {
  Task: required(f.integer({ doc: 'Accesses to the task table.' })),
  Form: required(f.integer({ doc: 'Accesses to the tables of form definitions.' })),
};

const cost = defineOperation({
  module: 'probe',
  name: 'Cost',
  method: 'POST',
  summary: 'Saves a task and counts the table accesses.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {},
  free: 'any',
  returns: fields,
  errors: [],
  source: 'test',
});

/** Counts how often this transaction has accessed the tables of tasks and forms: each read and each update is one. */
async function countAccesses(ctx: Context): Promise<{ readonly Task: number; readonly Form: number }> {
  const rows = await ctx.transaction().elevated((db) =>
    db.query<{ relname: string; accesses: number }>(
      `select relname::text, (seq_scan + coalesce(idx_scan, 0))::integer as accesses
         from pg_stat_xact_user_tables
         where relname like 'importform%'`,
    ),
  );
  const of = (pick: (name: string) => boolean): number =>
    rows.filter(({ relname }) => pick(relname)).reduce((sum, row) => sum + row.accesses, 0);
  // The trigger that maintains a task's visibility also reads its template, and did before forms existed.
  return {
    Task: of((name) => name === 'importform'),
    Form: of((name) => name !== 'importform' && name !== 'importformtemplate'),
  };
}

const probe = {
  declarations: {
    operations: [
      {
        operation: cost,
        run: handle(cost, async (ctx, _params, rest) => {
          const before = await countAccesses(ctx);
          await ctx.callNamed('importform/save', rest);
          const now = await countAccesses(ctx);
          return item('Cost', fields, { Task: now.Task - before.Task, Form: now.Form - before.Form });
        }),
      },
    ],
  },
};

describe('the cost of forms for tasks without one', async () => {
  const p = await testPlatform({ after }, { fixture: probe });
  const post = async (route: string, sent: object): Promise<Record<string, unknown>> => {
    const answer = await p.admin.post(`/api/${route}?Output=Json`, sent);
    assert.equal(answer.status, 200, answer.text);
    return answer.json();
  };

  it('FRM-01 storing a task without a form costs nothing extra; once any form exists, a change accesses the task once more', async () => {
    const plain = (await post('importformtemplate/save', { ImportFormTemplate: 'Plain' }))['ImportFormTemplateID'];
    await post('importform/save', { TemplateID: plain });
    assert.deepEqual(await post('probe/cost', { TemplateID: plain, XmlData: '<x/>' }), { Task: 0, Form: 0 });
    const id = (await post('importform/save', { TemplateID: plain }))['ImportFormID'];
    await post('importform/save', { ID: id, Status: 'A' });
    const without = await post('probe/cost', { ID: id, Status: 'B' });
    assert.equal(without['Form'], 0);
    await post('importformtemplate/save', { ImportFormTemplate: 'Asked', Questions: [{ ImportFormQuestion: 'Q' }] });
    await post('importform/save', { ID: id, Status: 'C' });
    assert.deepEqual(await post('probe/cost', { TemplateID: plain }), { Task: 0, Form: 0 });
    const beside = await post('probe/cost', { ID: id, Status: 'D' });
    assert.deepEqual(beside, { Task: Number(without['Task']) + 1, Form: 0 });
  });
});
