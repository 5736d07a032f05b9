import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { testPlatform } from '../../support/platform.ts';
import {
  borrower,
  foreclosure,
  nextLoan,
  referralFirm,
  saveSampleTemplates,
  updateOf,
  type ReferralAnswer,
} from '../../support/imports/referrals.ts';

const on = await testPlatform({ after });
await saveSampleTemplates(on.admin);
const firm = await referralFirm(on, 'Alder Law');
const other = await referralFirm(on, 'Birch Law');

const form = (template: string, rest = ''): string =>
  `<ImportFormItem><Template>${template}</Template>${rest}</ImportFormItem>`;
const forms = (...items: string[]): string => `<Forms>${items.join('')}</Forms>`;
const delay = (template: string, rest = ''): string =>
  `<Delays><DecisionDelayItem><Template>${template}</Template>${rest}</DecisionDelayItem></Delays>`;
const message = (subject: string, body: string): string =>
  `<MessageItem><Template>Case Note</Template><Message>${subject}</Message><BodyText>${body}</BodyText></MessageItem>`;
const document = (fileName: string, content: string, template = 'Complaint'): string =>
  `<AttachmentItem><FileName>${fileName}</FileName><Template>${template}</Template><Description>D</Description>` +
  `<Content><![CDATA[${Buffer.from(content).toString('base64')}]]></Content></AttachmentItem>`;
const debt = (items: string): string =>
  `<TotalDebtLedger><Template>Total Debt</Template><Items>${items}</Items></TotalDebtLedger>`;

let made = 0;
/** Creates a case; returns its ID and SubscriberID. */
async function newCase(rest = ''): Promise<{ id: number; subscriberId: string; answer: ReferralAnswer }> {
  const subscriberId = `children-${made++}`;
  const answer = await firm.send('foreclosure', foreclosure({ subscriberId, rest }));
  return { id: answer.caseId, subscriberId, answer };
}
const update = (subscriberId: string, rest: string): Promise<ReferralAnswer> =>
  firm.send('foreclosureupdate', updateOf(subscriberId, rest));
const below = (id: number, path: string): Promise<Record<string, unknown>[]> =>
  firm.search(`foreclosure/${id}/${path}`);
/** The rows of every table that hold a case's children, without the tracking columns that a repeated save renews. */
async function stateOf(id: number): Promise<string> {
  const parts = await Promise.all(
    [
      'importform',
      'decisiondelay',
      'message',
      'attachment',
      'ledger',
      'ledgeritem',
      'contact',
      'publicrecord',
      'property',
      'loan',
    ].map((path) =>
      below(id, `${path}/search?OrderBy=${path === 'ledgeritem' ? 'LedgerItemID' : 'CreatedDate'}&DisplaySize=100`),
    ),
  );
  return JSON.stringify(parts, (key, value: unknown) =>
    ['Version', 'UpdatedDate', 'UpdatedPersonID'].includes(key) ? undefined : value,
  );
}

