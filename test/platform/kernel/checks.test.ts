import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { item } from '../../../src/kernel/door/answer.ts';
import { f } from '../../../src/kernel/declare/field.ts';
import { defineCheck } from '../../../src/kernel/declare/reaction.ts';
import { bad } from '../../../src/kernel/parameters/parse-value.ts';
import { insertMany } from '../../../src/kernel/records/save/insert-many.ts';
import { expectOk, expectRefused } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';
import { fixture, work } from '../../support/kernel/fixture.ts';

/** A check that applies only to records of a status, and refuses them. */
const checks = (fixture.declarations.records ?? [])
  .filter(({ name }) => ['Chore', 'ChoreTemplate'].includes(name))
  .map((on) =>
    defineCheck({
      on,
      doc: 'A record is not forbidden.',
      applies: async (_ctx, { values }) => values['Status'] === 'Forbidden',
      run: () => {
        throw bad('Status', 'another status');
      },
    }),
  );
const p = await testPlatform({ after }, { fixture: { ...fixture, declarations: { ...fixture.declarations, checks } } });

describe('a check that says to which values it applies', () => {
  it('KRN-09 is not run for others by a save', async () => {
    await expectOk(p.admin.post('/api/chore/save?Output=Json', { Chore: 'a', Status: 'Open' }));
    await expectRefused(
      p.admin.post('/api/chore/save?Output=Json', { Chore: 'a', Status: 'Forbidden' }),
      'BAD_PARAMETER',
      'Status',
    );
  });

  it('KRN-09 is not run for others by an insert of many records', async () => {
    for (const status of ['Open', 'Forbidden'])
      work.set(status, async (ctx) => {
        const rows = await insertMany(ctx, ctx.registry.requireRecord('Chore', 'Chore'), [
          { Chore: 'b', Status: 'Open' },
          { Chore: 'c', Status: status },
        ]);
        return item('Rows', { N: f.integer({ doc: 'Rows.' }) }, { N: rows.length });
      });
    assert.equal((await expectOk(p.admin.post('/api/probe/run?Output=Json', { Work: 'Open' })))['N'], 2);
    await expectRefused(p.admin.post('/api/probe/run?Output=Json', { Work: 'Forbidden' }), 'BAD_PARAMETER', 'Status');
  });

  it('KRN-14 is not run for others by the preview of an import', async () => {
    const preview = (status: string) =>
      p.admin.post(
        '/api/choretemplate/import?Output=Json&Preview=true',
        '<Configuration FormatVersion="1"><ChoreTemplateCollection><ChoreTemplateItem SubscriberID="t">' +
          `<ChoreTemplate>T</ChoreTemplate><Status>${status}</Status>` +
          '</ChoreTemplateItem></ChoreTemplateCollection></Configuration>',
        { 'Content-Type': 'text/xml' },
      );
    await expectOk(preview('Open'));
    await expectRefused(preview('Forbidden'), 'BAD_PARAMETER', 'Status');
  });
});
