import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { client, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { ADDRESS, addLetter, mailedCase, prepare, type MailedCase } from '../../support/mailings.ts';
import { startMailHouse, type SignedWebhook } from '../../support/peers/mail-house.ts';
import { startReceiver } from '../../support/peers/receiver.ts';
import { testPlatform } from '../../support/platform.ts';

// Starts at the machine's time: the queue compares with the database's.
const clock = fixedClock(new Date().toISOString());
const p = await testPlatform({ after }, { worker: true, clock });
const admin = client(p);
const house = await startMailHouse({ after }, { isForgetful: true });
afterEach(() => {
  for (const name of Object.keys(house.hooks)) Reflect.deleteProperty(house.hooks, name);
});

const PRICES = 'LetterCents=120&SheetCents=15&CertifiedCents=440';
const sql = (text: string, params: unknown[] = []): Promise<Row[]> => p.platform.store.query<Row>(text, params);
const letter = (id: unknown): Promise<Row> => admin.select('delivery', id);
const untilStatus = (id: unknown, status: string): Promise<Row> =>
  eventually(`letter ${String(id)} is ${status}`, async () => {
    const row = await letter(id);
    return row['Status'] === status && row;
  });
const printed = (row: Row): number => house.printed.filter(({ key }) => key === row['LetterKey']).length;

interface PreparedLetter {
  readonly of: MailedCase;
  readonly id: number;
  readonly batch: number;
}

/** Prepares a mailing of one new case. */
async function preparedLetter(name: string): Promise<PreparedLetter> {
  const of = await mailedCase(admin, name);
  const [row] = await prepare(admin, { AttachmentID: of.documentId });
  return { of, id: Number(row?.['DeliveryID']), batch: Number(row?.['DeliveryBatchID']) };
}
const submit = (batch: number): Promise<Row> => admin.expectOk('delivery/submit', { DeliveryBatchID: batch });
interface SubmittedLetter {
  readonly of: MailedCase;
  readonly id: number;
  readonly row: Row;
}

async function submittedLetter(name: string): Promise<SubmittedLetter> {
  const { of, id, batch } = await preparedLetter(name);
  await submit(batch);
  return { of, id, row: await untilStatus(id, 'Submitted') };
}

before(async () => {
  await admin.save('setting', { Setting: 'OutboundAllowedNetworks', Value: '127.0.0.0/8' });
  await admin.save('setting', { Setting: 'OutboundHttpLoopback', Value: 'true' });
  await admin.save('mailhouse', {
    MailHouse: 'Springfield',
    MailHouseType: 'http',
    Options: `Endpoint=${encodeURIComponent(house.url)}&${PRICES}&TimeoutSeconds=5`,
    Secrets: `ApiKey=${encodeURIComponent(house.key)}&WebhookSecret=${encodeURIComponent(house.secret)}`,
  });
});

describe('preparing letters', () => {
  it('DOC-12 KRN-21 a firm sees its letters, and neither mails them again nor reports them as returned', async () => {
    await admin.save('role', { Role: 'Firm with letters', Permissions: '*', UniversalAccess: false });
    const firm = await p.firm('Letter Law', 'Firm with letters');
    const ofFirm = client(p, firm.caller);
    const { caseId } = await mailedCase(admin, 'Letters of a firm');
    await admin.save('foreclosure', { ID: caseId, OrganizationID: firm.organizationId });
    const documentId = await addLetter(ofFirm, caseId, 'of a firm');
    const [row] = await prepare(admin, { AttachmentID: documentId });
    const id = row?.['DeliveryID'];
    assert.equal((await ofFirm.select('delivery', id))['Status'], 'Prepared');
    await admin.expectOk('delivery/cancel', { ID: id });
    for (const [route, sent] of [
      ['delivery/retry', { ID: id }],
      ['delivery/return', { ID: id, Reason: 'moved' }],
    ] as const)
      await ofFirm.expectRefused(route, sent, 'NO_PERMISSION');
    assert.equal((await letter(id))['Status'], 'Canceled');
  });

  it('DOC-12 shows what goes to whom with pages and cost, and stores nothing in a preview', async () => {
    const { documentId, contactId, caseId } = await mailedCase(admin, 'Preview');
    const parameters = { AttachmentID: documentId, MailClass: 'Certified' };
    const [shown] = await prepare(admin, { ...parameters, Preview: true });
    assert.equal(shown?.['DeliveryID'] ?? null, null);
    assert.deepEqual(await admin.expectRows('delivery/search', { AttachmentID: documentId }), []);
    const [row] = await prepare(admin, parameters);
    assert.deepEqual(
      [row?.['RecipientName'], row?.['Street'], row?.['State'], row?.['Pages'], row?.['Cost'], row?.['ContactID']],
      ['Ann Preview', '12 Main St', 'IL', 2, 5.75, contactId],
    );
    const stored = await letter(row?.['DeliveryID']);
    assert.deepEqual([stored['Status'], stored['Object'], stored['ObjectID']], ['Prepared', 'Foreclosure', caseId]);
  });

  it('DOC-12 refuses incomplete addresses by name, or leaves them out with a warning', async () => {
    const good = await mailedCase(admin, 'Good');
    const bad = await mailedCase(admin, 'Nozip', { ...ADDRESS, PostalCode: '' });
    const wrong = await mailedCase(admin, 'Wrongstate', { ...ADDRESS, State: 'CA' });
    const AttachmentID = [good, bad, wrong].map(({ documentId }) => documentId);
    const refusal = await admin.expectRefused('delivery/prepare', { AttachmentID }, 'BAD_PARAMETER');
    assert.match(
      refusal.message,
      /Nozip, Ann has no ZIP code\. Wrongstate, Ann has a ZIP code of IL and the state CA\./,
    );
    const answer = await admin.send('delivery/prepare', { AttachmentID, SkipIncomplete: true });
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.text, /"Alerts":\[.*Nozip.*Wrongstate/);
    assert.equal((await admin.expectRows('delivery/search', { AttachmentID: bad.documentId })).length, 0);
    assert.equal((await admin.expectRows('delivery/search', { AttachmentID: good.documentId })).length, 1);
  });

  it('DOC-12 refuses what cannot be printed, and a mailing to nobody', async () => {
    const { caseId } = await mailedCase(admin, 'Text');
    const { AttachmentID } = await admin.save('attachment', {
      Object: 'Foreclosure',
      ObjectID: caseId,
      FileName: 'note.txt',
      Content: Buffer.from('text').toString('base64'),
    });
    const refusal = await admin.expectRefused('delivery/prepare', { AttachmentID }, 'BAD_PARAMETER');
    assert.match(refusal.message, /note\.txt: is not a PDF file; convert it first/);
    const alone = await admin.save('foreclosure', { Foreclosure: 'Without a loan' });
    const nobody = await addLetter(admin, Number(alone['ForeclosureID']), 'nobody');
    await admin.expectRefused('delivery/prepare', { AttachmentID: nobody }, 'BAD_PARAMETER');
    await admin.expectRefused('delivery/prepare', {}, 'MISSING_PARAMETER', 'AttachmentID');
    await admin.expectRefused(
      'delivery/prepare',
      { AttachmentID: nobody, MailHouse: 'Shelbyville' },
      'UNKNOWN_PROVIDER',
    );
  });

  it('DOC-12 generates the letters of a document type for cases, once per key, to each borrower on request', async () => {
    const { AttachmentTemplateID: TemplateID } = await admin.save('attachmenttemplate', {
      AttachmentTemplate: 'Merged notice',
      AppliesTo: 'Foreclosure',
      AttachmentService: 'ZipGenerator',
    });
    const [one, two] = [await mailedCase(admin, 'One'), await mailedCase(admin, 'Two')];
    await admin.save('contact', {
      Object: 'Loan',
      ObjectID: one.loanId,
      LastName: 'Second',
      FirstName: 'Bo',
      Sequence: 2,
      ...ADDRESS,
    });
    const parameters = {
      TemplateID,
      Object: 'Foreclosure',
      ObjectID: [one.caseId, two.caseId],
      Recipient: 'All borrowers',
      Key: 'notices-1',
    };
    const rows = await prepare(admin, parameters);
    // A zip file is no letter: each says so, and nothing is mailed.
    assert.deepEqual(
      rows.map((row) => [row['RecipientName'], row['Status']]),
      [
        ['Ann One', 'Failed'],
        ['Bo Second', 'Failed'],
        ['Ann Two', 'Failed'],
      ],
    );
    const again = await prepare(admin, parameters);
    assert.deepEqual(
      again.map((row) => row['DeliveryID']),
      rows.map((row) => row['DeliveryID']),
    );
    await admin.expectRefused('delivery/submit', { DeliveryBatchID: rows[0]?.['DeliveryBatchID'] }, 'STATE_REFUSES');
  });
});

describe('submitting letters', () => {
  it('DOC-12 mails each letter once, also where two submit at the same moment, and freezes the address', async () => {
    const { of, id, batch } = await preparedLetter('Twice');
    await admin.save('contact', { ID: of.contactId, Address: '99 Elm St' });
    await Promise.all([submit(batch), submit(batch)]);
    await Promise.all([1, 2, 3].map(() => admin.send('delivery/send', { DeliveryBatchID: batch })));
    const row = await untilStatus(id, 'Submitted');
    assert.equal(printed(row), 1);
    assert.equal(house.printed.find(({ key }) => key === row['LetterKey'])?.to.street, '12 Main St');
    assert.match(String(row['Reference']), /^L-\d+$/);
    assert.equal((await admin.select('deliverybatch', batch))['Status'], 'Submitted');
  });

  it('DOC-12 asks about a letter whose answer was lost, and never sends it again', async () => {
    house.hooks.printed = (_letter, response) => {
      response.destroy();
      return true;
    };
    const { id, batch } = await preparedLetter('Lost');
    await submit(batch);
    const row = await untilStatus(id, 'Submitted');
    assert.equal(printed(row), 1);
  });

  it('DOC-12 shows a letter as unknown while the mail house cannot say, and settles it by asking', async () => {
    house.hooks.printed = (_letter, response) => {
      response.destroy();
      return true;
    };
    house.hooks.inquiry = (_key, response) => {
      response.writeHead(500).end();
      return true;
    };
    const { id, batch } = await preparedLetter('Unknown');
    await submit(batch);
    await untilStatus(id, 'Unknown');
    await admin.expectRefused('delivery/retry', { ID: id }, 'STATE_REFUSES');
    await admin.expectRefused('delivery/cancel', { ID: id }, 'STATE_REFUSES');
    Reflect.deleteProperty(house.hooks, 'inquiry');
    assert.deepEqual(await admin.expectOk('delivery/track', { ID: id }), { Checked: 1, Changed: 1 });
    assert.equal(printed(await letter(id)), 1);
    assert.equal((await letter(id))['Status'], 'Submitted');
  });

  it('DOC-12 submits a letter again that the mail house says it never had', async () => {
    const { id, batch } = await preparedLetter('Never');
    // As a process leaves it that died after it had recorded that transmission begins.
    await sql(
      `update deliverybatch set status = 'Sending', attempts = 1, requesteddate = now(),
      leaseduntil = now() - interval '1 hour' where deliverybatchid = $1::bigint`,
      [batch],
    );
    await sql(
      `update delivery set status = 'Queued', begundate = now(), submissionkey = 's'
      where deliveryid = $1::bigint`,
      [id],
    );
    await admin.expectOk('delivery/send', { DeliveryBatchID: batch });
    assert.equal(printed(await untilStatus(id, 'Submitted')), 1);
  });

  it('DOC-12 gives up a refused letter and one whose document was replaced, and mails them again on request', async () => {
    house.hooks.letter = (_letter, response) => {
      response.writeHead(422).end(JSON.stringify({ message: 'Color is not available.' }));
      return true;
    };
    const { of, id, batch } = await preparedLetter('Refused');
    await submit(batch);
    const failed = await untilStatus(id, 'Failed');
    assert.match(String(failed['Reason']), /Color is not available/);
    Reflect.deleteProperty(house.hooks, 'letter');
    await admin.save('attachment', { ID: of.documentId, FileName: 'Letter.pdf', Content: 'JVBERi0xLjQK' });
    await admin.expectOk('delivery/retry', { ID: id });
    const replaced = await untilStatus(id, 'Failed');
    assert.match(String(replaced['Reason']), /replaced after the letter was prepared/);
    assert.notEqual(replaced['LetterKey'], failed['LetterKey']);
    await admin.expectOk('attachment/restoreversion', { ID: of.documentId, Version: 1 });
    await admin.expectOk('delivery/retry', { ID: id });
    assert.equal(printed(await untilStatus(id, 'Submitted')), 1);
  });

  it('DOC-12 waits while the mail house is away, and tries again later', async () => {
    house.hooks.letter = (_letter, response) => {
      response.writeHead(503).end();
      return true;
    };
    const { id, batch } = await preparedLetter('Away');
    await submit(batch);
    await eventually('the mailing waits', async () => {
      const row = await admin.select('deliverybatch', batch);
      return row['Status'] === 'Waiting' && Number(row['Attempts']) > 0;
    });
    assert.equal((await letter(id))['Status'], 'Queued');
    Reflect.deleteProperty(house.hooks, 'letter');
    await sql('update deliverybatch set nextattempt = $2::timestamptz where deliverybatchid = $1::bigint', [
      batch,
      clock.now(),
    ]);
    await admin.expectOk('delivery/send', { DeliveryBatchID: batch });
    assert.equal(printed(await untilStatus(id, 'Submitted')), 1);
  });
});

describe('canceling letters', () => {
  it('DOC-12 cancels prepared letters, stops submitted ones while the mail house can, and says when it is too late', async () => {
    const here = await preparedLetter('Here');
    assert.deepEqual(await admin.expectOk('delivery/cancel', { ID: here.id }), { Canceled: 1, Requested: 0 });
    await admin.expectRefused('delivery/submit', { DeliveryBatchID: here.batch }, 'STATE_REFUSES');
    const { id, row } = await submittedLetter('There');
    assert.deepEqual(await admin.expectOk('delivery/cancel', { ID: id }), { Canceled: 1, Requested: 0 });
    assert.equal(house.printed.find(({ key }) => key === row['LetterKey'])?.state, 'Canceled');
    const late = await submittedLetter('Late');
    for (const one of house.printed) if (one.key === late.row['LetterKey']) one.state = 'Mailed';
    const refusal = await admin.expectRefused('delivery/cancel', { ID: late.id }, 'STATE_REFUSES');
    assert.match(refusal.message, /too late/);
    await admin.expectOk('delivery/track', { ID: late.id });
    const mailed = await letter(late.id);
    assert.deepEqual([mailed['Status'], mailed['MailedDate'] !== null], ['Mailed', true]);
  });
});

describe('changes of letters', () => {
  it('DOC-12 KRN-16 are published to webhooks, each with a version of its own; a check that changes nothing leaves no trace', async () => {
    const receiver = await startReceiver({ after });
    const events = 'Delivery.*, DeliveryBatch.*';
    const { WebhookID } = await admin.expectOk('webhook/create', {
      URL: receiver.url,
      Events: events,
      Fields: 'Status',
    });
    const { id, batch } = await preparedLetter('Published');
    await submit(batch);
    const row = await untilStatus(id, 'Submitted');
    await eventually('the mailing is submitted', async () => {
      return (await admin.select('deliverybatch', batch))['Status'] === 'Submitted';
    });
    for (const one of house.printed) if (one.key === row['LetterKey']) one.state = 'Mailed';
    assert.deepEqual(await admin.expectOk('delivery/track', { ID: id }), { Checked: 1, Changed: 1 });
    await admin.save('webhook', { ID: WebhookID, IsActive: false });
    const published = async (object: string, objectId: number): Promise<Row[]> => [
      ...(await sql(
        `select recordversion as version, data::jsonb ->> 'Change' as change,
           data::jsonb #>> '{Fields,Status}' as status
         from webhookdelivery where webhookid = $1::bigint and object = $2::text and objectid = $3::bigint
         order by recordversion`,
        [WebhookID, object, objectId],
      )),
    ];
    assert.deepEqual(await published('Delivery', id), [
      { version: 1, change: 'insert', status: 'Prepared' },
      { version: 2, change: 'update', status: 'Queued' },
      { version: 3, change: 'update', status: 'Queued' },
      { version: 4, change: 'update', status: 'Submitted' },
      { version: 5, change: 'update', status: 'Mailed' },
    ]);
    assert.deepEqual(await published('DeliveryBatch', batch), [
      { version: 1, change: 'insert', status: 'Prepared' },
      { version: 2, change: 'update', status: 'Waiting' },
      { version: 3, change: 'update', status: 'Sending' },
      { version: 4, change: 'update', status: 'Submitted' },
    ]);
    const { length: entries } = await admin.expectRows('delivery/history', { ID: id });
    clock.advance(1_000);
    assert.deepEqual(await admin.expectOk('delivery/track', { ID: id }), { Checked: 1, Changed: 0 });
    const later = await letter(id);
    assert.equal(later['Version'], 5);
    assert.ok(String(later['TrackedDate']) > String(row['SubmittedDate']));
    assert.equal((await admin.expectRows('delivery/history', { ID: id })).length, entries);
  });
});

describe('notices of a mail house', () => {
  const send = async ({ headers, body }: SignedWebhook, name = 'springfield') =>
    fetch(`${p.url}/api/delivery/acknowledge?MailHouse=${name}&Output=Json`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
    });
  const seconds = (): number => Math.floor(clock.milliseconds() / 1_000);

  it('DOC-12 KRN-16 take a signed notice once, in any order, without signing in', async () => {
    const { id, row } = await submittedLetter('Notice');
    const key = String(row['LetterKey']);
    const at = (minutes: number): string => new Date(clock.milliseconds() + minutes * 60_000 - 7_200_000).toISOString();
    const delivered = house.webhook(
      [{ key, state: 'Delivered', date: at(60), trackingNumber: '9400', costCents: 171 }],
      { seconds: seconds() },
    );
    assert.deepEqual(await (await send(delivered)).json(), { Reports: 1, Changed: 1 });
    assert.deepEqual(await (await send(delivered)).json(), { Reports: 1, Changed: 0 });
    await send(house.webhook([{ key, state: 'Mailed', date: at(0) }], { seconds: seconds() }));
    const now = await letter(id);
    assert.deepEqual(
      [now['Status'], now['MailedDate'], now['DeliveredDate'], now['TrackingNumber'], now['Cost']],
      ['Delivered', at(0), at(60), '9400', 1.71],
    );
    const history = await admin.expectRows('delivery/history', { ID: id });
    assert.ok(history.length > 0, 'each state is in the history');
  });

  it('DOC-12 are refused without a valid signature, from the future, for a letter of another mail house, and if too large', async () => {
    const { id, row } = await submittedLetter('Forged');
    const reports = [{ key: String(row['LetterKey']), state: 'Returned' as const, date: '2026-03-03T15:00:00.000Z' }];
    const good = house.webhook(reports, { seconds: seconds() });
    for (const [webhook, name] of [
      [house.webhook(reports, { seconds: seconds(), secret: `whsec_${'A'.repeat(40)}` }), 'Springfield'],
      [house.webhook(reports, { seconds: seconds() + 3_600 }), 'Springfield'],
      [{ ...good, headers: {} }, 'Springfield'],
      [good, 'Shelbyville'],
    ] as const) {
      const answer = await send(webhook, name);
      assert.equal(answer.status, 403);
      assert.match(await answer.text(), /no valid signature of a mail house/);
    }
    assert.equal((await send({ ...good, body: 'x'.repeat(1_048_577) })).status, 413);
    assert.equal((await letter(id))['Status'], 'Submitted');
    await admin.save('mailhouse', {
      MailHouse: 'Other',
      MailHouseType: 'http',
      Sequence: 9,
      Options: `Endpoint=${encodeURIComponent(house.url)}`,
      Secrets: `ApiKey=${encodeURIComponent(house.key)}&WebhookSecret=${encodeURIComponent(house.secret)}`,
    });
    const other = house.webhook(reports, { seconds: seconds() });
    assert.deepEqual(await (await send(other, 'Other')).json(), { Reports: 1, Changed: 0 });
  });

  it('DOC-12 a letter that came back flags its address until the address is corrected', async () => {
    const { of, id } = await submittedLetter('Moved');
    await admin.expectOk('delivery/return', { ID: id, Reason: 'Not deliverable  as addressed\nUnable to forward' });
    const back = await letter(id);
    assert.deepEqual([back['Status'], back['Reason']], ['Returned', 'Not deliverable as addressed Unable to forward']);
    const again = { AttachmentID: of.documentId };
    const refusal = await admin.expectRefused('delivery/prepare', again, 'BAD_PARAMETER');
    assert.match(refusal.message, /Moved, Ann has an address from which a letter was returned on \d{4}-/);
    await prepare(admin, { ...again, AllowReturned: true, Preview: true });
    await admin.save('contact', { ID: of.contactId, Address: '12 main st.' });
    await admin.expectRefused('delivery/prepare', again, 'BAD_PARAMETER');
    await admin.save('contact', { ID: of.contactId, Address: '14 Oak Ave' });
    assert.equal((await prepare(admin, again)).length, 1);
  });
});

