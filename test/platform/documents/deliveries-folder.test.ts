import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { MAIL_HOUSE } from '../../../src/contracts/delivery.ts';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { queueOverdueMailings } from '../../../src/modules/documents/delivery/lib/sweep.ts';
import { browserMissing } from '../../support/browser/browser.ts';
import { client, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { mailedCase, prepare } from '../../support/mailings.ts';
import { testPlatform } from '../../support/platform.ts';

// Starts at the machine's time: the queue compares with the database's.
const clock = fixedClock(new Date().toISOString());
const p = await testPlatform({ after }, { worker: true, clock });
const admin = client(p);
const folder = (name: string): string => join(p.storagesFolder, 'drop', name);

const letter = (id: unknown): Promise<Row> => admin.select('delivery', id);
const untilStatus = (id: unknown, status: string): Promise<Row> =>
  eventually(`letter ${String(id)} is ${status}`, async () => {
    const row = await letter(id);
    return row['Status'] === status && row;
  });

/** Submits a letter of a new case to the folder. */
async function submitted(name: string): Promise<Row> {
  const { documentId } = await mailedCase(admin, name);
  const [row] = await prepare(admin, { AttachmentID: documentId, MailHouse: 'Drop box' });
  await admin.expectOk('delivery/submit', { DeliveryBatchID: row?.['DeliveryBatchID'] });
  return untilStatus(row?.['DeliveryID'], 'Submitted');
}

/** Leaves a status file that was written long ago: what may still be being written is left for later. */
function report(name: string, text: string): void {
  const path = join(folder('status'), name);
  writeFileSync(path, text);
  utimesSync(path, new Date('2026-01-01'), new Date('2026-01-01'));
}

const watch = (): Promise<Row> =>
  admin.expectOk('delivery/watch', {
    MailHouse: 'Drop box',
    FileObject: 'Drop',
    Path: '/status',
    Pattern: '*.csv;*.json',
  });

before(async () => {
  mkdirSync(folder('status'), { recursive: true });
  await admin.save('fileobject', { FileObject: 'Drop', FileObjectType: 'local', Folder: 'drop' });
  await admin.save('mailhouse', {
    MailHouse: 'Drop box',
    MailHouseType: 'folder',
    Options: 'Location=Drop&LetterCents=90',
  });
});

describe('a mail house that reads a folder', () => {
  it('DOC-12 gets a request to stop a letter as a file, and its answer is taken from a file, once', async () => {
    const row = await submitted('Stopped');
    assert.deepEqual(await admin.expectOk('delivery/cancel', { ID: row['DeliveryID'] }), { Canceled: 0, Requested: 1 });
    const requests = readdirSync(folder('outbox')).filter((name) => name.startsWith('cancel-'));
    assert.equal(requests.length, 1);
    const request = JSON.parse(readFileSync(join(folder('outbox'), requests[0] ?? ''), 'utf8')) as object;
    assert.deepEqual(request, { Cancel: [row['LetterKey']] });
    const waiting = await letter(row['DeliveryID']);
    assert.deepEqual([waiting['Status'], String(waiting['Reason']).includes('has not answered')], ['Submitted', true]);
    // Asking again writes no second file.
    await admin.expectOk('delivery/cancel', { ID: row['DeliveryID'] });
    assert.equal(readdirSync(folder('outbox')).filter((name) => name.startsWith('cancel-')).length, 1);
    report('stopped.csv', `Key,State,Reason\r\n${String(row['LetterKey'])},Canceled,"on request"\r\n`);
    assert.equal((await watch())['Taken'], 1);
    const canceled = await letter(row['DeliveryID']);
    assert.deepEqual([canceled['Status'], typeof canceled['CanceledDate']], ['Canceled', 'string']);
    assert.equal((await watch())['Taken'], 0);
  });

  it('DOC-12 reports letters by files of both formats; a file that cannot be read is reported and changes nothing', async () => {
    const [one, two] = [await submitted('Arrives'), await submitted('Returns')];
    report('a.json', JSON.stringify([{ Key: one['LetterKey'], State: 'Delivered', CostCents: 88 }]));
    report('b.csv', `Key,State,Reason\n${String(two['LetterKey'])},Returned,"Moved, left no address"\n`);
    assert.equal((await watch())['Taken'], 2);
    const [delivered, returned] = [await letter(one['DeliveryID']), await letter(two['DeliveryID'])];
    assert.deepEqual([delivered['Status'], Number(delivered['Cost'])], ['Delivered', 0.88]);
    assert.deepEqual([returned['Status'], returned['Reason']], ['Returned', 'Moved, left no address']);
    report('c.csv', 'nothing,that,is,known\n1,2,3,4\n');
    const failed = await p.admin.get('/api/delivery/watch?MailHouse=Drop+box&FileObject=Drop&Path=/status&Output=Json');
    assert.match(failed.text, /Key and State|"Failed":1/);
    report('d.csv', `Key,State,Date\n${String(one['LetterKey'])},Returned,0000-05-05\n`);
    const early = await p.admin.get('/api/delivery/watch?MailHouse=Drop+box&FileObject=Drop&Path=/status&Output=Json');
    assert.match(early.text, /line 2.date/);
    report('e.csv', `Key,State\n${String(one['LetterKey'])},Returned\n${' '.repeat(16 * 1_048_576)}`);
    const large = await p.admin.get('/api/delivery/watch?MailHouse=Drop+box&FileObject=Drop&Path=/status&Output=Json');
    assert.match(large.text, /e\.csv: a status file of a mail house has at most 16 MB/);
    assert.equal((await letter(one['DeliveryID']))['Status'], 'Delivered');
  });
});

describe('files that users put into the storage location of a mail house', () => {
  it('DOC-12 are no reports: staff can neither choose their paths nor the folder that is read', async () => {
    const row = await submitted('Forged');
    const clerk = client(p, (await p.user('clerk', 'Staff')).caller);
    const text = `Key,State\n${String(row['LetterKey'])},Delivered\n`;
    const { AttachmentID: ID } = await clerk.save('attachment', {
      Object: row['Object'],
      ObjectID: row['ObjectID'],
      FileName: 'status.csv',
      Content: Buffer.from(text).toString('base64'),
    });
    const target = { ID, FileObject: 'drop' };
    for (const operation of ['copyfile', 'transferfile', 'movefile'])
      for (const PathURL of ['/status/forged.csv', '/acknowledged/{Uri.FileName}'])
        await clerk.expectRefused(`attachment/${operation}`, { ...target, PathURL }, 'NO_PERMISSION', 'PathURL');
    assert.deepEqual(readdirSync(folder('status')).includes('forged.csv'), false);
    const watched = { MailHouse: 'Drop box', FileObject: 'Drop', Path: '/status', Pattern: '*.csv' };
    await clerk.expectRefused('delivery/watch', watched, 'NO_PERMISSION');
    // Where the platform chooses the path, anybody may store documents.
    await clerk.expectOk('attachment/movefile', target);
    assert.equal((await letter(row['DeliveryID']))['Status'], 'Submitted');
  });
});

describe('a mailing of letters of a document type', { skip: browserMissing }, () => {
  it('DOC-12 DOC-01 is generated from the template of the type, prepared and submitted with the filled-in letters', async () => {
    const { AttachmentTemplateID: TemplateID } = await admin.save('attachmenttemplate', {
      AttachmentTemplate: 'Payoff letter',
      AppliesTo: 'Foreclosure',
      AttachmentService: 'PdfGenerator',
    });
    await admin.save('attachment', {
      Object: 'AttachmentTemplate',
      ObjectID: TemplateID,
      FileName: 'payoff.html',
      Content: Buffer.from('<h1>Payoff</h1><p>About the case {Foreclosure}</p>').toString('base64'),
    });
    const { caseId } = await mailedCase(admin, 'Merged');
    const preview = await p.admin.get(
      `/api/attachmenttemplate/preview?ID=${String(TemplateID)}&Object=Foreclosure&ObjectID=${caseId}&Format=Pdf`,
    );
    assert.match(preview.text, /^%PDF-/);
    const parameters = { TemplateID, Object: 'Foreclosure', ObjectID: caseId, MailHouse: 'Drop box', Key: 'payoff-1' };
    const [planned] = await prepare(admin, parameters);
    const prepared = await untilStatus(planned?.['DeliveryID'], 'Prepared');
    await admin.expectOk('attachment/readtext', { ID: prepared['AttachmentID'] });
    const { Body } = await admin.expectOk('attachment/pagetext', { ID: prepared['AttachmentID'], PageNumber: 1 });
    assert.match(String(Body), /About the case Case Merged/);
    await admin.expectOk('delivery/submit', { DeliveryBatchID: prepared['DeliveryBatchID'] });
    const sent = await untilStatus(prepared['DeliveryID'], 'Submitted');
    const names = readdirSync(folder('outbox')).map((name) =>
      readFileSync(join(folder('outbox'), name)).toString('latin1'),
    );
    assert.equal(names.filter((zip) => zip.includes(`${String(sent['LetterKey'])}.pdf`)).length, 1);
  });

  it('DOC-08 DOC-14 the preview of a type that makes text is converted with Format=Pdf', async () => {
    const { AttachmentTemplateID: ID } = await admin.save('attachmenttemplate', {
      AttachmentTemplate: 'Table',
      AppliesTo: 'Foreclosure',
      AttachmentService: 'DelimitedGenerator',
    });
    const { caseId } = await mailedCase(admin, 'Listed');
    const query = `ID=${String(ID)}&Object=Foreclosure&ObjectID=${caseId}`;
    const [original, pdf] = [
      await p.admin.get(`/api/attachmenttemplate/preview?${query}`),
      await p.admin.get(`/api/attachmenttemplate/preview?${query}&Format=Pdf`),
    ];
    assert.match(original.text, /Case Listed/);
    assert.match(pdf.text, /^%PDF-/);
    assert.match(pdf.headers.get('content-type') ?? '', /application\/pdf/);
  });
});

describe('a mailing whose process ends', () => {
  it('DOC-12 is taken over within two minutes, and no letter is mailed twice', async () => {
    const begun = Promise.withResolvers<undefined>();
    const release = Promise.withResolvers<undefined>();
    let submissions = 0;
    p.platform.providers.register(MAIL_HOUSE, 'Slow', {
      lettersMax: 10,
      quote: () => ({ sheets: 1, costCents: 100 }),
      async submit({ letters }, { beforeData } = {}) {
        await beforeData?.();
        submissions++;
        begun.resolve(undefined);
        await release.promise;
        return letters.map(({ key }) => ({ key, status: 'accepted' as const, detail: null }));
      },
      inquire: async (letters, now) =>
        letters.map(({ key }) => ({ key, status: 'found', report: { key, state: 'Submitted', date: now } })),
      cancel: async () => [],
      parseNotice: async () => ({ id: '', reports: [] }),
      check: async () => undefined,
    });
    const { documentId } = await mailedCase(admin, 'Slow');
    const [row] = await prepare(admin, { AttachmentID: documentId, MailHouse: 'Slow' });
    await admin.expectOk('delivery/submit', { DeliveryBatchID: row?.['DeliveryBatchID'] });
    await begun.promise;
    assert.equal(await queueOverdueMailings.run(p.platform), 0, 'its process is alive');
    clock.advance(61_000);
    assert.equal(await queueOverdueMailings.run(p.platform), 1);
    await untilStatus(row?.['DeliveryID'], 'Submitted');
    release.resolve(undefined);
    assert.equal(submissions, 1);
  });
});
