import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { FILE_OBJECT } from '../../../src/contracts/file-object.ts';
import { movedClock } from '../../../src/app/demo/moved-clock.ts';
import { planCases, type CasePlan } from '../../../src/app/demo/world-plan.ts';
import { loadWorld } from '../../../src/app/demo/world.ts';
import { trials } from '../../../src/surfaces/pages/first-run/trials.ts';
import { browserMissing } from '../../support/browser/browser.ts';
import { client } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { partOf, textIn } from '../../support/mail-merge.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';

const clock = movedClock();
const p = await testPlatform({ after }, { clock, worker: true });
const passwords = new Map<string, string>();
const load = (): Promise<void> =>
  loadWorld(p.platform, clock, ({ signIn }, password) => passwords.set(signIn, password), { plan: somePlans });

const DAY = 86_400_000;

/** The oldest case, closed by now, an open one with a hold, one in bankruptcy, the newest, and a former one. */
function somePlans(now: number): readonly CasePlan[] {
  const all = planCases(now);
  const newest = all.findLast((plan) => plan.closedAt === undefined);
  const held = all.findLast((plan) => plan.hold && plan.closedAt === undefined && plan.referredAt < now - 30 * DAY);
  const picked = [all[0], held, all.findLast((plan) => plan.bankruptcy), newest, all.at(-1)];
  return picked.filter((plan) => plan !== undefined);
}

const query = <R extends object>(text: string): Promise<R[]> => p.platform.store.query<R>(text);