describe('nested records of a referral', () => {
  it('REF-06 REF-19 become records on the case, with one Result each', async () => {
    const { id, answer } = await newCase(
      [
        debt('<AccruedInterest>10.5</AccruedInterest>'),
        delay(
          'Title Issue',
          '<ReasonDetail>An old lien.</ReasonDetail><ActualStart>2024-02-13</ActualStart>' +
            '<ProjectedCompletion>2024-03-20</ProjectedCompletion>',
        ),
        forms(
          form(
            'Complaint Filed',
            '<ProjectedCompletion>2024-05-01</ProjectedCompletion>' +
              '<ActualCompletion>2024-05-02T10:00:00Z</ActualCompletion>' +
              '<Messages_0_Message>Filed</Messages_0_Message>' +
              '<Messages_0_BodyText>With the county.</Messages_0_BodyText>',
          ),
        ),
        `<Messages>${message('Hello', 'Line one.\nLine two &amp; &lt;three&gt;.')}</Messages>`,
        `<Attachments>${document('deed.txt', 'the deed')}</Attachments>`,
      ].join(''),
    );
    assert.equal(answer.http, 200, answer.text);
    assert.deepEqual(
      [...answer.reported].sort(),
      [
        'Attachment',
        'Contact',
        'DecisionDelay',
        'Foreclosure',
        'ImportForm',
        'Ledger',
        'LedgerItem',
        'Loan',
        'Message',
        'Message',
      ].map((o) => `${o} Insert Success`),
    );
    const [hold] = await below(id, 'decisiondelay/search');
    assert.deepEqual(
      [
        hold?.['DecisionDelay'],
        hold?.['ReasonDetail'],
        String(hold?.['ActualStart']).slice(0, 10),
        hold?.['ActualCompletion'],
      ],
      ['Title Issue', 'An old lien.', '2024-02-13', undefined],
    );
    const [step] = await below(id, 'importform/search');
    assert.deepEqual(
      [step?.['ImportForm'], String(step?.['ActualCompletion']).slice(0, 19)],
      ['Complaint Filed', '2024-05-02T10:00:00'],
    );
    const messages = await below(id, 'message/search?OrderBy=Message');
    assert.deepEqual(
      messages.map((m) => [m['Message'], m['BodyText'], m['Object']]),
      [
        ['Filed', 'With the county.', 'ImportForm'],
        ['Hello', 'Line one.\nLine two & <three>.', 'Foreclosure'],
      ],
    );
    const [file] = await below(id, 'attachment/search');
    assert.deepEqual(
      [file?.['FileName'], file?.['MimeType'], file?.['FileSize'], file?.['Description']],
      ['deed.txt', 'text/plain', 8, 'D'],
    );
    assert.equal(
      (await firm.caller.get(`/api/attachment/download?ID=${String(file?.['AttachmentID'])}`)).text,
      'the deed',
    );
  });

  it('KRN-05 are listed alike by the route below their parent and by Object and ObjectID', async () => {
    const ok = async (module: string, body: object): Promise<Record<string, unknown>> => {
      const answer = await on.admin.post(`/api/${module}/save?Output=Json`, body);
      assert.equal(answer.status, 200, answer.text);
      return answer.json();
    };
    const full = [
      debt('<AccruedInterest>10.5</AccruedInterest>'),
      delay('Title Issue'),
      forms(form('Complaint Filed', '<Messages_0_Message>Filed</Messages_0_Message>')),
      `<Messages>${message('Hello', 'Line one.')}</Messages>`,
      `<Attachments>${document('deed.txt', 'the deed')}</Attachments>`,
    ].join('');
    const { id, subscriberId } = await newCase(full);
    const second = await newCase(full);
    await ok('contact', { Object: 'Foreclosure', ObjectID: id, LastName: 'Directly' });
    const [borrowing] = await below(id, 'contact/search?LastName=not+Directly');
    await ok('contact', { ParentContactID: borrowing?.['ContactID'], LastName: 'Alias' });
    await ok('decisiontemplate', {
      DecisionTemplate: 'Two ways',
      AppliesTo: 'Foreclosure',
      Steps_0_DecisionStepTemplate: 'Wait',
    });
    const { DecisionID: workflow } = await ok('decision', {
      Template: 'Two ways',
      Object: 'Foreclosure',
      ObjectID: id,
    });
    const searched = async (caller: typeof on.admin, path: string, idField: string): Promise<unknown> => {
      const answer = await caller.get(`/api/${path}&Output=Json&DisplaySize=1000`);
      if (answer.status !== 200) return answer.status;
      return (
        Object.values(
          Object.values(answer.json() as Record<string, Record<string, Record<string, unknown>[]>>)[0] ?? {},
        )[0] ?? []
      ).map((row) => row[idField]);
    };
    const { registry } = on.platform;
    const parents = [
      ['Foreclosure', id],
      ['Process', id],
      ['Decision', workflow],
      ['Contact', borrowing?.['ContactID']],
      ['Loan', borrowing?.['ObjectID']],
    ] as const;
    const found = new Map<string, unknown>();
    for (const child of registry.records().filter((record) => record.parent !== undefined)) {
      for (const [name, parentId] of parents) {
        for (const [who, caller] of [
          ['staff', on.admin],
          ['firm', firm.caller],
        ] as const) {
          const nested = await searched(
            caller,
            `${name}/${String(parentId)}/${child.module}/search?OrderBy=${child.idField}`,
            child.idField,
          );
          const plain = await searched(
            caller,
            `${child.module}/search?OrderBy=${child.idField}&Object=${name}&ObjectID=${String(parentId)}`,
            child.idField,
          );
          assert.deepEqual(plain, nested, `${child.name} below ${name} for ${who}`);
          found.set(`${child.name} below ${name} for ${who}`, nested);
        }
      }
    }
    const counts = [
      'Contact below Foreclosure for firm',
      'Message below Foreclosure for firm',
      'Message below Process for staff',
      'DecisionDelay below Decision for staff',
      'Contact below Contact for staff',
    ].map((key) => (found.get(key) as unknown[]).length);
    assert.deepEqual(counts, [2, 2, 2, 1, 1]);
    const contacts = (query: string, caller = firm.caller): Promise<unknown> =>
      searched(caller, `contact/search?OrderBy=ContactID&${query}`, 'ContactID');
    const own = found.get('Contact below Foreclosure for firm') as number[];
    assert.deepEqual(
      await searched(
        firm.caller,
        `contact/listbyobject?OrderBy=ContactID&Object=Foreclosure&ObjectID=${id}`,
        'ContactID',
      ),
      own,
    );
    assert.deepEqual(await contacts(`Object=Foreclosure&ObjectSubscriberID=${subscriberId}`), own);
    assert.deepEqual(await contacts('Object=Foreclosure&ObjectSubscriberID=nobody'), []);
    assert.deepEqual(
      await contacts(`LastName=Directly&Object=Foreclosure&ObjectID=${id}`),
      own.filter((one) => one !== borrowing?.['ContactID']),
    );
    const both = (await contacts(`Object=Foreclosure&ObjectID=${id},${second.id}`)) as number[];
    assert.deepEqual([both.length, own.every((one) => both.includes(one))], [3, true]);
    assert.equal(
      ((await contacts(`Object=Foreclosure&ObjectID=>=${id}`)) as number[]).length,
      1,
      'a comparison does not name a parent',
    );
    // Neither does this route show anything of the case to a user who cannot see it or who names another kind of case.
    assert.deepEqual(await contacts(`Object=Foreclosure&ObjectID=${id}`, other.caller), []);
    assert.deepEqual(await contacts(`Object=Bankruptcy&ObjectID=${id}`, on.admin), []);
    assert.equal(await contacts('Object=Foreclosure&ObjectID=x'), 400);
  });

  it('REF-21 a step sent with ProjectedCompletion is projected, and with ActualCompletion completed: the same step, not a second one', async () => {
    const { id, subscriberId } = await newCase(
      forms(form('Complaint Filed', '<ProjectedCompletion>2024-05-01</ProjectedCompletion>')),
    );
    const open = await below(id, 'importform/search');
    assert.deepEqual(
      open.map((s) => [String(s['ProjectedCompletion']).slice(0, 10), s['ActualCompletion']]),
      [['2024-05-01', undefined]],
    );
    const later = await update(
      subscriberId,
      forms(form('Complaint Filed', '<ProjectedCompletion>2024-05-09</ProjectedCompletion>')),
    );
    assert.deepEqual(
      later.reported.filter((t) => t.startsWith('ImportForm')),
      ['ImportForm Update Success'],
    );
    await update(subscriberId, forms(form('complaint filed', '<ActualCompletion>2024-05-10</ActualCompletion>')));
    const done = await below(id, 'importform/search');
    assert.deepEqual(
      done.map((s) => [
        s['ImportFormID'],
        String(s['ProjectedCompletion']).slice(0, 10),
        String(s['ActualCompletion']).slice(0, 10),
      ]),
      [[open[0]?.['ImportFormID'], '2024-05-09', '2024-05-10']],
    );
    await update(subscriberId, forms(form('Complaint Filed', '<ProjectedCompletion>2024-08-01</ProjectedCompletion>')));
    assert.equal(
      (await below(id, 'importform/search')).length,
      2,
      'projecting a completed step again creates a new one',
    );
  });

  it('REF-21 end the open hold of their template', async () => {
    const { id, subscriberId } = await newCase(delay('Loss Mitigation', '<ActualStart>2024-02-01</ActualStart>'));
    const ended = await update(
      subscriberId,
      delay('Loss Mitigation', '<ActualCompletion>2024-04-01</ActualCompletion>'),
    );
    assert.deepEqual(
      ended.reported.filter((t) => t.startsWith('Dec')),
      ['DecisionDelay Update Success'],
    );
    const holds = await below(id, 'decisiondelay/search');
    assert.deepEqual(
      holds.map((h) => [String(h['ActualStart']).slice(0, 10), String(h['ActualCompletion']).slice(0, 10)]),
      [['2024-02-01', '2024-04-01']],
    );
    await update(subscriberId, delay('Loss Mitigation', '<ActualStart>2024-06-01</ActualStart>'));
    assert.equal((await below(id, 'decisiondelay/search')).length, 2);
  });

  it('REF-06 a hold that the servicer set is not changed; a hold of the same type that the firm reports is beside it', async () => {
    const { id, subscriberId } = await newCase('');
    const staffs = await on.admin.post('/api/decisiondelay/save?Output=Json', {
      Object: 'Foreclosure',
      ObjectID: id,
      DecisionDelay: 'Loss Mitigation',
      ActualStart: '2024-01-01',
      ReasonDetail: 'Of the servicer',
    });
    assert.equal(staffs.status, 200, staffs.text);
    const holds = async (): Promise<readonly string[]> =>
      (await below(id, 'decisiondelay/search'))
        .map((row) => `${String(row['ReasonDetail'])}: ${row['ActualCompletion'] === undefined ? 'open' : 'ended'}`)
        .toSorted();
    const refused = await update(
      subscriberId,
      delay('Loss Mitigation', '<ActualCompletion>2024-04-01</ActualCompletion>'),
    );
    assert.match(refused.of('DecisionDelay')[0]?.message ?? '', /the servicer has set this hold and must end it/);
    assert.deepEqual(await holds(), ['Of the servicer: open']);
    const own = '<ReasonDetail>Of the firm</ReasonDetail><ActualStart>2024-02-01</ActualStart>';
    await update(subscriberId, delay('Loss Mitigation', own));
    await update(subscriberId, delay('Loss Mitigation', own));
    await update(subscriberId, delay('Loss Mitigation', '<ActualCompletion>2024-04-01</ActualCompletion>'));
    assert.deepEqual(await holds(), ['Of the firm: ended', 'Of the servicer: open']);
  });

  it("REF-06 match templates regardless of case, and only those of the case's record type", async () => {
    const { answer } = await newCase(forms(form('COMPLAINT filed'), form('Proof of Claim Filed')));
    assert.deepEqual(
      answer.reported.filter((t) => t.startsWith('ImportForm')),
      ['ImportForm Insert Success', 'ImportForm Save Error'],
    );
    assert.match(
      answer.results.find((r) => r.status === 'Error')?.message ?? '',
      /no ImportFormTemplate for Foreclosure is named "Proof of Claim Filed"/,
    );
  });

  it('REF-02 KRN-21 have no Properties in their Result if the case has a Reference', async () => {
    const xml = foreclosure({
      reference: 'quiet',
      borrowers: [borrower(1, 'Loud', 'Lou', '900-31-3131')],
      rest: `<Messages>${message('S', 'B')}</Messages>`,
    });
    const answer = await firm.send('foreclosure', xml);
    assert.doesNotMatch(answer.text, /<Properties>|3131/);
  });

  it('REF-06 must not have a path as file name; the case is saved nevertheless', async () => {
    for (const name of ['../../etc/passwd', '/etc/passwd', 'a/b.txt', 'a\\b.txt', '..', '.']) {
      const { id, answer } = await newCase(`<Attachments>${document(name, 'x')}</Attachments>`);
      const [result] = answer.of('Attachment');
      assert.equal(result?.status, 'Error', name);
      assert.match(result.message ?? '', /FileName/);
      assert.deepEqual(await below(id, 'attachment/search'), []);
    }
  });
});

