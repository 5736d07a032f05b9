import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { FILE_OBJECT } from '../../../src/contracts/file-object.ts';
import { sweepStoredFiles } from '../../../src/modules/documents/attachment/lib/sweep-stored-files.ts';
import { client } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
const counsel = client(p, (await p.user('counsel', 'Administrator')).caller);
const clerk = client(p, (await p.user('clerk', 'Staff')).caller);

const newCase = async (name: string): Promise<unknown> =>
  (await admin.save('foreclosure', { Foreclosure: name }))['ForeclosureID'];
const document = async (caseId: unknown, content = 'the deed'): Promise<unknown> => {
  const saved = await admin.save('attachment', {
    Object: 'Foreclosure',
    ObjectID: caseId,
    FileName: 'deed.txt',
    Content: Buffer.from(content).toString('base64'),
  });
  return saved['AttachmentID'];
};
const REASON = 'Litigation Smith v. Alder';

describe('a legal hold', () => {
  it('DOC-16 on a document keeps it and its case from being deleted, and says who set it, when and why', async () => {
    const caseId = await newCase('H-1');
    const id = await document(caseId);
    const other = await document(caseId, 'another');
    const [held] = await counsel.expectRows('attachment/hold', { ID: id, Reason: REASON });
    assert.deepEqual([held?.['Object'], held?.['ObjectID']], ['Attachment', id]);
    const refused = await clerk.expectRefused('attachment/delete', { ID: id }, 'STATE_REFUSES', 'ID');
    const today = new Date().toISOString().slice(0, 10);
    assert.equal(
      refused.message,
      `ID: Attachment ${String(id)} has been on legal hold since ${today}, placed by counsel: ${REASON}. Until the ` +
        'hold is released, it cannot be deleted.',
    );
    const ofCase = await clerk.expectRefused('foreclosure/delete', { ID: caseId }, 'STATE_REFUSES', 'ID');
    assert.match(ofCase.message, /placed by counsel/);
    const elsewhere = { ID: id, Object: 'Foreclosure', ObjectID: await newCase('H-2') };
    await clerk.expectRefused('attachment/save', elsewhere, 'STATE_REFUSES', 'ID');
    await admin.expectOk('attachment/delete', { ID: other });
    // It can still be worked with, and its earlier contents stay.
    await admin.save('attachment', {
      ID: id,
      FileName: 'deed.txt',
      Description: 'signed',
      Content: Buffer.from('the signed deed').toString('base64'),
    });
    const versions = await admin.expectRows('attachment/versions', { ID: id });
    assert.deepEqual(
      versions.map(({ Number: number }) => number),
      [2, 1],
    );
  });

  it('DOC-16 KRN-21 hides who set it, why and on which record from users who may not search holds', async () => {
    await admin.save('role', { Role: 'Firm with documents', Permissions: '*', UniversalAccess: false });
    const firm = await p.firm('Held Law', 'Firm with documents');
    const ofFirm = client(p, firm.caller);
    const { ForeclosureID: caseId } = await admin.save('foreclosure', {
      Foreclosure: 'H-9',
      OrganizationID: firm.organizationId,
    });
    const { AttachmentID: own } = await ofFirm.save('attachment', {
      Object: 'Foreclosure',
      ObjectID: caseId,
      FileName: 'own.txt',
      Content: 'YQ==',
    });
    const hidden = await document(caseId);
    await counsel.expectRows('attachment/hold', { ID: hidden, Reason: 'Investigation of Held Law' });
    const ofCase = await ofFirm.expectRefused('foreclosure/delete', { ID: caseId }, 'STATE_REFUSES', 'ID');
    assert.equal(ofCase.message, 'ID: the record is on legal hold. Until the hold is released, it cannot be deleted.');
    assert.equal(ofCase.error['ObjectID'], undefined);
    await counsel.expectRows('attachment/hold', { Object: 'Foreclosure', ObjectID: caseId, Reason: 'the same' });
    const { message } = await ofFirm.expectRefused('attachment/delete', { ID: own }, 'STATE_REFUSES', 'ID');
    assert.equal(message, ofCase.message);
  });

  it('DOC-16 on a case holds all its documents, also later ones', async () => {
    const caseId = await newCase('H-3');
    const id = await document(caseId);
    await counsel.expectRows('attachment/hold', { Object: 'Foreclosure', ObjectID: caseId, Reason: REASON });
    const later = await document(caseId, 'later');
    for (const each of [id, later]) {
      const { message } = await admin.expectRefused('attachment/delete', { ID: each }, 'STATE_REFUSES', 'ID');
      assert.match(message, new RegExp(`Foreclosure ${String(caseId)} has been on legal hold`));
    }
    await admin.expectRefused('foreclosure/delete', { ID: caseId }, 'STATE_REFUSES', 'ID');
    await counsel.expectRows('attachment/releasehold', { Object: 'Foreclosure', ObjectID: caseId, Reason: 'settled' });
    await admin.expectOk('attachment/delete', { ID: later });
    await admin.expectOk('foreclosure/delete', { ID: caseId });
  });

  it('DOC-16 is released by those to whom it is granted, one of several by itself, and stays on record', async () => {
    const id = await document(await newCase('H-4'));
    const [first] = await clerk.expectRows('attachment/hold', { ID: id, Reason: 'one' });
    const [second] = await counsel.expectRows('attachment/hold', { ID: id, Reason: 'two' });
    await clerk.expectRefused('attachment/releasehold', { ID: id, Reason: 'done' }, 'NO_PERMISSION');
    const release = (LegalHoldID: unknown): Promise<unknown> =>
      counsel.expectRows('attachment/releasehold', { LegalHoldID, Reason: 'done' });
    await release(first?.['LegalHoldID']);
    await admin.expectRefused('attachment/delete', { ID: id }, 'STATE_REFUSES', 'ID');
    await release(second?.['LegalHoldID']);
    await counsel.expectRefused('attachment/releasehold', { ID: id, Reason: 'again' }, 'STATE_REFUSES', 'ID');
    await admin.expectOk('attachment/delete', { ID: id });
    const rows = await admin.expectRows('legalhold/search', {
      Object: 'Attachment',
      ObjectID: id,
      OrderBy: 'LegalHoldID',
    });
    assert.deepEqual(
      rows.map(({ Reason, ReleaseReason, ReleasedDate }) => [Reason, ReleaseReason, typeof ReleasedDate]),
      [
        ['one', 'done', 'string'],
        ['two', 'done', 'string'],
      ],
    );
    for (const operation of ['save', 'delete', 'update'])
      assert.notEqual((await admin.send(`legalhold/${operation}`, { ID: rows[0]?.['LegalHoldID'] })).status, 200);
    // Not even by a statement: the rows are the evidence of who set and released a hold.
    for (const change of [
      "update legalhold set reason = 'another'",
      'update legalhold set releaseddate = now()',
      'update legalhold set releaseddate = null, releasereason = null',
      'delete from legalhold',
    ])
      await assert.rejects(
        async () => p.platform.store.query(`${change} where legalholdid = ${Number(rows[0]?.['LegalHoldID'])}`),
        /legal hold/,
      );
    const logged = await admin.expectRows('securitylog/search', {
      Object: 'Attachment',
      ObjectID: id,
      OrderBy: 'SecurityLogID',
    });
    assert.deepEqual(
      logged.map(({ SecurityLog }) => SecurityLog),
      ['LegalHoldSet', 'LegalHoldSet', 'LegalHoldReleased', 'LegalHoldReleased'],
    );
  });

  it('DOC-16 names documents or a case, with a reason', async () => {
    const loan = (await admin.save('loan', { Loan: '700000099' }))['LoanID'];
    await admin.expectRefused('attachment/hold', { Reason: REASON }, 'MISSING_PARAMETER', 'ID');
    await admin.expectRefused('attachment/hold', { ID: 999_999, Reason: REASON }, 'NOT_FOUND', 'ID');
    await admin.expectRefused(
      'attachment/hold',
      { Object: 'Loan', ObjectID: loan, Reason: REASON },
      'BAD_PARAMETER',
      'Object',
    );
    const id = await document(await newCase('H-5'));
    await admin.expectRefused('attachment/hold', { ID: id }, 'MISSING_PARAMETER', 'Reason');
  });

  it('DOC-16 keeps the files that only history knew, and a sealed file from being replaced', async (t) => {
    const caseId = await newCase('H-6');
    const id = await document(caseId, 'protected');
    await admin.expectRows('attachment/movefile', { ID: id, FileObject: 'Local', Sealed: true });
    const files = p.platform.providers.get(FILE_OBJECT, 'Local');
    const path = `/Foreclosure/${String(caseId)}/11111111-0000-4000-8000-000000000000/earlier.txt`;
    await files.write(
      path,
      (async function* () {
        yield Buffer.from('an earlier content whose history has expired');
      })(),
    );
    await counsel.expectRows('attachment/hold', { ID: id, Reason: REASON });
    const replacement = { ID: id, FileName: 'deed.txt', Content: Buffer.from('x').toString('base64') };
    await admin.expectRefused('attachment/save', replacement, 'STATE_REFUSES', 'ID');
    t.mock.method(p.platform.clock, 'milliseconds', () => Date.now() + 2 * 86_400_000);
    await sweepStoredFiles.run(p.platform);
    assert.ok(await files.stat(path));
    t.mock.restoreAll();
    await counsel.expectRows('attachment/releasehold', { ID: id, Reason: 'settled' });
    t.mock.method(p.platform.clock, 'milliseconds', () => Date.now() + 2 * 86_400_000);
    await sweepStoredFiles.run(p.platform);
    assert.equal(await files.stat(path), undefined);
  });

  it('DOC-16 set while a document is being deleted either keeps it or finds it gone', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const id = await document(await newCase(`R-${turn}`));
      const [hold, deletion] = await Promise.all([
        counsel.send('attachment/hold', { ID: id, Reason: REASON }),
        admin.send('attachment/delete', { ID: id }),
      ]);
      assert.ok((hold.status === 200) !== (deletion.status === 200), `${hold.text}\n${deletion.text}`);
    }
  });
});
