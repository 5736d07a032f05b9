/** The inbox, conversations and writing a message, in the browser and without script. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { visibleFaults } from '../../support/browser/accessibility.ts';
import { browserMissing, screenshot } from '../../support/browser/browser.ts';
import { visitor } from '../../support/browser/visitor.ts';
import { client } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { addRecipient, receivedMail, sentMail } from '../../support/messages/stored-mail.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
const clerkUser = await p.user('clerk', 'Staff');
const api = client(p, clerkUser.caller);
let caseId = 0;
let threadId = 0;

const unread = async (): Promise<unknown> => (await api.expectOk('inbox/unread'))['Unread'];

before(async () => {
  const loan = await admin.save('loan', { Loan: '0047718223' });
  for (const [FirstName, LastName, ContactType, address] of [
    ['Marisol', 'Delgado', undefined, 'm.delgado@example.net'],
    ['Anita', 'Rowe', 'Attorney', 'arowe@rowelaw.example'],
  ] as const)
    await admin.save('contact', {
      FirstName,
      LastName,
      ...(ContactType !== undefined && { ContactType }),
      Object: 'Loan',
      ObjectID: loan['LoanID'],
      Methods: [{ MethodType: 'Email', ContactValue: address }],
    });
  const made = await admin.save('foreclosure', {
    Foreclosure: 'FC-1',
    LoanID: loan['LoanID'],
    AssignedPersonID: clerkUser.personId,
  });
  caseId = Number(made['ForeclosureID']);
  await admin.save('attachment', {
    Object: 'Foreclosure',
    ObjectID: caseId,
    FileName: 'Title report.txt',
    Content: Buffer.from('Title').toString('base64'),
  });
  await admin.save('messagetemplate', {
    MessageTemplate: 'Figures',
    AppliesTo: 'Foreclosure',
    Subject: 'Figures for {Foreclosure}',
    BodyText: 'The figures for {Foreclosure} are attached.',
  });
  threadId = await sentMail(p, { subject: 'Two items', caseId, personId: clerkUser.personId, minutesAgo: 90 });
  await addRecipient(p, { messageId: threadId, address: 'lost@example.net', status: 'Bounced', detail: '550 5.1.1' });
  await receivedMail(p, {
    subject: 'Re: Two items',
    caseId,
    threadId,
    minutesAgo: 10,
    text: 'Both are attached.\n\nOn Monday, we wrote:\n> Two items are missing',
    filedBy: 'ReplyHeader',
    filedDetail: 'It answers “Two items”.',
  });
  await receivedMail(p, {
    subject: 'Sale date',
    caseId,
    minutesAgo: 40,
    fromName: 'County Clerk',
    from: 'clerk@court.example',
    text: 'December 15',
    html:
      '<p>The sale is on <b style="color:#123456">December 15</b>.</p><img src="https://tracker.invalid/1.png">' +
      '<script>document.title = "run"</script>',
  });
  await receivedMail(p, { subject: 'Payoff', caseId, minutesAgo: 200, fromName: 'Lee Chan' });
});

describe('messages', { skip: browserMissing }, () => {
  it('MSG-11 WEB-01 by keyboard: the inbox moves through conversations without reading them, marks one as done and goes on, and takes it back', async (t) => {
    const clerk = await visitor(t, p, 'clerk');
    const { page } = clerk;
    await clerk.open('/messages');
    await clerk.keys('j');
    await clerk.waitFor('Both are attached.', '#inbox-thread');
    await screenshot(page, 'inbox');
    assert.deepEqual(await visibleFaults(page), []);
    assert.equal(await unread(), 3, 'looking at a conversation does not read it');
    await clerk.keys('e');
    await clerk.waitFor('Sale date', '#inbox-thread');
    assert.equal(await unread(), 2);
    await clerk.waitFor('2', '.tabs a[href="/messages"] .count');
    await clerk.keys('k');
    await clerk.waitFor('Two items', '#inbox-thread');
    await clerk.keys('u');
    await eventually('the conversation is unread again', async () => (await unread()) === 3);
    await clerk.keys('j', 'j');
    await clerk.waitFor('Payoff', '#inbox-thread');
    await clerk.keys('Enter');
    await eventually('an opened conversation is read', async () => (await unread()) === 2);
  });

  it('MSG-19 a received message says whether the mail server confirmed its sender', async (t) => {
    const other = await admin.save('foreclosure', { Foreclosure: 'FC-2' });
    const onOther = { caseId: Number(other['ForeclosureID']), from: 'arowe@rowelaw.example', minutesAgo: 5 };
    const first = await receivedMail(p, { subject: 'Wire the funds', ...onOther });
    const ids = [first];
    for (const subject of ['Re: Wire the funds', 'Re: Re: Wire the funds'])
      ids.push(await receivedMail(p, { subject, ...onOther, threadId: first }));
    for (const [at, proof] of ['Failed', 'Proven', 'Unproven'].entries())
      await p.platform.store.query(
        'update message set senderproof = $2::text, senderdetail = $3::text where messageid = $1::bigint',
        [ids[at], proof, proof === 'Proven' ? null : 'mail.example found: DMARC failed, DKIM no result, SPF failed.'],
      );
    const clerk = await visitor(t, p, 'clerk');
    await clerk.open(`/messages/${first}`);
    const text = await clerk.waitFor('This email may be forged.');
    assert.match(text, /did not come from\s+arowe@rowelaw\.example/);
    assert.match(text, /confirmed that it came from\s+arowe@rowelaw\.example/);
    assert.match(text, /The mail server did not confirm that it\s+came from\s+arowe@rowelaw\.example/);
    await screenshot(clerk.page, 'sender-proof');
    assert.deepEqual(await visibleFaults(clerk.page), []);
  });

  it('MSG-15 a formatted mail is shown in a frame that runs no script, as high as its text, with images only on request', async (t) => {
    const clerk = await visitor(t, p, 'clerk');
    const { page } = clerk;
    await clerk.open('/messages');
    await page.click('.thread-line ::-p-text(County Clerk)');
    // Evaluates instead of waiting for a selector, which can keep the empty document that the frame had at first.
    const frame = await eventually('the frame shows the mail', async () => {
      const loaded = await (await page.$('.mail-frame'))?.contentFrame();
      return (await loaded?.evaluate('document.querySelector("b") !== null')) ? loaded : undefined;
    });
    assert.match(String(await frame.evaluate('document.body.innerText')), /The sale is on December 15/);
    assert.notEqual(await frame.evaluate('document.title'), 'run');
    assert.equal(await frame.evaluate('document.querySelector("img[src]")'), null);
    await page.waitForFunction("document.querySelector('.mail-frame').offsetHeight < 200");
    assert.deepEqual(await visibleFaults(page, '#inbox-thread'), []);
    // The button does ask the image's server, which does not exist.
    clerk.expectProblem('tracker.invalid');
    await page.click('[data-show-images]');
    await page.waitForFunction("document.querySelector('.mail-frame').src.includes('Images=true')");
    await page.waitForFunction("!document.querySelector('[data-images]')?.checkVisibility()");
  });

  it('MSG-03 WEB-01 the outcome of a message is shown by recipient', async (t) => {
    const clerk = await visitor(t, p, 'clerk');
    await clerk.open(`/messages/${threadId}/recipients`);
    await clerk.waitFor('550 5.1.1', '#recipients-live');
    await screenshot(clerk.page, 'outcome');
    assert.deepEqual(await visibleFaults(clerk.page), []);
  });

  it('MSG-01 MSG-03 WEB-01 a message is written on a case by keyboard, from a template, to a party, and stopped while it waits', async (t) => {
    const clerk = await visitor(t, p, 'clerk');
    const { page } = clerk;
    await clerk.open(`/case/foreclosure/${caseId}`);
    await clerk.keys('m');
    await page.waitForSelector('#ToAddress-entry:focus');
    await page.keyboard.type('rowe');
    await clerk.waitFor('Attorney', '.address-choices');
    await clerk.keys('Enter');
    await clerk.waitFor('Anita Rowe will read this.', '.mail-form');
    await page.select('.mail-form select[name=Template]', 'Figures');
    await page.waitForFunction("document.querySelector('#Subject').value === 'Figures for FC-1'");
    await page.click('.mail-attach summary');
    await page.click('#mail-documents input');
    await screenshot(page, 'compose');
    assert.deepEqual(await visibleFaults(page), []);
    await page.focus('#BodyText');
    await clerk.follow(() => clerk.keys('Control+Enter'));
    await clerk.waitFor('on its way', '.toasts');
    await clerk.follow(() => clerk.click('button', 'Undo'));
    await clerk.waitFor('was not sent', '.toasts');
    await clerk.open(`/case/foreclosure/${caseId}?tab=messages`);
    await clerk.waitFor('Figures for FC-1', '#case-threads');
    await page.click('#case-threads .thread-line ::-p-text(Figures for FC-1)');
    await page.waitForSelector('.case-thread');
    assert.deepEqual(await visibleFaults(page), []);
  });

  it('MSG-02 WEB-01 without script a message is written and sent by forms alone, and an error stays beside its field', async (t) => {
    const clerk = await visitor(t, p, 'clerk');
    const { page } = clerk;
    await page.setJavaScriptEnabled(false);
    // The first attempt names no recipient.
    clerk.expectProblem('400');
    await clerk.open(`/messages/new?Reply=${threadId}&Back=/messages`);
    await page.$eval('#ToAddress', (field) => ((field as unknown as { value: string }).value = ''));
    await clerk.follow(() => page.click('.mail-form button[value=send]'));
    assert.match(await page.$eval('#ToAddress-error', (each) => each.textContent), /at least one recipient/);
    assert.match(await page.$eval('#Subject', (each) => each.getAttribute('value') ?? ''), /Re: Two items/);
    await page.type('#ToAddress', 'arowe@rowelaw.example');
    await clerk.follow(() => page.click('.mail-form button[value=send]'));
    assert.match(
      page.url(),
      /\/messages\?done=mail-sent/,
      await page.$eval('main', (each) => each.textContent.replace(/\s+/g, ' ')),
    );
    const rows = await api.expectRows('message/search', { Message: 'Re: Two items', MailInboundID: 'null' });
    assert.equal(rows.length, 1);
  });
});
