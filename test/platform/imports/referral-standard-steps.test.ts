import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { compileSchema } from '../../../src/kernel/xml/schema.ts';
import { testPlatform } from '../../support/platform.ts';
import {
  collection,
  foreclosure,
  referral,
  referralFirm,
  searchRows,
  standAloneItem,
  updateOf,
  type ReferralAnswer,
} from '../../support/imports/referrals.ts';
import { rowsOf, workflowCalls, type WorkflowRow } from '../../support/work/workflows.ts';

const p = await testPlatform({ after });
const { ok, save, steps } = workflowCalls(p);
await ok(
  p.admin.send(
    'POST',
    '/api/importfiletemplate/import?Output=Json',
    readFileSync(new URL('../../../src/app/standard/workflows.xml', import.meta.url), 'utf8'),
    { 'Content-Type': 'text/xml' },
  ),
);
const firm = await referralFirm(p, 'Alder Law');
const standard = await p.platform.store.query<{ name: string; appliesTo: 'Foreclosure' | 'Bankruptcy' }>(
  `select importformtemplate as name, appliesto as "appliesTo" from importformtemplate t
   join objectsubscription s on s.object = 'ImportFormTemplate' and s.objectid = t.importformtemplateid
   where s.subscriberid like 'standard/%' order by importformtemplateid`,
);

let made = 0;
/** Refers a foreclosure and processes its workflows. Returns its id, SubscriberID, and the workflow of its kind. */
async function referCase(rest = '', property = ''): Promise<{ caseId: number; subscriberId: string }> {
  const subscriberId = `standard-${made++}`;
  const { caseId, http, text } = await firm.send('foreclosure', foreclosure({ subscriberId, rest, property }));
  assert.equal(http, 200, text);
  for (const { DecisionID } of await workflowsOf(caseId))
    await ok(p.admin.post('/api/decision/process?Output=Json', { ID: DecisionID }));
  return { caseId, subscriberId };
}

const workflowsOf = async (caseId: number): Promise<WorkflowRow[]> =>
  rowsOf(await ok(p.admin.get(`/api/foreclosure/${caseId}/decision/search?Output=Json`)), 'Decision');
const tasksOf = (caseId: number, name: string): Promise<Record<string, unknown>[]> =>
  searchRows(
    p.admin,
    `importform/search?Object=Foreclosure&ObjectID=${caseId}&OrderBy=ImportFormID&` +
      `ImportForm=${encodeURIComponent(name)}`,
  );
/** The steps of all workflows of a case, as `name status`. */
async function stepsOf(caseId: number): Promise<string[]> {
  const all = await Promise.all((await workflowsOf(caseId)).map((row) => steps(row['DecisionID'])));
  return all.flat().map((row) => `${String(row['DecisionStep'])} ${String(row['Status'])}`);
}
const completed = (name: string, day: string, rest = ''): string =>
  `<Forms><ImportFormItem><Template>${name}</Template><ActualCompletion>${day}</ActualCompletion>${rest}` +
  '</ImportFormItem></Forms>';
const answers = (question: string, answer: string): string =>
  `<Answers><AnswerItem><Question>${question}</Question><Answer>${answer}</Answer></AnswerItem></Answers>`;
const complete = (subscriberId: string, day: string, rest = ''): Promise<ReferralAnswer> =>
  firm.send('foreclosureupdate', updateOf(subscriberId, completed('Review the referral', day, rest)));