describe('sending a referral again', () => {
  it('REF-06 changes nothing that exists, and adds nothing', async () => {
    const rest = [
      debt(
        '<AccruedInterest>10.5</AccruedInterest><FCFeesCosts><Items><ForeclosureFee>100</ForeclosureFee>' +
          '<FilingFee>20.25</FilingFee></Items></FCFeesCosts>',
      ),
      delay('Title Issue', '<ActualStart>2024-02-13</ActualStart>'),
      forms(
        form('Referral Received', '<ActualCompletion>2024-02-09</ActualCompletion>'),
        form(
          'Title Search Ordered',
          '<ActualCompletion>2024-02-11T09:15:00</ActualCompletion><Messages_0_Message>Ordered</Messages_0_Message>' +
            '<Messages_0_BodyText>Ten days.</Messages_0_BodyText>',
        ),
        form('Complaint Filed', '<ProjectedCompletion>2024-05-01</ProjectedCompletion>'),
      ),
      `<Messages>${message('  Spaces  around ', ' Body \n\twith lines.  ')}${message('Second', '')}</Messages>`,
      `<Attachments>${document('a.txt', 'content A')}${document('b.txt', 'content B')}</Attachments>`,
    ].join('');
    const parts = {
      loan: nextLoan(),
      subscriberId: 'twice',
      caseNumber: 'TW-1',
      borrowers: [borrower(1, 'Re', 'Ida', '900-88-0001'), borrower(2, 'Re', 'Otto')],
      publicRecords: [
        '<PublicRecordItem><PublicRecord>Mortgage Deed of ' +
          'Trust</PublicRecord><FilingDate>2015-01-02</FilingDate></PublicRecordItem>',
      ],
      rest,
    };
    const first = await firm.send('foreclosure', foreclosure(parts));
    assert.equal(first.http, 200, first.text);
    const before = await stateOf(first.caseId);
    // Changes of the import file itself belong to the other run.
    const changes = async (): Promise<unknown> =>
      on.platform.store.query(
        `select tablename, recordid, old from history where tablename <> 'importfile' and old <> '{}'
          order by historyid`,
      );
    const history = await changes();
    const again = await firm.send('foreclosure', foreclosure(parts));
    assert.equal(again.http, 200, again.text);
    assert.equal(await stateOf(first.caseId), before);
    assert.deepEqual(await changes(), history, 'history contains neither a change nor the protected numbers');
    assert.deepEqual(
      again.reported.filter((t) => t.includes('Insert')),
      [],
    );
    assert.deepEqual(
      again.of('Message').map((r) => r.operation),
      ['None', 'None', 'None'],
    );
    assert.deepEqual(
      again.of('Attachment').map((r) => r.operation),
      ['None', 'None'],
    );
    assert.equal(
      again.success,
      again.results.filter((r) => r.operation !== 'None').length,
      'None counts neither as success nor as error',
    );
    assert.deepEqual(
      again.results.filter((r) => r.status !== 'Success').map((r) => r.object),
      ['Message', 'Message', 'Message'],
      'only messages without a Reference could be other ones',
    );
  });

  it('does not reopen a step or hold from a file older than its completion or end', async () => {
    const old =
      delay('Title Issue', '<ActualStart>2024-02-13</ActualStart>') +
      forms(form('Complaint Filed', '<ProjectedCompletion>2024-05-01</ProjectedCompletion>'));
    const { id, subscriberId } = await newCase(old);
    await update(
      subscriberId,
      delay('Title Issue', '<ActualCompletion>2024-03-01</ActualCompletion>') +
        forms(form('Complaint Filed', '<ActualCompletion>2024-05-03</ActualCompletion>')),
    );
    const before = await stateOf(id);
    const again = await update(subscriberId, old);
    assert.equal(await stateOf(id), before);
    assert.deepEqual([...again.reported].sort(), [
      'DecisionDelay None Success',
      'Foreclosure None Success',
      'ImportForm None Success',
    ]);
  });

  it('leaves a step unchanged that one file both completed and projected again', async () => {
    const rest = forms(
      form('Sale Scheduled', '<ActualCompletion>2024-05-01</ActualCompletion>'),
      form('Sale Scheduled', '<ProjectedCompletion>2024-09-01</ProjectedCompletion>'),
    );
    const { id, subscriberId, answer } = await newCase(rest);
    assert.deepEqual(
      answer.of('ImportForm').map((r) => r.operation),
      ['Insert', 'Insert'],
    );
    const before = await stateOf(id);
    await update(subscriberId, rest);
    assert.equal(await stateOf(id), before);
  });

  it('corrects the end of a hold that is sent again with another reason', async () => {
    const { id, subscriberId } = await newCase(
      delay(
        'Court Delay',
        '<ReasonDetail>Docket ' +
          'full</ReasonDetail><ActualStart>2024-02-13</ActualStart><ActualCompletion>2024-03-01</ActualCompletion>',
      ),
    );
    await update(
      subscriberId,
      delay(
        'Court Delay',
        '<ReasonDetail>Judge ' +
          'ill</ReasonDetail><ActualStart>2024-02-13</ActualStart><ActualCompletion>2024-03-01</ActualCompletion>',
      ),
    );
    assert.deepEqual(
      (await below(id, 'decisiondelay/search')).map((h) => h['ReasonDetail']),
      ['Judge ill'],
    );
  });

  it('adds a message or document that differs in template, subject, body, content or file name', async () => {
    const { id, subscriberId } = await newCase(
      `<Messages>${message('A', 'B')}</Messages><Attachments>${document('a.txt', 'one')}</Attachments>`,
    );
    const status =
      '<MessageItem><Template>Status Request</Template><Message>A</Message><BodyText>B</BodyText></MessageItem>';
    const answer = await update(
      subscriberId,
      `<Messages>${message('a', 'B')}${message('A', 'b')}${status}${message('A', 'B')}</Messages>` +
        `<Attachments>${document('a.txt', 'two')}${document('a.txt', 'one', 'Judgment')}` +
        `${document('renamed.txt', 'one')}</Attachments>`,
    );
    assert.deepEqual(
      answer.of('Message').map((r) => r.operation),
      ['Insert', 'Insert', 'Insert', 'None'],
    );
    assert.deepEqual(
      answer.of('Attachment').map((r) => r.operation),
      ['Insert', 'Insert', 'Insert'],
    );
    assert.equal((await below(id, 'message/search')).length, 4);
    assert.equal((await below(id, 'attachment/search')).length, 4);
  });

  it('within one new referral, the same message or document is added once', async () => {
    const { answer } = await newCase(
      `<Messages>${message('Dup', 'B')}${message('Dup', 'B')}</Messages>` +
        `<Attachments>${document('a.txt', 'one')}${document('a.txt', 'one')}</Attachments>`,
    );
    assert.deepEqual(
      answer.of('Message').map((r) => `${r.operation} ${r.status}`),
      ['Insert Success', 'None Warning'],
    );
    assert.deepEqual(
      answer.of('Attachment').map((r) => `${r.operation} ${r.status}`),
      ['Insert Success', 'None Success'],
    );
    assert.equal(answer.success, 5);
  });

  it('REF-06 REF-09 adds a message that equals an earlier one if its Reference is another, and warns if it has none', async () => {
    const { id, subscriberId } = await newCase();
    const called = (reference?: string): string =>
      message('Called borrower', 'No answer').replace(
        '<MessageItem>',
        `<MessageItem${reference === undefined ? '' : ` Reference="${reference}"`}>`,
      );
    const send = async (...items: string[]): Promise<unknown[]> =>
      (await update(subscriberId, `<Messages>${items.join('')}</Messages>`))
        .of('Message')
        .map((r) => `${r.operation} ${r.status}`);
    assert.deepEqual(await send(called('call-1'), called('call-2')), ['Insert Success', 'Insert Success']);
    assert.deepEqual(await send(called('call-1'), called('call-2')), ['None Success', 'None Success']);
    assert.deepEqual(await send(called('call-3'), called('call-3')), ['Insert Success', 'None Success']);
    assert.deepEqual(await send(called()), ['None Warning']);
    assert.equal((await below(id, 'message/search')).length, 3);
  });

  it('REF-21 a corrected completion date changes the completed step, and an empty one does not reopen it', async () => {
    const { id, subscriberId } = await newCase(
      forms(form('Sale Held', '<ActualCompletion>2024-03-04</ActualCompletion>')),
    );
    const corrected = await update(
      subscriberId,
      forms(form('Sale Held', '<ActualCompletion>2024-03-05</ActualCompletion>')),
    );
    assert.deepEqual(
      corrected.of('ImportForm').map((r) => `${r.operation} ${r.status}`),
      ['Update Warning'],
    );
    assert.match(corrected.of('ImportForm')[0]?.message ?? '', /2024-03-04/);
    const emptied = await update(subscriberId, forms(form('Sale Held', '<ActualCompletion/>')));
    assert.deepEqual(
      emptied.of('ImportForm').map((r) => `${r.operation} ${r.status}`),
      ['None Warning'],
    );
    const dates = async (): Promise<string[]> =>
      (await below(id, 'importform/search')).map((row) => String(row['ActualCompletion']).slice(0, 10));
    assert.deepEqual(await dates(), ['2024-03-05']);
    // Two completions in one document are two steps; sent again they stay two.
    const twice = forms(
      form('Sale Held', '<ActualCompletion>2024-05-01</ActualCompletion>'),
      form('Sale Held', '<ActualCompletion>2024-06-01</ActualCompletion>'),
    );
    await update(subscriberId, twice);
    assert.deepEqual((await dates()).toSorted(), ['2024-05-01', '2024-06-01']);
    await update(subscriberId, twice);
    assert.deepEqual((await dates()).toSorted(), ['2024-05-01', '2024-06-01']);
    // A projection after the last completion is a step to be done again.
    await update(subscriberId, forms(form('Sale Held', '<ProjectedCompletion>2024-09-01</ProjectedCompletion>')));
    assert.equal((await dates()).length, 3);
  });

  it('REF-06 two holds of one type in a document that start on different days are two, also when it is sent again', async () => {
    const holds =
      '<Delays>' +
      ['2024-01-01', '2024-03-01']
        .map(
          (start) =>
            `<DecisionDelayItem><Template>Court Delay</Template><ReasonDetail>From ${start}</ReasonDetail>` +
            `<ActualStart>${start}</ActualStart>` +
            (start === '2024-01-01' ? '<ActualCompletion>2024-02-01</ActualCompletion>' : '') +
            '</DecisionDelayItem>',
        )
        .join('') +
      '</Delays>';
    const { id, subscriberId } = await newCase(holds);
    const stored = async (): Promise<unknown> =>
      (await below(id, 'decisiondelay/search')).map((row) => String(row['ReasonDetail'])).toSorted();
    assert.deepEqual(await stored(), ['From 2024-01-01', 'From 2024-03-01']);
    await update(subscriberId, holds);
    assert.deepEqual(await stored(), ['From 2024-01-01', 'From 2024-03-01']);
  });
});

