import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { declarations } from '../../../src/app/catalog.gen.ts';
import { list } from '../../../src/kernel/door/answer.ts';
import { withCustomFields, type CustomField } from '../../../src/kernel/declare/custom-field.ts';
import { f } from '../../../src/kernel/declare/field.ts';
import { insertMany } from '../../../src/kernel/records/save/insert-many.ts';
import { insertText, selectListOf, updateText } from '../../../src/kernel/database/sql.ts';
import { Registry } from '../../../src/kernel/declare/registry.ts';
import { expectOk } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import { secondPlatform } from '../../support/second-platform.ts';
import { fixture, work } from '../../support/kernel/fixture.ts';

const declared = new Registry(declarations);
const text = f.text({ doc: 'x', max: 10 });
/** For registries in which every field is placed. */
const nothingHidden = ({ name }: CustomField): never => assert.fail(`${name} is left aside`);
const made = (id: number, appliesTo: string, name: string): CustomField => ({
  id,
  name,
  appliesTo,
  member: name,
  field: text,
});

describe('a registry with custom fields', () => {
  it('is the declared one if there are none, and keeps types without one as the same objects', () => {
    assert.equal(withCustomFields(declared, [], nothingHidden), declared);
    const registry = withCustomFields(declared, [made(1, 'Loan', 'Pool')], nothingHidden);
    const changed = registry
      .records()
      .filter((record) => record !== declared.record(record.name))
      .map(({ name }) => name);
    assert.deepEqual(changed, ['Loan']);
    for (const record of declared.records())
      assert.doesNotMatch(
        `${insertText(record).text} ${selectListOf(record)} ${updateText(record, [])}`,
        /\bcustom\b/,
        record.name,
      );
    assert.equal(declared.record('Loan')?.columns.has('pool'), false);
  });

  it('adds them to the types derived from a type, whose base and root are then the changed ones, for every operation', () => {
    const registry = withCustomFields(declared, [made(1, 'Process', 'Judge')], nothingHidden);
    const [process, foreclosure] = [registry.recordType('Process'), registry.recordType('Foreclosure')];
    assert.equal(foreclosure.base, process);
    assert.equal(foreclosure.root, process);
    assert.equal(process.root, process);
    assert.ok(foreclosure.columns.has('judge') && process.columns.has('judge'));
    for (const operation of registry.operations())
      if (operation.record) assert.equal(operation.record, registry.record(operation.record.name), operation.route);
    const names = foreclosure.shown.map(({ name }) => name);
    assert.equal(names[names.indexOf('Judge') + 1], 'CreatedDate');
  });

  it('skips and reports a field whose type is missing or does not allow custom fields, or whose name is already used in the family', () => {
    const hidden: number[] = [];
    const registry = withCustomFields(
      declared,
      [
        made(1, 'Loan', 'upbamount'),
        made(2, 'Nothing', 'A'),
        made(3, 'Role', 'A'),
        made(4, 'Foreclosure', 'Judge'),
        made(5, 'Process', 'judge'),
        made(6, 'Contact', 'Website'),
      ],
      ({ id }) => hidden.push(id),
    );
    assert.deepEqual(hidden, [1, 2, 3, 5, 6]);
    assert.equal(registry.record('Process')?.columns.has('judge'), false);
    assert.equal(registry.record('Loan'), declared.record('Loan'));
  });
});

const p = await testPlatform({ after }, { fixture });
const save = (module: string, body: object): Promise<Record<string, unknown>> =>
  expectOk(p.admin.post(`/api/${module}/save?Output=Json`, body));
const field = (AppliesTo: string, CustomField: string, Kind: string): Promise<Record<string, unknown>> =>
  save('customfield', { AppliesTo, CustomField, Kind });

describe('custom fields in the platform', () => {
  it('KRN-11 are stored by bulk inserts, for each row its own', async () => {
    await field('Contact', 'Shoe', 'Decimal');
    await field('Contact', 'Left', 'Boolean');
    work.set('insert many', async (ctx) => {
      const contact = ctx.registry.recordType('Contact');
      const rows = await insertMany(ctx, contact, [
        { LastName: 'M1', Shoe: '43.5', Left: 'yes' },
        { LastName: 'M2' },
        { LastName: 'M3', Shoe: '0.000000000000000001' },
      ]);
      return list('Row', { Shoe: f.text({ doc: 's' }), Left: f.boolean({ doc: 'l' }) }, rows);
    });
    const answer = await p.admin.post('/api/probe/run?Output=Json', { Work: 'insert many' });
    assert.equal(
      answer.text,
      '{"RowCollection":{"RowItem":[{"Shoe":"43.5","Left":true},{},{"Shoe":"0.000000000000000001"}]}}',
    );
    assert.match((await p.admin.get('/api/contact/search?LastName=M1&Shoe=43.5')).text, /<Left>true<\/Left>/);
  });

  it('KRN-11 are known to another node of the installation within half a second, without a restart', async () => {
    const second = await secondPlatform({ after }, p);
    assert.equal(second.platform.registry.record('Loan')?.columns.has('seenelsewhere'), false);
    await field('Loan', 'SeenElsewhere', 'Text');
    const { LoanID } = await save('loan', { Loan: '77001', SeenElsewhere: 'here' });
    await eventually('the other node shows the field', async () => {
      await second.platform.settings.fresh();
      return second.platform.registry.record('Loan')?.columns.has('seenelsewhere') === true;
    });
    assert.ok(LoanID);
  });

  it('a call keeps the fields with which it began, whatever changes meanwhile', async () => {
    const { CustomFieldID } = await field('Loan', 'Passing', 'Text');
    work.set('meanwhile', async (ctx) => {
      const before = ctx.registry.recordType('Loan');
      await expectOk(p.admin.post('/api/customfield/save?Output=Json', { ID: CustomFieldID, IsActive: false }));
      await p.platform.settings.fresh();
      assert.equal(p.platform.registry.record('Loan')?.columns.has('passing'), false);
      assert.equal(ctx.registry.recordType('Loan'), before);
      return ctx.call('loan/save', { Loan: '77002' }, { Passing: 'kept' });
    });
    const answer = await expectOk(p.admin.post('/api/probe/runown?Output=Json', { Work: 'meanwhile' }));
    assert.equal(answer['Passing'], 'kept');
  });

  it('changes of types with custom fields, and of the custom fields themselves, are published to webhooks', async () => {
    await field('Property', 'Sold', 'Boolean');
    const hook = await p.admin.post('/api/webhook/create?Output=Json', {
      URL: 'https://example.org/hook',
      Events: 'Property.Update',
      Columns: 'Sold',
      Fields: 'Sold',
    });
    assert.equal(hook.status, 200, hook.text);
    const { PropertyID: id } = await save('property', { County: 'C' });
    await save('property', { ID: id, County: 'D' });
    await save('property', { ID: id, Sold: true });
    const reported = await p.platform.store.query<{ data: string }>(
      `select data from webhookdelivery where object = 'Property' and objectid = $1::bigint`,
      [id],
    );
    assert.equal(reported.length, 1);
    assert.match(reported[0]?.data ?? '', /"Sold":true/);
  });
});