describe('the standard steps', () => {
  it('REF-21 are all completed by referral import, nested and alone, whether or not they ask questions', async () => {
    assert.ok(standard.length > 40);
    const foreclosureId = 'all-steps-foreclosure';
    const pocId = 'all-steps-poc';
    await firm.send('foreclosure', foreclosure({ subscriberId: foreclosureId }));
    await firm.send('poc', referral('POC', { subscriberId: pocId }));
    for (const alone of [false, true]) {
      const day = alone ? '2026-02-20' : '2026-01-20';
      for (const type of ['Foreclosure', 'Bankruptcy'] as const) {
        const of = standard.filter(({ appliesTo }) => appliesTo === type);
        const id = type === 'Foreclosure' ? foreclosureId : pocId;
        const item = (name: string): string =>
          `<Template>${name}</Template><ActualCompletion>${day}</ActualCompletion>`;
        const answer = alone
          ? await firm.send(
              'importform',
              collection(of.map(({ name }) => standAloneItem('ImportFormItem', type, id, item(name)))),
            )
          : await firm.send(
              type === 'Foreclosure' ? 'foreclosureupdate' : 'pocupdate',
              updateOf(
                id,
                `<Forms>${of.map(({ name }) => `<ImportFormItem>${item(name)}</ImportFormItem>`).join('')}</Forms>`,
                type === 'Foreclosure' ? 'Foreclosure' : 'POC',
              ),
            );
        assert.equal(answer.http, 200, answer.results.find(({ status }) => status === 'Error')?.message);
        assert.equal(answer.of('ImportForm').length, of.length);
        const rows = await p.platform.store.query<{ open: number }>(
          `select count(*)::integer as open from importform
           where importformid = any($1::bigint[]) and actualcompletion::date is distinct from $2::date`,
          [
            `{${answer
              .of('ImportForm')
              .map(({ objectId }) => objectId)
              .join(',')}}`,
            day,
          ],
        );
        assert.equal(rows[0]?.open, 0);
      }
    }
  });

  it('REF-21 WF-05 a step completed without the answer that its workflow branches on stays complete; people are asked before the workflow continues', async () => {
    const { caseId, subscriberId } = await referCase('<ProcessType>Judicial</ProcessType>');
    const answer = await complete(subscriberId, '2026-01-20');
    assert.equal(answer.http, 200, answer.text);
    const [result] = answer.of('ImportForm');
    assert.equal(result?.status, 'Warning');
    assert.match(result?.message ?? '', /DocumentsComplete/);
    const [reported, asking, ...more] = await tasksOf(caseId, 'Review the referral');
    assert.equal(reported?.['ImportFormID'], result?.objectId);
    assert.match(String(reported?.['ActualCompletion']), /^2026-01-20/);
    assert.deepEqual([asking?.['ActualCompletion'] ?? null, more.length], [null, 0]);
    assert.ok(!(await stepsOf(caseId)).some((step) => step.startsWith('Documents are complete')));
    const [note] = await searchRows(
      p.admin,
      `message/search?Object=ImportForm&ObjectID=${String(asking?.['ImportFormID'])}`,
    );
    assert.match(String(note?.['Message']), /Reported complete on 2026-01-20/);

    const again = await complete(subscriberId, '2026-01-20');
    assert.deepEqual([again.http, again.of('ImportForm')[0]?.operation], [200, 'None']);
    const corrected = await complete(subscriberId, '2026-01-21');
    assert.equal(corrected.of('ImportForm')[0]?.objectId, reported?.['ImportFormID']);
    assert.deepEqual(
      (await tasksOf(caseId, 'Review the referral')).map((task) =>
        String(task['ActualCompletion'] ?? 'open').slice(0, 10),
      ),
      ['2026-01-21', 'open'],
    );

    await save('importform', { ID: asking?.['ImportFormID'], DocumentsComplete: '0', ActualCompletion: '2026-01-22' });
    const after = await stepsOf(caseId);
    assert.ok(after.includes('Review the referral Complete'), after.join());
    assert.ok(after.includes('Obtain missing documents Pending'), after.join());
  });

  it('REF-21 FRM-01 answers sent with a step complete it and decide its branch; a wrong one is an error that says what is asked', async () => {
    const { caseId, subscriberId } = await referCase('<ProcessType>Judicial</ProcessType>');
    const unknown = await complete(subscriberId, '2026-01-20', answers('DocumentsCompleted', '1'));
    assert.equal(unknown.http, 500);
    assert.match(unknown.of('ImportForm')[0]?.message ?? '', /Did you mean DocumentsComplete/);
    const wrong = await complete(subscriberId, '2026-01-20', answers('DocumentsComplete', 'perhaps'));
    assert.equal(wrong.http, 500);
    assert.match(wrong.of('ImportForm')[0]?.message ?? '', /DocumentsComplete: expected/);
    const field = await complete(subscriberId, '2026-01-20', answers('AssignedPersonID', '1'));
    assert.match(field.of('ImportForm')[0]?.message ?? '', /does not ask "AssignedPersonID"/);
    const right = await complete(subscriberId, '2026-01-20', answers('DocumentsComplete', '1'));
    assert.deepEqual([right.http, right.of('ImportForm')[0]?.status], [200, 'Success'], right.text);
    const after = await stepsOf(caseId);
    assert.ok(after.includes('Documents are complete Complete'), after.join());
    assert.ok(!after.some((step) => step.startsWith('Obtain missing documents')), after.join());
    const other = await complete(subscriberId, '2026-01-20', answers('DocumentsComplete', '0'));
    assert.deepEqual([other.http, other.of('ImportForm')[0]?.operation], [200, 'None']);
    assert.match(other.of('ImportForm')[0]?.message ?? '', /other answers/);
  });

  it('REF-21 answers sent after the completion complete the task that asks for them', async () => {
    const { caseId, subscriberId } = await referCase('<ProcessType>Non Judicial</ProcessType>');
    await complete(subscriberId, '2026-01-20');
    const answer = await complete(subscriberId, '2026-01-20', answers('DocumentsComplete', '1'));
    assert.deepEqual([answer.http, answer.of('ImportForm')[0]?.status], [200, 'Success'], answer.text);
    assert.ok((await stepsOf(caseId)).includes('Review the referral Complete'));
    assert.equal((await tasksOf(caseId, 'Review the referral')).length, 2);
  });

  it('FRM-01 REF-21 an answer with rows is a list, and its invalid cells are named', async () => {
    const { caseId, subscriberId } = await referCase('<ProcessType>Non Judicial</ProcessType>');
    await complete(subscriberId, '2026-01-20', answers('DocumentsComplete', '1'));
    const hold = (bids: string): Promise<ReferralAnswer> =>
      firm.send(
        'foreclosureupdate',
        updateOf(subscriberId, completed('Hold the sale', '2026-02-20', answers('Bids', bids))),
      );
    const wrong = await hold('[{"Bidder":"A","Amount":"much"}]');
    assert.match(wrong.text, /Bids\[1\]\.Amount: expected a number/);
    await hold('[{"Bidder":"A &amp; B","Amount":"$1,000.50"},{"Bidder":"C","Amount":2000}]');
    const [task] = await tasksOf(caseId, 'Hold the sale');
    assert.equal(
      task?.['XmlData'],
      '<ImportFormXml><Bids><Row><Bidder>A &amp; B</Bidder><Amount>1000.5</Amount></Row>' +
        '<Row><Bidder>C</Bidder><Amount>2000</Amount></Row></Bids></ImportFormXml>',
    );
  });

  it('REF-06 the calls that the guide names list for a firm what it can send', async () => {
    for (const call of [
      'importformtemplate/search?AppliesTo=Foreclosure',
      'importformquestion/search',
      'decisiondelaytemplate/search?AppliesTo=Bankruptcy',
      'ledgertemplate/search',
    ])
      assert.ok((await firm.search(call)).length > 0, call);
    for (const call of ['messagetemplate/search', 'attachmenttemplate/search']) await firm.search(call);
    const schema = await firm.caller.get('/api/import/schema/ForeclosureUpdate');
    assert.equal(schema.status, 200);
    for (const expected of [
      '<Names Element="ImportFormItem/Template" Object="Foreclosure">',
      '<Name Questions="DocumentsComplete Remarks">Review the referral</Name>',
      '<Name>Title hold</Name>',
      'Items="',
    ])
      assert.ok(schema.text.includes(expected), expected);
    assert.ok(!schema.text.includes('Object="Bankruptcy"'));
    const compiled = compileSchema({ name: 'served.xsd', files: { 'served.xsd': schema.text } });
    assert.deepEqual(compiled.validate(Buffer.from(updateOf('x', completed('Review the referral', '2026-01-20')))), []);
    const alone = await firm.caller.get('/api/import/schema/ImportForm');
    assert.match(alone.text, /Object="Bankruptcy">\s*<Name/);
    assert.doesNotMatch(alone.text, /DecisionDelayItem\/Template/);
  });
});

