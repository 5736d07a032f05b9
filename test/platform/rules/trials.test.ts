import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { matrixCalls } from '../../support/rules/matrices.ts';
import { testPlatform } from '../../support/platform.ts';
import { testSession } from '../../support/pages/session.ts';
import { money, scoreCalls } from '../../support/rules/scores.ts';

const p = await testPlatform({ after });
const { post, get, refused, newTemplate, newLoan, calculate, countOf } = scoreCalls(p);
const { ok, table } = matrixCalls(p);
await p.user('analyst', 'Analyst');
const analyst = await testSession(p, 'analyst');

/** Saves a loan with a borrower, and returns its ID. */
async function loanOf(borrower: string, values: object): Promise<number> {
  const id = await newLoan(values);
  const [LastName, FirstName] = borrower.split(', ');
  await post('contact/save', { Object: 'Loan', ObjectID: id, LastName, FirstName, BorrowerType: 'Primary' });
  return id;
}

const trialOf = async (id: number, loan: number, more = ''): Promise<Record<string, unknown>> =>
  (await get(`scoretemplate/try?ID=${id}&Object=Loan&ObjectID=${loan}${more}`))['Trial'] as Record<string, unknown>;

describe('trying scorecards and rules', () => {
  it('SCO-06 WEB-05 a scorecard is tried on a record, with each expression, its values and why; nothing is saved', async () => {
    const template = await newTemplate(
      {
        ScoreEngine: 'ExpressionEngine',
        ValueType: 'Money',
        EngineParameters: 'Reserve = UPBAmount * 0.1\nScore = UPBAmount - Reserve',
      },
      [money('Reserve')],
    );
    const loan = await newLoan({ UPBAmount: '1000' });
    const tried = await trialOf(template.id, loan);
    assert.equal(Number(tried['value']), 900);
    assert.deepEqual(tried['inputs'], [{ name: 'UPBAmount', value: '1000', isSent: false }]);
    assert.deepEqual(
      (tried['steps'] as Record<string, unknown>[]).map(({ name, rule, reason }) => [name, rule, reason]),
      [
        ['Reserve', 'UPBAmount * 0.1', 'UPBAmount 1000'],
        ['Score', 'UPBAmount - Reserve', 'UPBAmount 1000, Reserve 100'],
      ],
    );
    const changed = await trialOf(template.id, loan, '&UPBAmount=50');
    assert.equal(Number(changed['value']), 45);
    assert.deepEqual(changed['inputs'], [{ name: 'UPBAmount', value: '50', isSent: true }]);
    assert.equal(await countOf('score'), 0, 'no score is saved');
    const error = await refused('scoretemplate/try', {
      ID: template.id,
      Object: 'Loan',
      ObjectID: loan,
      Nonsense: '1',
    });
    assert.deepEqual([error.status, error.Field], [400, 'Nonsense']);
    await calculate(template, loan);
    assert.equal(Number((await trialOf(template.id, loan, '&UPBAmount=50'))['value']), 45);
    assert.equal(await countOf('score where scoremoney = 900'), 1, 'the stored score stays');
  });

  it('SCO-06 WEB-05 a trial of a scorecard with a decision table names the cells of the row; masked values are left out', async () => {
    const csv = 'State,Rating,Value\n5,1,output\nCA,7,12\n';
    await ok(table('By state', csv));
    const template = await newTemplate(
      { ScoreEngine: 'MatrixEngine', ValueType: 'Int', EngineParameters: 'By state' },
      [
        { ScoreItemTemplate: 'State', ValueType: 'String' },
        { ScoreItemTemplate: 'Rating', ValueType: 'String', Mask: '*#' },
      ],
    );
    const tried = await trialOf(template.id, await newLoan(), '&State=CA&Rating=7');
    assert.equal(tried['value'], '12');
    assert.deepEqual(
      (tried['steps'] as Record<string, unknown>[]).map(({ name, rule, value, outcome }) => [
        name,
        rule,
        value,
        outcome,
      ]),
      [
        ['State', 'CA', 'CA', 'Matched'],
        ['Rating', '', null, 'Matched'],
      ],
    );
    assert.doesNotMatch(JSON.stringify(tried), /"7"/);
  });

  it('WEB-05 whoever cannot change scorecards cannot try them', async () => {
    const template = await newTemplate({ ScoreEngine: 'ExpressionEngine', EngineParameters: 'N = 1' });
    const { caller } = await p.firm('Northgate', 'Staff');
    const error = await refused('scoretemplate/try', { ID: template.id, Object: 'Loan', ObjectID: 1 }, caller);
    assert.equal(error.status, 403);
  });

  it('WEB-05 an analyst chooses a record by its borrower, changes a value, and sees which conditions of a rule hold', async () => {
    const loan = await loanOf('Quillby, Ada', { UPBAmount: '100', Status: 'Open' });
    const sheet = `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:template match="/LoanBusinessRuleItem">
<xsl:if test="LoanItem/UPBAmount &lt; 0"><Exception>Below zero &lt;b&gt;.</Exception></xsl:if>
<xsl:variable name="x" select="1"/><xsl:if test="$x = 2"><Warning>Never.</Warning></xsl:if>
</xsl:template></xsl:stylesheet>`;
    const { BusinessRuleID: id } = await post('businessrule/save', {
      BusinessRule: 'Not <i>below</i> zero',
      AppliesTo: 'Loan',
      Operation: 'Save',
      Stylesheet: sheet,
    });
    const path = `/configure/try/businessrule/${String(id)}`;
    assert.match((await analyst.get(`/records/businessrule/${String(id)}`)).text, new RegExp(`href="${path}"`));
    assert.match((await analyst.get(path)).text, /Try <bdi>Not &lt;i&gt;below&lt;\/i&gt; zero<\/bdi>/);
    const found = await analyst.post(path, { record: 'quillby' });
    assert.match(found.text, new RegExp(`<input class="input" type="text" value="${loan}"[^>]*name="record"`));
    assert.match(found.text, /placeholder="100/);
    assert.match(found.text, /The rule allows the change\./);
    const tried = await analyst.post(path, { record: String(loan), 'in.UPBAmount': '-5' });
    assert.match(tried.text, /The rule refuses the change\.[^]*Below zero &lt;b&gt;\./);
    assert.match(tried.text, /<tr class="met">[^]*UPBAmount is -5/);
    assert.match(tried.text, /<tr class="unknown">[^]*Known only when the whole rule runs/);
    assert.equal(Number((await get(`loan/select?ID=${loan}`))['UPBAmount']), 100, 'nothing is saved');
    assert.match((await analyst.post(path, { record: 'nobody of this name' })).text, /was found/);
    assert.match((await analyst.post(path, { record: String(loan), 'in.UPBAmount': 'a lot' })).text, /role="status"/);
  });

  it('WEB-05 of several records of a name, each is offered; the choices of a field come without the name in an address', async () => {
    const [one, other] = [await loanOf('Twinn, Ann', {}), await loanOf('Twinn, Bea', {})];
    const template = await newTemplate({
      ScoreEngine: 'ExpressionEngine',
      ValueType: 'Int',
      EngineParameters: 'Score = 7',
    });
    const path = `/configure/try/scoretemplate/${template.id}`;
    const several = await analyst.post(path, { record: 'twinn' });
    for (const id of [one, other]) assert.match(several.text, new RegExp(`name="choose" value="${id}"`));
    assert.match((await analyst.post(path, { record: 'twinn', choose: String(one) })).text, /<b>7<\/b>/);
    const options = await analyst.post('/choices/loan', { Text: 'twinn' });
    assert.match(options.text, new RegExp(`<option value="${one}">[^<]*Twinn`));
    // An empty text finds the first of records that are few, and no others.
    const types = await analyst.post('/choices/scoretemplate', { Text: '' });
    assert.match(types.text, new RegExp(`<option value="${template.id}">`));
    assert.doesNotMatch((await analyst.post('/choices/loan', { Text: '' })).text, /<option/);
  });

  it('WEB-05 a decision table that applies itself is tried with the fields of a record, and says what they are now', async () => {
    const csv = 'State,Agency\n5,output\nNY,GNMA\n';
    const id = Number((await ok(table('Agencies', csv)))['MatrixID']);
    const loan = await newLoan({ Agency: 'FNMA' });
    await post('matrix/save', { ID: id, AppliesTo: 'Loan' });
    const tried = await analyst.post(`/configure/matrices/${id}/try`, { record: String(loan), 'in.State': 'NY' });
    assert.match(tried.text, /Row 1 wins[^]*GNMA[^]*now FNMA/);
  });
});
