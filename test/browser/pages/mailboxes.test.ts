/** Mailboxes of a real mail server, mail that a person files or repairs, and secure messages for readers outside. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing, screenshot } from '../../support/browser/browser.ts';
import { visitor } from '../../support/browser/visitor.ts';
import { client } from '../../support/client.ts';
import { sampleMail } from '../../support/messages/sample-mail.ts';
import { sentMessage } from '../../support/messages/test-mailbox.ts';
import { mailsIn } from '../../support/peers/mail-server.ts';
import { eventually } from '../../support/eventually.ts';
import { startDovecot, withoutDovecot } from '../../support/peers/dovecot.ts';
import { testPlatform } from '../../support/platform.ts';

const ADDRESS = 'cases@firm.example';
const skip = browserMissing || withoutDovecot;

describe('mailboxes', { skip }, async () => {
  const p = await testPlatform({ after }, { worker: true });
  const server = await startDovecot({ after });
  const api = client(p);
  let caseId = 0;
  let answered = '';

  before(async () => {
    await p.user('operator', 'Administrator');
    await api.save('setting', { Setting: 'OutboundAllowedNetworks', Value: '127.0.0.0/8 ::1' });
    await api.save('setting', { Setting: 'ReceivedMailMegabytesMax', Value: '1' });
    caseId = Number((await api.save('foreclosure', { Foreclosure: 'FC-77' }))['ForeclosureID']);
    answered = (await sentMessage(p, { caseId, to: ['rowe@rowelaw.example'], subject: 'Two items' })).mailId;
  });

  it('MSG-08 MSG-05 WEB-01 an administrator adds a mailbox, corrects the password that its test refuses, and receives', async (t) => {
    const operator = await visitor(t, p, 'operator');
    const { page } = operator;
    await operator.open('/administration/mailboxes');
    await operator.follow(() => operator.click('link', 'New mailbox'));
    const fields = {
      MailInbound: 'Office',
      Host: 'localhost',
      Port: String(server.tlsPort),
      Authorities: server.authority,
      UserName: ADDRESS,
      Password: 'wrong',
    };
    for (const [name, value] of Object.entries(fields)) await page.locator(`.record-form [name=${name}]`).fill(value);
    await operator.follow(() => page.keyboard.press('Enter'));
    await operator.open('/administration/mailboxes');
    await operator.waitFor('Not checked yet');
    await operator.follow(() => operator.click('button', 'Test Office'));
    await operator.waitFor('The test failed. Password: the mail server refuses the sign-in');
    await operator.waitFor('Sign-in needed');
    assert.deepEqual(await visibleFaults(page), []);
    await operator.follow(() => operator.click('link', 'Edit Office'));
    await page.locator('.record-form [name=Password]').fill(server.password);
    await operator.follow(() => page.keyboard.press('Enter'));
    await operator.open('/administration/mailboxes');
    await operator.follow(() => operator.click('button', 'Test Office'));
    await operator.waitFor('Test passed');
    await operator.waitFor('Not connected');
    server.deliver(ADDRESS, sampleMail({ subject: 'Good morning' }));
    server.deliver(ADDRESS, sampleMail({ subject: 'Too large', text: 'x'.repeat(1_100_000) }));
    const forwarded = { from: 'Jo Park <park@elsewhere.example>', subject: 'Re: Two items', inReplyTo: answered };
    server.deliver(ADDRESS, sampleMail({ ...forwarded, text: 'Both are attached.' }));
    await operator.follow(() => operator.click('button', 'Receive now Office'));
    await operator.waitFor('2 new emails received. 1 set aside.');
    await operator.waitFor('Emails here are checked by mail.example, but its results are not used yet.');
    await screenshot(page, 'mailboxes');
    assert.deepEqual(await visibleFaults(page), []);
    await operator.follow(() => operator.click('button', 'Use it mail.example for Office'));
    await operator.waitFor('Saved. From now on');
    assert.deepEqual(await visibleFaults(page), []);
    await operator.follow(() => operator.click('button', 'Receive now Office'));
    await operator.waitFor('No new mail.');
  });

  it('MSG-05 WEB-01 mail that was set aside shows why and its source, and is read once the cause is removed', async (t) => {
    const operator = await visitor(t, p, 'operator');
    const { page } = operator;
    await operator.open('/messages/set-aside');
    await operator.waitFor('larger than 1 megabytes');
    await screenshot(page, 'setaside');
    assert.deepEqual(await visibleFaults(page), []);
    const source = await page.$eval('.waiting-mail a[download]', (link) => link.getAttribute('href') ?? '');
    assert.match((await p.admin.get(source)).text, /From: Ann Borrower[\s\S]*Subject: Too large/);
    operator.expectProblem('422');
    await operator.follow(() => page.click('.waiting-mail form button'));
    await operator.waitFor('The email still cannot be read.');
    await api.save('setting', { Setting: 'ReceivedMailMegabytesMax', Value: '64' });
    await operator.follow(() => page.click('.waiting-mail form button'));
    await operator.waitFor('was read', '.toasts');
    await operator.waitFor('Too large', 'h1');
    await operator.open('/messages/set-aside');
    await operator.waitFor('No mail is set aside.');
  });

  it('MSG-09 WEB-01 mail that was not filed is filed as proposed, and that is undone', async (t) => {
    const operator = await visitor(t, p, 'operator');
    const { page } = operator;
    await operator.open('/messages/unfiled');
    await operator.waitFor('Probably FC-77');
    await screenshot(page, 'unfiled');
    assert.deepEqual(await visibleFaults(page), []);
    const of = async (): Promise<unknown[]> => {
      const [row] = await api.expectRows('message/search', { Message: 'Re: Two items' });
      return [row?.['Object'], row?.['ObjectID'], row?.['FiledBy']];
    };
    await operator.follow(() => page.click('.proposal button'));
    await operator.waitFor('Filed.', '.toasts');
    assert.deepEqual(await of(), ['Foreclosure', caseId, 'Person']);
    await operator.follow(() => operator.keys('z'));
    await operator.waitFor('Filing undone.', '.toasts');
    assert.deepEqual(await of(), [undefined, undefined, undefined]);
    await operator.waitFor('Probably FC-77');
  });

  it('MSG-09 WEB-01 an analyst adds a rule by which notices of a court become messages and documents of their case', async (t) => {
    const user = await p.user('rules analyst', 'Analyst');
    const configure = client(p, user.caller);
    await configure.save('attachmenttemplate', { AttachmentTemplate: 'Docket document' });
    await configure.save('statement', {
      ClassName: 'Message',
      Statement: 'CaseOfCourtNotice',
      Query: `select 'Foreclosure' as "Object", f.foreclosureid as "ObjectID",
        'Docket document' as "AttachmentTemplate" from foreclosure f
        where {From} ilike '%@notices.court.example' and length(f.foreclosure) > 5
          and {Subject} ilike '%' || f.foreclosure || '%'`,
    });
    const noticed = Number((await api.save('foreclosure', { Foreclosure: '2026-CA-004711' }))['ForeclosureID']);
    const analyst = await visitor(t, p, 'rules analyst');
    const { page } = analyst;
    await analyst.open('/administration/mailboxes');
    await analyst.follow(() => analyst.click('link', 'Add a rule'));
    const fields = {
      MailProcessor: 'Notices of the court',
      MessageStatement: 'CaseOfCourtNotice?From={FromAddress}&Subject={Subject}',
    };
    for (const [name, value] of Object.entries(fields)) await page.locator(`.record-form [name=${name}]`).fill(value);
    assert.deepEqual(await visibleFaults(page), []);
    await analyst.follow(() => analyst.click('button', 'Save'));
    await analyst.open('/administration/mailboxes');
    await analyst.waitFor('Notices of the court', '.mailbox-rules');
    const files = [{ name: 'order.txt', mime: 'text/plain', content: 'It is ordered.' }];
    const notice = { from: 'clerk@notices.court.example', subject: 'Notice of filing in 2026-CA-004711', files };
    server.deliver(ADDRESS, sampleMail(notice));
    await api.expectRows('message/receive', { Account: 'Office' });
    await analyst.open(`/case/foreclosure/${noticed}?tab=documents`);
    await analyst.waitFor('order.txt');
    await analyst.waitFor('Docket document');
    await analyst.open(`/case/foreclosure/${noticed}?tab=messages`);
    await analyst.waitFor('Notice of filing in 2026-CA-004711');
    await screenshot(page, 'courtnotice');
    assert.deepEqual(await visibleFaults(page), []);
  });

  it('WEB-01 blocked addresses and the editor of a template have no faults for assistive technology', async (t) => {
    const operator = await visitor(t, p, 'operator');
    const { page } = operator;
    await operator.open('/administration/blocked-addresses');
    await page.locator('input[name=MailSuppression]').fill('lost@example.net');
    await operator.follow(() => page.keyboard.press('Enter'));
    await operator.waitFor('Address blocked.', '.toasts');
    await operator.waitFor('lost@example.net', '#blocked');
    assert.deepEqual(await visibleFaults(page), []);
    const texts = { Subject: 'Figures for {Foreclosure}', BodyText: 'The figures for {Foreclosure} are attached.' };
    const template = await api.save('messagetemplate', {
      MessageTemplate: 'Figures',
      AppliesTo: 'Foreclosure',
      ...texts,
    });
    const query = `Object=Foreclosure&ObjectID=${caseId}`;
    await operator.open(`/configure/messages/${String(template['MessageTemplateID'])}?${query}`);
    await operator.waitFor('Figures for FC-77', '#preview');
    await screenshot(page, 'template');
    assert.deepEqual(await visibleFaults(page), []);
  });

  it('MSG-16 WEB-01 a reader without an account opens a secure message with the code that is mailed to them', async (t) => {
    const outside = await visitor(t, p, 'operator');
    const { page } = outside;
    const context = page.browserContext();
    await context.deleteCookie(...(await context.cookies()));
    await api.save('messagetemplate', { MessageTemplate: 'Plain', AppliesTo: 'Foreclosure' });
    const to = 'rowe@rowelaw.example';
    await api.expectOk('message/generate', {
      Template: 'Plain',
      Object: 'Foreclosure',
      ObjectID: caseId,
      ToAddress: to,
      Subject: 'Payoff',
      BodyText: 'The payoff is 1,234.56.',
      SecureDelivery: true,
    });
    const mailed = (pattern: RegExp): Promise<string> =>
      eventually(`a mail with ${String(pattern)}`, () =>
        mailsIn(p.mailFolder)
          .filter((mail) => mail.to.includes(to))
          .map(({ body }) => pattern.exec(body)?.[1])
          .find((found) => found !== undefined),
      );
    await outside.open(`/secure/${await mailed(/\/secure\/([\w-]{43})\r?\n/)}`);
    assert.deepEqual(await visibleFaults(page), []);
    await outside.follow(() => outside.click('button', 'Email me a code'));
    assert.deepEqual(await visibleFaults(page), []);
    await page.locator('#code').fill(await mailed(/code is (\d{6})\./));
    await outside.follow(() => page.keyboard.press('Enter'));
    await outside.waitFor('The payoff is 1,234.56.', 'body');
    await screenshot(page, 'secure');
    assert.deepEqual(await visibleFaults(page), []);
  });
});