/** The states whose courts foreclose, by the first two digits of the postal codes of the samples. */
const courtStates: Readonly<Record<string, boolean>> = {
  '06': true,
  '07': true,
  '10': true,
  '18': true,
  '30': false,
  '33': true,
  '44': true,
  '75': false,
  '77': false,
  '85': false,
  '90': false,
};

describe('the kind of a referred foreclosure', () => {
  it('WF-05 REF-03 follows the state of the property, which its postal code names: each sample of a home equity or co-op foreclosure', async () => {
    const folder = new URL('../../../samples/referrals/', import.meta.url);
    let checked = 0;
    for (const file of readdirSync(folder)) {
      const xml = readFileSync(new URL(file, folder), 'utf8');
      const zip = /<Property_PostalCode>(\d\d)/.exec(xml)?.[1] ?? '';
      if (
        !/<ProcessType>(Home Equity|Co-op)</.test(xml) ||
        !xml.includes('<ServicerLoanID>') ||
        xml.match(/<ForeclosureItem/g)?.length !== 1
      )
        continue;
      const answer = await firm.send('foreclosure', xml);
      const [workflow] = await workflowsOf(answer.caseId);
      await ok(p.admin.post('/api/decision/process?Output=Json', { ID: workflow?.['DecisionID'] }));
      const isJudicial = courtStates[zip];
      assert.ok(isJudicial !== undefined, `${file}: ${zip}`);
      assert.ok(
        (await stepsOf(answer.caseId)).some((step) =>
          step.startsWith(isJudicial ? 'Judicial foreclosure' : 'Non-judicial foreclosure'),
        ),
        `${file}: ${zip}`,
      );
      checked++;
    }
    assert.ok(checked >= 3);
  });

  it('WF-05 is asked of a person where the referral names neither a kind nor a postal code', async () => {
    const { caseId } = await referCase('<ProcessType>Co-op</ProcessType>');
    assert.deepEqual(await stepsOf(caseId), ['The kind is known Complete', 'Choose the kind of foreclosure Pending']);
  });

  it('REF-03 a derived state follows the postal code, an entered one stays, and the record says which it is', async () => {
    const zip = (code: string): string => `<Property_PostalCode>${code}</Property_PostalCode>`;
    const loanOf = (code: string): string => `<Loan>${zip(code)}</Loan>`;
    const { caseId, subscriberId } = await referCase('', zip('18776'));
    const loan = await ok(p.admin.get(`/api/foreclosure/select/${caseId}?Output=Json`));
    const [row] = await p.platform.store.query<{ id: number }>(
      'select propertyid as id from loan where loanid = $1::bigint',
      [loan['LoanID']],
    );
    const property = async (): Promise<unknown[]> => {
      const found = await ok(p.admin.get(`/api/property/select/${String(row?.id)}?Output=Json`));
      return [found['State'], found['StateDerived'], found['Property']];
    };
    assert.deepEqual(await property(), ['PA', true, 'PA, 18776']);
    await firm.send('foreclosureupdate', updateOf(subscriberId, loanOf('75001')));
    assert.deepEqual((await property()).slice(0, 2), ['TX', true]);
    await save('property', { ID: row?.id, State: 'OK' });
    await firm.send('foreclosureupdate', updateOf(subscriberId, loanOf('33132')));
    assert.deepEqual((await property()).map((value) => value ?? null).slice(0, 2), ['OK', null]);
    await save('property', { ID: row?.id, State: '', PostalCode: '33133' });
    assert.deepEqual((await property()).slice(0, 2), ['FL', true]);
  });
});
