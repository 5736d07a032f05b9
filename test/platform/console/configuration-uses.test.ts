import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { testPlatform } from '../../support/platform.ts';
import { testSession } from '../../support/pages/session.ts';
import { rowsOf, workflowCalls } from '../../support/work/workflows.ts';

const p = await testPlatform({ after });
const { ok, save, refused, template } = workflowCalls(p);
await p.user('analyst', 'Analyst');
const analyst = await testSession(p, 'analyst');
await p.user('second administrator', 'Administrator');
const administrator = await testSession(p, 'second administrator');

/** Returns what uses a record: type, field and whether by name, in order. */
async function usesOf(object: string, id: unknown): Promise<unknown[]> {
  const address = `/api/configuration/usedin?Object=${object}&ObjectID=${String(id)}&Output=Json`;
  const uses = rowsOf(await ok(p.admin.get(address)), 'Use');
  return uses.map((row) => `${String(row['Object'])}.${String(row['Field'])} ${String(row['ByName'])}`).sort(byText);
}

const byText = (one: string, other: string): number => one.localeCompare(other);

/** Creates a workflow template with a step that makes a call. */
const step = (call: string): Promise<unknown> => template(`Calls ${call}`, [{ name: 'Call', Method: call }]);

describe('where configuration is used', () => {
  it('WEB-05 a task type is named by an event, and by the call of a step; its page lists both with links', async () => {
    const { ImportFormTemplateID: id } = await save('importformtemplate', { ImportFormTemplate: 'Review <b>' });
    await save('eventcode', { EventCode: 'X1', ImportFormTemplateID: id });
    const name = encodeURIComponent('Review <b>');
    await template('Uses it', [
      { name: 'Ask', Method: `ImportForm/Save?Template=${name}` },
      { name: 'Other', Method: `Message/Save?Template=${name}` },
      { name: 'Create', Object: 'ImportFormTemplate', ObjectID: id },
    ]);
    assert.deepEqual(await usesOf('ImportFormTemplate', id), [
      'DecisionStepTemplate.Method true',
      'DecisionStepTemplate.ObjectID false',
      'EventCode.ImportFormTemplateID false',
    ]);
    const record = await analyst.get(`/records/importformtemplate/${String(id)}`);
    assert.match(record.text, /Used in[^]*<bdi>Ask<\/bdi><\/a>\s*<span[^>]*>[^<]+, [a-z]/);
    const page = await analyst.get(`/configure/uses/importformtemplate/${String(id)}`);
    assert.match(page.text, /Where <bdi>Review &lt;b&gt;<\/bdi> is used[^]*<bdi>Ask<\/bdi>[^]*Workflow template/);
  });

  const kinds: readonly {
    readonly kind: string;
    readonly values: Record<string, unknown>;
    readonly use: (name: string, id: unknown) => Promise<unknown>;
    readonly found: readonly string[];
  }[] = [
    {
      kind: 'DecisionTemplate',
      values: { AppliesTo: 'Process' },
      use: (name) => step(`Decision/Save?Template=${name}`),
      found: ['DecisionStepTemplate.Method true'],
    },
    {
      kind: 'MessageTemplate',
      values: {},
      use: (name) => step(`Message/Save?Template=${name}`),
      found: ['DecisionStepTemplate.Method true'],
    },
    {
      kind: 'AttachmentTemplate',
      values: {},
      use: (name) => step(`Attachment/Generate?Template=${name}`),
      found: ['DecisionStepTemplate.Method true'],
    },
    {
      kind: 'ScoreTemplate',
      values: { AppliesTo: 'Loan' },
      use: (name) => step(`Score/Calculate?Template=${name}&Object=Loan&ObjectID={LoanID}`),
      found: ['DecisionStepTemplate.Method true'],
    },
    {
      kind: 'SmartWorklistTemplate',
      values: { SourceObject: 'ImportForm' },
      use: async (_name, id) => {
        const { ImportFormTemplateID: form } = await save('importformtemplate', { ImportFormTemplate: 'Queued' });
        await save('importformstatus', { ImportFormTemplateID: form, ImportFormStatus: 'Open' });
        await save('importformtransition', {
          ImportFormTemplateID: form,
          ToStatus: 'Open',
          SmartWorklistTemplateID: id,
        });
      },
      found: ['ImportFormTransition.SmartWorklistTemplateID false'],
    },
    {
      kind: 'Role',
      values: { Permissions: 'LoanSelect' },
      use: async (name) => {
        await save('pagelayout', { PageLayout: 'Of a role', AppliesTo: 'Process', Role: name, Layout: EMPTY_LAYOUT });
        await p.user('holder', `Staff, ${name}`);
      },
      found: ['PageLayout.Role true', 'Person.Roles true'],
    },
    {
      kind: 'Matrix',
      values: { Dimensions_0_MatrixDimension: 'State', Measures_0_MatrixMeasure: 'Value' },
      use: async (name, id) => {
        await save('scoretemplate', { ScoreTemplate: 'Looks up', ScoreEngine: 'MatrixEngine', EngineParameters: name });
        const { LedgerTemplateID: ledger } = await save('ledgertemplate', { LedgerTemplate: 'Priced' });
        await save('ledgertemplateitem', { LedgerTemplateID: ledger, LedgerTemplateItem: 'Fee', MatrixID: id });
      },
      found: ['LedgerTemplateItem.MatrixID false', 'ScoreTemplate.EngineParameters true'],
    },
    {
      kind: 'BusinessRule',
      values: { AppliesTo: 'Loan', Status: 'Inactive', Operation: 'Save' },
      use: async () => undefined,
      found: [],
    },
    { kind: 'PageLayout', values: { AppliesTo: 'Process' }, use: async () => undefined, found: [] },
    {
      kind: 'CustomField',
      values: { AppliesTo: 'Loan', Kind: 'Text' },
      use: (name) => save('view', { View: 'Shows it', RecordType: 'Loan', Columns: `Loan,${name}` }),
      found: ['View.Columns true'],
    },
  ];
  const EMPTY_LAYOUT = '{"header":[],"milestones":[],"panels":[],"side":[],"tabs":["Overview"]}';
  for (const [at, { kind, values, use, found }] of kinds.entries())
    it(`WEB-05 a ${kind} lists what uses it, and asks before it is deleted or renamed`, async () => {
      const name = `Used${at}`;
      const more = kind === 'PageLayout' ? { Layout: EMPTY_LAYOUT } : {};
      const row = await save(kind.toLowerCase(), { [kind]: name, ...values, ...more });
      const id = row[`${kind}ID`];
      assert.deepEqual(await usesOf(kind, id), []);
      await use(name, id);
      assert.deepEqual(await usesOf(kind, id), found);
      const admin = kind === 'Role' ? administrator : analyst;
      const question = await admin.get(`/records/${kind.toLowerCase()}/${String(id)}/delete`);
      if (found.length > 0) assert.match(question.text, /(?:One place uses|\d places use) it and may stop working\./);
      else assert.doesNotMatch(question.text, /may stop working/);
    });

  it('WEB-05 a new name is saved only after the reader has seen what names the record by the present one', async () => {
    const { MessageTemplateID: id } = await save('messagetemplate', { MessageTemplate: 'Old name' });
    await step('Message/Save?Template=Old+name');
    const path = `/records/messagetemplate/${String(id)}/edit`;
    const fields = { MessageTemplate: 'New name', 'before.MessageTemplate': 'Old name', Version: '1' };
    const question = await analyst.post(path, fields);
    assert.match(question.text, /Not saved yet\.[^]*Calls Message\/Generate|Not saved yet\.[^]*<bdi>Call<\/bdi>/);
    assert.match(question.text, /value="New name"/);
    assert.equal((await ok(p.admin.get(`/api/messagetemplate/select?ID=${String(id)}&Output=Json`)))['Version'], 1);
    assert.equal((await analyst.post(path, { ...fields, 'confirm.rename': 'true' })).status, 303);
  });

  it('WEB-05 only configuration has uses, and nobody learns of those that they may not search', async () => {
    const { LoanID: id } = await save('loan', { Loan: 'L-1' });
    const address = `/api/configuration/usedin?Object=Loan&ObjectID=${String(id)}&Output=Json`;
    assert.equal((await refused(p.admin.get(address), 400))['Field'], 'Object');
    const firm = await p.firm('Uses', 'Partner');
    const { ImportFormTemplateID: form } = await save('importformtemplate', { ImportFormTemplate: 'Seen by firms' });
    await step('ImportForm/Save?Template=Seen+by+firms');
    const shown = await firm.caller.get(
      `/api/configuration/usedin?Object=ImportFormTemplate&ObjectID=${String(form)}&Output=Json`,
    );
    assert.doesNotMatch(shown.text, /DecisionStepTemplate/);
    assert.deepEqual(await usesOf('ImportFormTemplate', form), ['DecisionStepTemplate.Method true']);
  });
});