describe('the ledger of a referral', () => {
  const lines = async (id: number): Promise<Record<string, unknown>> =>
    Object.fromEntries(
      (
        await on.platform.store.query<{ name: string; amount: string }>(
          `with recursive l as (select ledgerid, ledger::text as path from ledger where object = 'Foreclosure'
            and objectid = $1::bigint union all select i.childledgerid, i.ledgeritem::text from ledgeritem i
            join l on l.ledgerid = i.ledgerid where i.childledgerid is not null)
     select i.ledgeritem as name, i.amountmoney as amount from ledgeritem i join l on l.ledgerid = i.ledgerid
     order by 1`,
          [id],
        )
      ).map((r) => [r.name, r.amount]),
    );
  const top = async (id: number): Promise<Record<string, unknown>> => (await below(id, 'ledger/search'))[0] ?? {};

  it('REF-14 LED-05 is created from its template, with a line for each money element, and a ledger below each line with Items', async () => {
    const { id, answer } = await newCase(
      debt(
        '<AccruedInterest>10.10</AccruedInterest><PendingAdvances>-0.05</PendingAdvances><FCFeesCosts><Items>' +
          '<ForeclosureFee>100</ForeclosureFee><FilingFee>20.25</FilingFee></Items></FCFeesCosts>',
      ),
    );
    assert.equal(answer.http, 200, answer.text);
    assert.deepEqual(
      [answer.of('Ledger').length, answer.of('LedgerItem').length],
      [2, 5],
      'one Result per record, including the ledger below',
    );
    assert.deepEqual(await lines(id), {
      'Accrued Interest': '10.1',
      'FC Fees & Costs': '120.25',
      'Filing Fee': '20.25',
      'Foreclosure Fee': '100',
      'Pending Advances': '-0.05',
    });
    const ledger = await top(id);
    assert.deepEqual([ledger['Ledger'], ledger['Balance'], ledger['BalanceAdjusted']], ['Total Debt', 130.3, 130.3]);
  });

  it('REF-14 gets the named lines replaced, and keeps the others', async () => {
    const { id, subscriberId } = await newCase(
      debt(
        '<AccruedInterest>10</AccruedInterest><PendingAdvances>20</PendingAdvances><FCFeesCosts><Items>' +
          '<ForeclosureFee>100</ForeclosureFee><FilingFee>5</FilingFee></Items></FCFeesCosts>',
      ),
    );
    const answer = await update(
      subscriberId,
      debt(
        '<PendingAdvances>21</PendingAdvances><EscrowAdvances>7</EscrowAdvances><FCFeesCosts><Items>' +
          '<FilingFee>6</FilingFee></Items></FCFeesCosts>',
      ),
    );
    assert.equal(answer.http, 200, answer.text);
    assert.deepEqual(
      answer.of('Ledger').map((r) => r.operation),
      ['None'],
    );
    assert.deepEqual(
      answer
        .of('LedgerItem')
        .map((r) => r.operation)
        .sort(),
      ['Insert', 'Update', 'Update', 'Update'],
    );
    assert.deepEqual(await lines(id), {
      'Accrued Interest': '10',
      'Escrow Advances': '7',
      'FC Fees & Costs': '106',
      'Filing Fee': '6',
      'Foreclosure Fee': '100',
      'Pending Advances': '21',
    });
    assert.equal((await top(id))['Balance'], 144);
  });

  it('REF-14 an element without a line in the ledger is an Error of its own, and the others are saved', async () => {
    const { id, answer } = await newCase(
      debt(
        '<AccruedInterest>1</AccruedInterest><Colour>2</Colour><FCFeesCosts><Items><Shape>3</Shape>' +
          '<FilingFee>4</FilingFee></Items></FCFeesCosts><PendingAdvances>8</PendingAdvances>',
      ),
    );
    assert.deepEqual([answer.http, answer.errors], [500, 2]);
    assert.deepEqual(
      answer.results
        .filter((r) => r.status === 'Error')
        .map((r) => /^(\w+): the ledger has no such line/.exec(r.message ?? '')?.[1])
        .sort((a = '', b = '') => (a < b ? -1 : 1)),
      ['Colour', 'Shape'],
    );
    assert.deepEqual(await lines(id), {
      'Accrued Interest': '1',
      'FC Fees & Costs': '4',
      'Filing Fee': '4',
      'Pending Advances': '8',
    });
  });

  it('REF-14 Items on a line that takes an amount, and an amount on a line with Items, are Errors', async () => {
    const { id, subscriberId, answer } = await newCase(
      debt(
        '<AccruedInterest><Items><FilingFee>4</FilingFee></Items></AccruedInterest><FCFeesCosts><Items>' +
          '<FilingFee>4</FilingFee></Items></FCFeesCosts>',
      ),
    );
    assert.deepEqual(
      answer.results.filter((r) => r.status === 'Error').map((r) => r.message),
      ['AccruedInterest: this line takes an amount, not Items.'],
    );
    const amount = await update(subscriberId, debt('<FCFeesCosts>900</FCFeesCosts>'));
    assert.match(amount.of('LedgerItem')[0]?.message ?? '', /this line takes Items/);
    assert.equal((await lines(id))['FC Fees & Costs'], '4');
  });

  it('REF-14 a line named twice is one line with the last amount', async () => {
    const { id } = await newCase(debt('<AccruedInterest>1</AccruedInterest><AccruedInterest>2</AccruedInterest>'));
    assert.deepEqual(await lines(id), { 'Accrued Interest': '2' });
    assert.equal((await top(id))['Balance'], 2);
  });

  it('REF-14 an unknown ledger template is an Error of the ledger alone', async () => {
    const { id, answer } = await newCase(
      debt('<AccruedInterest>1</AccruedInterest>').replace('Total Debt', 'Total Det'),
    );
    assert.deepEqual(
      answer.reported.filter((t) => t.startsWith('Ledger')),
      ['Ledger Save Error'],
    );
    assert.match(answer.of('Ledger')[0]?.message ?? '', /Did you mean Total Debt/);
    assert.deepEqual(await below(id, 'ledger/search'), []);
  });
});