describe('letters as records', () => {
  it('DOC-12 are neither created nor changed by saves, and kept once they were mailed', async () => {
    await admin.expectRefused('delivery/save', { Delivery: 'x' }, 'STATE_REFUSES');
    await admin.expectRefused('deliverybatch/save', { DeliveryBatch: 'x' }, 'STATE_REFUSES');
    const { id, row } = await submittedLetter('Evidence');
    await admin.expectRefused('delivery/save', { ID: id, Status: 'Delivered' }, 'STATE_REFUSES');
    await admin.expectRefused('delivery/delete', { ID: id }, 'STATE_REFUSES');
    await admin.save('deliverybatch', { ID: row['DeliveryBatchID'], DeliveryBatch: 'Another name' });
  });

  it('DOC-12 ACC-02 a firm sees the letters of the documents that it sees, and mails none', async () => {
    const { organizationId: firm, caller } = await p.firm('Firm of letters');
    const partner = client(p, caller);
    const { of, id, row } = await submittedLetter('Firm');
    assert.deepEqual(await partner.expectRows('delivery/search', {}), []);
    const { AttachmentTemplateID } = await admin.save('attachmenttemplate', { AttachmentTemplate: 'Open to firms' });
    await admin.save('attachment', { ID: of.documentId, AttachmentTemplateID });
    assert.deepEqual(await partner.expectRows('delivery/search', {}), []);
    await admin.save('foreclosure', { ID: of.caseId, OrganizationID: firm });
    assert.deepEqual(
      (await partner.expectRows('delivery/search', {})).map((one) => one['DeliveryID']),
      [id],
    );
    await partner.expectRefused('deliverybatch/search', {}, 'NO_PERMISSION');
    await partner.expectRefused('delivery/prepare', { AttachmentID: of.documentId }, 'NO_PERMISSION');
    await partner.expectRefused('delivery/submit', { DeliveryBatchID: row['DeliveryBatchID'] }, 'NO_PERMISSION');
    await partner.expectRefused('mailhouse/search', {}, 'NO_PERMISSION');
  });
});
