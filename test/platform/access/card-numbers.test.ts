/** Card numbers are refused wherever a caller could store one. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { client } from '../../support/client.ts';
import { borrower, foreclosure, referralFirm, sendReferral } from '../../support/imports/referrals.ts';
import { generator, writings, cardNumber } from '../../support/ledgers/card-numbers.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
const NUMBER = '4012888888881881';
const SPACED = '4012 8888 8888 1881';
/** The tables that contain the number in any writing. */
async function tablesWithNumber(): Promise<string[]> {
  const tables = await p.platform.store.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await p.platform.store.query(
      `select 1 from ${name} t where regexp_replace(t::text, '[^0-9]', '', 'g') like '%${NUMBER}%' limit 1`,
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

it('LED-11 a card number is refused in notes, rules, steps, templates, file names, queued calls and settings', async () => {
  const { LoanID } = await admin.save('loan', { Loan: '9001' });
  await admin.save('customfield', { CustomField: 'Payer note', AppliesTo: 'Loan', FieldKind: 'Text' }).catch(() => 0);
  const { DecisionTemplateID } = await admin.save('decisiontemplate', { DecisionTemplate: 'Pay', AppliesTo: 'Loan' });
  const calls: readonly (readonly [string, object, string])[] = [
    ['message/save', { Object: 'Loan', ObjectID: LoanID, BodyText: `Card ${SPACED}` }, 'BodyText'],
    ['message/save', { Object: 'Loan', ObjectID: LoanID, Message: NUMBER }, 'Message'],
    ['messagetemplate/save', { MessageTemplate: 'Receipt', BodyText: `<p>${SPACED}</p>` }, 'BodyText'],
    ['businessrule/save', { BusinessRule: 'R', AppliesTo: 'Loan', Stylesheet: `<x>${SPACED}</x>` }, 'Stylesheet'],
    [
      'decisionsteptemplate/save',
      {
        DecisionTemplateID,
        DecisionStepTemplate: 'S',
        Object: 'PaymentMethod',
        Operation: 'Vault',
        Parameters: `Token=${NUMBER}`,
      },
      'Parameters',
    ],
    [
      'decisionsteptemplate/save',
      { DecisionTemplateID, DecisionStepTemplate: 'S', Parameters: `Token=${SPACED.replaceAll(' ', '%20')}` },
      'Parameters',
    ],
    [
      'decisiontemplate/save',
      { DecisionTemplate: 'Nested', Steps: [{ DecisionStepTemplate: NUMBER }] },
      'Steps_0_DecisionStepTemplate',
    ],
    ['statement/save', { Statement: 'S', StatementText: `select '${NUMBER}' as card` }, 'StatementText'],
    ['attachment/save', { Object: 'Loan', ObjectID: LoanID, FileName: `${NUMBER}.txt`, File: 'aGVsbG8=' }, 'FileName'],
    ['setting/save', { Setting: 'ApplyPaymentDefaultLabel', Value: `Paid ${NUMBER}` }, 'Value'],
    ['loan/queue/save', { Loan: '9002', Status: NUMBER }, 'Status'],
    ['ledger/queue/applypayment', { LedgerID: 1, AmountMoney: '1', Description: SPACED }, 'Description'],
    ['ledger/applypayment', { LedgerID: 1, AmountMoney: '1', TransactionNumber: NUMBER }, 'TransactionNumber'],
    ['loan/save', { ID: LoanID, Contacts_0_LastName: `Sample ${NUMBER}` }, 'Contacts_0_LastName'],
    ['loan/save', { ID: LoanID, Status: Number(NUMBER) }, 'Status'],
  ];
  for (const [route, sent, field] of calls) {
    const { message } = await admin.expectRefused(route, sent, 'BAD_PARAMETER', field);
    assert.match(message, /card number/, route);
    assert.ok(!message.includes(NUMBER) && !message.includes(SPACED), route);
  }
  const form = new FormData();
  form.set('Object', 'Loan');
  form.set('ObjectID', String(LoanID));
  form.set('File', new Blob(['hello']), `statement ${SPACED}.txt`);
  const request = new Request('http://x/', { method: 'POST', body: form });
  const upload = await p.admin.send(
    'POST',
    '/api/attachment/save?Output=Json',
    new Uint8Array(await request.arrayBuffer()),
    { 'Content-Type': request.headers.get('content-type') ?? '' },
  );
  assert.equal(upload.status, 400, upload.text);
  assert.deepEqual(await tablesWithNumber(), []);
});

it('LED-11 a card number in a note is refused in every notation', async () => {
  const from = generator(7);
  for (let round = 0; round < 5; round++)
    for (const BodyText of writings(cardNumber(from)))
      await admin.expectRefused('message/save', { Message: 'Note', BodyText }, 'BAD_PARAMETER', 'BodyText');
});

it('LED-11 an import fails the rows and records that contain a card number, and saves the others', async () => {
  await admin.save('importfiletemplate', {
    ImportFileTemplate: 'Notes',
    AppliesTo: 'Contact',
    ImportEngine: 'DelimitedEngine',
  });
  const csv = `LastName,Title\nSample,Ms\nOther,${SPACED}\n`;
  const answer = await p.admin.post('/api/importfile/importbyobject?Template=Notes&PreTransform_FileName=n.csv', csv, {
    'content-type': 'text/csv',
  });
  assert.match(answer.text, /Title: expected text without a card number/);
  assert.equal((await admin.expectRows('contact/search', { LastName: 'Sample' })).length, 1);
  assert.equal((await admin.expectRows('contact/search', { LastName: 'Other' })).length, 0);
  await admin.save('messagetemplate', { MessageTemplate: 'Case Note', AppliesTo: 'Process' });
  const firm = await referralFirm(p, 'Card Firm');
  const messages = ['Fine', `Card ${NUMBER}`].map(
    (text) => `<MessageItem><Template>Case Note</Template><Message>${text}</Message></MessageItem>`,
  );
  const rest = `<Messages>${messages.join('')}</Messages>`;
  const sent = await sendReferral(firm.caller, 'Foreclosure', foreclosure({ rest }));
  assert.deepEqual(
    [...sent.of('Message'), ...sent.of('Foreclosure')].map(({ status }) => status),
    ['Success', 'Error', 'Success'],
    sent.text,
  );
  assert.match(sent.of('Message')[1]?.message ?? '', /Message: expected text without a card number/);
  const whole = await sendReferral(firm.caller, 'Foreclosure', foreclosure({ borrowers: [borrower(1, NUMBER, 'A')] }));
  assert.deepEqual(whole.reported, ['Foreclosure Save Error'], whole.text);
});

it('LED-11 LED-12 IDs in a list are no groups of a card number, and one of them may not be a card number', async () => {
  const ids = SPACED.split(' ');
  for (const ID of [ids.join(','), ids.join(', '), [ids.slice(0, 2).join(','), ids.slice(2).join(',')]])
    await admin.expectRefused('ledgeritem/toggleistotaled', { ID }, 'NOT_FOUND');
  for (const ID of [NUMBER, `1,${NUMBER}`, SPACED, [1, NUMBER]]) {
    const { message } = await admin.expectRefused('ledgeritem/toggleistotaled', { ID }, 'BAD_PARAMETER', 'ID');
    assert.match(message, /card number/);
  }
});

it('LED-11 loan numbers, external IDs and searches are taken as they are, and a setting takes texts, too', async () => {
  const { LoanID } = await admin.save('loan', { Loan: NUMBER, ServicerLoanID: NUMBER, SubscriberID: NUMBER });
  await admin.save('foreclosure', { Foreclosure: NUMBER, LoanID, LoanSubscriberID: NUMBER });
  await admin.expectRows('message/search', { BodyText: NUMBER });
  for (const prefix of ['LN', 'LN-', 'DKT/', 'CV.', 'Ref#']) {
    const { LoanID: prefixed } = await admin.save('loan', { Loan: `${prefix}${NUMBER}` });
    assert.equal((await admin.expectRows('loan/search', { ID: Number(prefixed) }))[0]?.['Loan'], `${prefix}${NUMBER}`);
    await admin.expectRefused('message/save', { Message: `${prefix}${NUMBER}` }, 'BAD_PARAMETER', 'Message');
  }
  for (const Loan of [`Card ${NUMBER}`, `LN--${NUMBER}`, `LN-${SPACED}`, `LN-${SPACED.replaceAll(' ', '-')}`, SPACED])
    await admin.expectRefused('loan/save', { Loan }, 'BAD_PARAMETER', 'Loan');
  await admin.save('setting', { Setting: 'RefuseCardNumbers', Value: 'false' });
  await admin.save('message', { Message: `Loan ${NUMBER}`, Object: 'Loan', ObjectID: LoanID });
  await admin.expectRefused('payment/charge', { Token: 'x', Amount: '1', Description: NUMBER }, 'BAD_PARAMETER');
  await admin.save('setting', { Setting: 'RefuseCardNumbers', Value: 'true' });
});