describe('KRN-18 the children of a case by their parent routes', () => {
  it('KRN-05 KRN-18 can be accessed by the firm of the case only', async () => {
    const { id } = await newCase(
      [
        debt('<AccruedInterest>1</AccruedInterest>'),
        delay('Title Issue', '<ActualStart>2024-02-13</ActualStart>'),
        forms(form('Complaint Filed')),
        `<Messages>${message('S', 'B')}</Messages>`,
        `<Attachments>${document('a.txt', 'x')}</Attachments>`,
      ].join(''),
    );
    const theirs = await other.send('foreclosure', foreclosure());
    for (const path of [
      'contact',
      'message',
      'attachment',
      'importform',
      'decisiondelay',
      'ledger',
      'ledgeritem',
      'loan',
    ]) {
      const rows = await below(id, `${path}/search`);
      assert.ok(rows.length > 0, `${path} of its own case`);
      const refused = await other.caller.get(`/api/foreclosure/${id}/${path}/search?Output=Json`);
      assert.equal(refused.status, 404, path);
      const record = on.platform.registry.requireRecord(path, 'test');
      const childId = Number(rows[0]?.[record.idField]);
      assert.equal((await other.caller.get(`/api/${path}/${childId}`)).status, 404, `${path} by id`);
      assert.equal(
        (await other.caller.get(`/api/foreclosure/${theirs.caseId}/${path}/select/${childId}`)).status,
        404,
        `${path} below another case`,
      );
      assert.deepEqual(
        (await other.search(`foreclosure/${theirs.caseId}/${path}/search`))
          .map((r) => r[record.idField])
          .filter((found) => found === childId),
        [],
      );
      assert.deepEqual(await other.search(`${path}/search?${record.idField}=${childId}`), []);
    }
  });
});