describe('the demo', () => {
  before(async () => {
    const firm = await p.firm('Northgate Law');
    for (const name of ['Harrow & Finch LLP', 'Cedar Point Legal Group']) await p.firm(name);
    const workflows = readFileSync(new URL('../../../src/app/standard/workflows.xml', import.meta.url), 'utf8');
    const imported = await p.admin.send('POST', '/api/importfiletemplate/import?Output=Json', workflows, {
      'Content-Type': 'text/xml',
    });
    assert.equal(imported.status, 200);
    const codes = readFileSync(new URL('../../../samples/event-codes.xml', import.meta.url), 'utf8');
    await p.admin.send('POST', '/api/eventcode/import', codes, { 'Content-Type': 'text/xml' });
    await p.admin.post(
      `/api/person/save?Person=northgate.import&OrganizationID=${firm.organizationId}&Roles=Partner&Status=Active`,
    );
    await load();
  });

  it('WEB-08 plays cases through the past: the oldest is closed, and no date of any is in the future', async () => {
    const cases = await query<{ status: string; opened: string; closed: string | null; created: string }>(
      `select status, dateopened::text as opened, dateclosed::text as closed, createddate as created from process
       where recordclass = 'Foreclosure' order by dateopened`,
    );
    assert.equal(cases.length, 5);
    const closed = cases.filter(({ status }) => status === 'Closed');
    assert.ok(closed.length >= 2);
    for (const each of closed) assert.ok((each.closed ?? '') > each.opened);
    for (const { opened, created, closed: end } of cases) {
      const day = new Date(created).toISOString().slice(0, 10);
      assert.ok(day === opened || day === end, `opened ${opened}, created ${day}, closed ${end ?? 'not yet'}`);
    }
    const [dates] = await query<{ steps: number; future: number }>(
      `select count(*)::integer as steps, count(*) filter (where actualcompletion > now())::integer as future
       from decisionstep where actualcompletion is not null`,
    );
    assert.ok((dates?.steps ?? 0) > 20);
    assert.equal(dates?.future, 0);
  });

  it('MSG-11 WEB-08 gives the clerk mail: a conversation with an unread answer, one that bounced, and two to be filed, one with a proposal', async () => {
    const mails = await query<{ subject: string; status: string; unread: boolean; bounced: boolean }>(
      `select m.message as subject, m.status,
         m.mailinboundid is not null
           and not exists (select from messageread r where r.messageid = m.messageid) as unread,
         exists (select from messagerecipient r
           where r.messageid = m.messageid and r.status = 'Bounced') as bounced
       from message m where m.sentdate is not null order by m.sentdate`,
    );
    assert.deepEqual(
      mails.filter(({ unread }) => unread).map(({ status }) => status),
      ['Unfiled', 'Received', 'Unfiled'],
    );
    const proposals = await query<{ filed: boolean }>(
      `select m.objectid is not null as filed from messageproposal p join message m on m.messageid = p.messageid`,
    );
    assert.deepEqual([...proposals], [{ filed: false }]);
    assert.ok(mails.some(({ subject }) => subject.startsWith('Re: ')));
    assert.ok(mails.some(({ bounced }) => bounced));
    const [language] = await query<{ count: number }>(
      'select count(*)::integer as count from messagetemplate where variantofid is not null',
    );
    assert.equal(language?.count, 1);
  });

  it('WEB-08 gives changes the times in the history that the records have', async () => {
    const [row] = await query<{ changes: number; wrong: number }>(
      `select count(*)::integer as changes,
         count(*) filter (where abs(extract(epoch from h.at - p.updateddate)) > 5)::integer as wrong
       from process p join lateral (
         select at from history where tablename = 'process' and recordid = p.processid
         order by at desc limit 1) h on true
       where p.status = 'Closed'`,
    );
    assert.ok((row?.changes ?? 0) > 0);
    assert.equal(row?.wrong, 0);
  });

  it('WEB-08 fills the queues of the teams, and users who can sign in have passwords', async () => {
    assert.deepEqual([...passwords.keys()], ['dana.okafor', 'ruth.vasquez', 'mina.castell', 'ivo.brandt']);
    const [items] = await query<{ open: number; done: number }>(
      `select count(*) filter (where status <> 'Completed')::integer as open,
         count(*) filter (where status = 'Completed')::integer as done from smartworklistmember`,
    );
    assert.ok((items?.open ?? 0) > 0 && (items?.done ?? 0) > 5);
    const imports = await query<{ errorcount: number }>(
      "select errorcount from importfile where importfile like 'balances-%' and errorcount > 0",
    );
    assert.equal(imports.length, 2);
  });

  it('WEB-06 has a dead letter that names its cause, for an operator to find', async () => {
    const dead = await eventually('the call is a dead letter', async () => {
      const { text } = await p.admin.get('/api/queue/search?State=dead&Output=Json');
      return text.includes('Sale dates of the county') && text;
    });
    assert.match(dead, /"Operation":"foreclosure\/save"/);
    assert.match(dead, /NOT_FOUND/);
  });

  it('WEB-03 has a file of events of which one row can be corrected', async () => {
    const id = await eventually('the events are read', async () => {
      const [file] = await query<{ id: number }>(
        `select importfileid as id from importfile
         where importfile like 'Northgate-Events-%' and status = 'Complete' and errorcount = 1`,
      );
      return file?.id;
    });
    const { text } = await p.admin.get(`/api/importfile/failedrows?ID=${id}&Output=Json`);
    assert.match(text, /EventActualDate/);
  });

  it('WEB-08 has open items of realistic ages: whatever the pace, none is overdue by months', async () => {
    const [items] = await query<{ open: number; late: number }>(
      `select count(*)::integer as open, max(extract(epoch from now() - duedate) / 86400)::integer as late
       from smartworklistmember where completiondate is null and helddate is null`,
    );
    assert.ok((items?.open ?? 0) > 0 && (items?.late ?? 999) < 60, `${items?.late ?? 0} days`);
  });

  it('WEB-08 WEB-02 the clerk follows cases on which colleagues have done something since', async () => {
    const [followed] = await query<{ count: number }>('select count(*)::integer as count from follow');
    const [expected] = await query<{ count: number }>(
      'select count(*)::integer as count from foreclosure where scheduledsaledate >= current_date',
    );
    assert.equal(followed?.count, Math.min(4, expected?.count ?? 0));
  });

  it('WEB-08 a demo leads from the sign-in page and the sidebar to the first steps until an administrator hides them', async () => {
    const signIn = async (): Promise<string> => (await fetch(`${p.url}/signin`)).text();
    assert.match(await signIn(), /This is a demo/);
    await p.user('newcomer', 'Staff');
    const session = await testSession(p, 'newcomer');
    assert.match((await session.get('/preferences')).text, /href="\/welcome" title="First steps"/);
    await p.user('chief', 'Administrator');
    const chief = await testSession(p, 'chief');
    assert.match((await chief.get('/welcome')).text, /Describe the files that come in/);
    assert.equal((await chief.post('/welcome/hide')).location, '/');
    assert.doesNotMatch(await signIn(), /This is a demo/);
    assert.doesNotMatch((await session.get('/preferences')).text, /title="First steps"/);
  });

  it('DOC-01 DOC-02 WEB-08 letters are generated on every case, with the names, amounts and dates of the case', async () => {
    const cases = await query<{ id: number; name: string }>(
      "select processid as id, process as name from process where recordclass = 'Foreclosure'",
    );
    for (const { id, name } of cases) {
      const of = `Object=Foreclosure&ObjectID=${id}`;
      const made = await p.admin.get(`/api/attachment/generate?Output=Json&Template=Reinstatement%20letter&${of}`);
      assert.equal(made.status, 200, made.text);
      const { FileObject: location, FilePath: path } = made.json();
      const file = p.platform.providers.get(FILE_OBJECT, String(location)).read(String(path));
      const text = textIn(await partOf(await buffer(file), 'document'));
      assert.ok(text.includes(`Our file ${name}`), text);
      assert.match(text, /unpaid principal balance is \$[\d,]+\.\d\d, of an original balance of \$[\d,]+\./);
      assert.match(text, /Dear \w.*:/);
      assert.match(text, /referred to us on \w+ \d+, 20\d\d\./);
      assert.doesNotMatch(text, /[{}]|, ,/);
    }
  });

  it(
    'DOC-12 WEB-08 a mailing has letters in the states that a mail house reports',
    { skip: browserMissing },
    async () => {
      const letters = await query<{ status: string }>(
        `select d.status from delivery d join deliverybatch b using (deliverybatchid)
       where b.status = 'Submitted' order by d.deliveryid`,
      );
      assert.ok(letters.length >= 2);
      assert.deepEqual(
        letters.map(({ status }) => status),
        ['Submitted', 'Mailed', 'Delivered', 'Returned'].slice(0, letters.length),
      );
    },
  );

  it('WEB-08 the first steps and the guide of the demo have the same five things to try', () => {
    const guide = readFileSync(new URL('../../../docs/guides/operators/demo.md', import.meta.url), 'utf8');
    const titles = [...guide.matchAll(/^\d\. \*\*(.+?)\.\*\*/gm)].map(([, title]) => title);
    assert.deepEqual(
      trials.map(({ text }) => text),
      titles,
    );
    assert.equal(titles.length, 5);
    const numbers = (text: string): readonly string[] => text.match(/\b[A-Z]{3}-24-\d{5}\b/g) ?? [];
    const sent = readdirSync(new URL('../../../samples/referrals/', import.meta.url)).map((name) =>
      readFileSync(new URL(`../../../samples/referrals/${name}`, import.meta.url), 'utf8'),
    );
    for (const number of [guide, ...trials.map(({ more }) => more)].flatMap(numbers))
      assert.ok(
        sent.some((text) => text.includes(number)),
        number,
      );
  });

  it('WEB-08 LED-05 LED-18 has ledgers of debt: interest grows, fees below, payments, one reversed, and time to review', async () => {
    const ledgers = await client(p).expectRows('ledger/search', { Ledger: 'Debt of the borrower' });
    const [debt] = ledgers;
    const LedgerID = debt?.['LedgerID'];
    const lines = await client(p).expectRows('ledger/lines', { ID: LedgerID });
    assert.deepEqual(
      lines.filter((line) => typeof line['PaidDate'] === 'string').map((line) => line['LedgerItem']),
      ['Escrow advance', 'Late charges'],
    );
    const [, , principal, interest, fees] = lines;
    assert.ok(Number(principal?.['AmountMoney']) > 1_000, 'the principal is the unpaid balance of the loan');
    assert.equal(Number(fees?.['AmountMoney']), 1_347.5);
    const through = new Date(Number(new Date(String(debt?.['CreatedDate']))) + 60 * DAY).toISOString().slice(0, 10);
    const projected = await client(p).expectRows('ledgeritem/project', { LedgerID, GoodThrough: through });
    const later = projected.find((line) => line['LedgerItemID'] === interest?.['LedgerItemID']);
    assert.ok(Number(later?.['AmountMoney']) > Number(interest?.['AmountMoney']), 'a projection has more interest');
    assert.ok(Number(interest?.['AmountMoney']) > 0);
    const reversed = await client(p).expectRows('ledgeritem/search', { PaymentRole: 'Reversal' });
    assert.equal(reversed.length, 1);
    assert.equal(
      (await client(p).expectRows('ledgeritem/search', { PersonID: 'not null', Status: 'null' })).length,
      2 * ledgers.length,
    );
  });

  it('WEB-08 LED-07 LED-11 has payments by a test gateway, which is the default only while there is no other, and equal books', async () => {
    const admin = client(p);
    const [paid] = await admin.expectRows('payment/search', { OrderBy: 'PaymentID' });
    assert.deepEqual([paid?.['Status'], paid?.['Amount'], paid?.['RefundedAmount']], ['Captured', 1840.25, 120]);
    const [payer] = await admin.expectRows('paymentcustomer/search', { OrderBy: 'PaymentCustomerID' });
    assert.match(String(payer?.['Name']), /^\S+ \S+/, 'the borrower pays');
    const runs = await admin.expectRows('paymentreconciliation/search', {});
    assert.equal(runs.length, 1);
    assert.ok(Number(runs[0]?.['PaymentCount']) >= 1);
    assert.equal(runs[0]?.['DifferenceCount'], 0);
    const [gateway] = await admin.expectRows('paymentprovider/search', { PaymentProvider: 'Demo gateway' });
    assert.equal(gateway?.['PaymentProviderType'], 'test');
    await admin.save('paymentprovider', { PaymentProvider: 'Later', PaymentProviderType: 'test', Sequence: 1 });
    const customer = await admin.save('paymentcustomer', {
      Name: 'Sam Roe',
      Object: payer?.['Object'],
      ObjectID: payer?.['ObjectID'],
    });
    assert.notEqual(customer['PaymentProviderID'], gateway?.['PaymentProviderID']);
  });

  it('WEB-08 WEB-04 has a decision table whose draft changes three rows', async () => {
    const [{ id } = { id: 0 }] = await query<{ id: number }>(
      "select matrixid as id from matrix where matrix like 'Title%'",
    );
    const { text } = await p.admin.get(`/api/matrix/draft?ID=${id}&Output=Json`);
    assert.match(text, /"Version":1\b/);
    assert.match(text, /"changed":2/);
    assert.match(text, /"removed":1/);
  });

  it('WEB-08 loads nothing twice: an interrupted load continues where it was', async () => {
    const counts = (): Promise<object[]> =>
      query(
        'select (select count(*) from process)::integer as cases, (select count(*) from person)::integer as users, ' +
          '(select count(*) from importform)::integer as tasks, (select count(*) from importfile)::integer as files, ' +
          "(select count(*) from pgboss.job where name = 'Default')::integer as jobs",
      );
    const known = await counts();
    passwords.clear();
    await load();
    assert.deepEqual(await counts(), known);
    assert.equal(passwords.size, 0);
    const { text } = await p.admin.get('/api/system/demo?Output=Json');
    assert.match(text, /"Played":5\b/);
  });
});
