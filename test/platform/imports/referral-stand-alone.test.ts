import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { testPlatform } from '../../support/platform.ts';
import {
  collection,
  nextLoan,
  referral,
  referralFirm,
  saveSampleTemplates,
  searchRows,
  standAloneItem,
  updateOf,
  type CaseElement,
  type ReferralAnswer,
} from '../../support/imports/referrals.ts';

const on = await testPlatform({ after });
await saveSampleTemplates(on.admin);
const firm = await referralFirm(on, 'Alder Law');
const other = await referralFirm(on, 'Birch Law');

type Object_ = 'Foreclosure' | 'Bankruptcy';
const names = {
  Foreclosure: { form: 'Complaint Filed', message: 'Case Note', document: 'Complaint' },
  Bankruptcy: { form: 'Order Entered', message: 'Bankruptcy Note', document: 'Proof of Claim' },
} as const;
const objectOf = (kind: CaseElement): Object_ => (kind === 'Foreclosure' ? 'Foreclosure' : 'Bankruptcy');

const message = (
  object: string,
  subscriberId: string,
  subject: string,
  {
    body = 'B',
    template = names[object as Object_]?.message ?? 'Case Note',
  }: { readonly body?: string; readonly template?: string } = {},
): string =>
  standAloneItem(
    'MessageItem',
    object,
    subscriberId,
    `<Template>${template}</Template><Message>${subject}</Message><BodyText>${body}</BodyText>`,
  );
const document = (
  object: string,
  subscriberId: string,
  content: string,
  {
    fileName = 'a.txt',
    template = names[object as Object_]?.document ?? 'Complaint',
  }: { readonly fileName?: string; readonly template?: string } = {},
): string =>
  standAloneItem(
    'AttachmentItem',
    object,
    subscriberId,
    `<FileName>${fileName}</FileName><Template>${template}</Template><Description>D</Description><Content>` +
      `<![CDATA[${Buffer.from(content).toString('base64')}]]></Content>`,
  );
const form = (
  object: string,
  subscriberId: string,
  rest = '',
  template: string = names[object as Object_]?.form ?? 'Complaint Filed',
): string => standAloneItem('ImportFormItem', object, subscriberId, `<Template>${template}</Template>${rest}`);
const send = (operation: string, ...items: string[]): Promise<ReferralAnswer> =>
  firm.send(operation, collection(items));

let made = 0;
async function newCase(
  kind: CaseElement,
  rest = '',
): Promise<{ id: number; subscriberId: string; object: Object_; loan: string }> {
  const subscriberId = `https://cases.alder.example-${kind}-${made++}`;
  const loan = nextLoan();
  const answer = await firm.send(kind, referral(kind, { subscriberId, loan, rest }));
  assert.equal(answer.http, 200, answer.text);
  return { id: answer.caseId, subscriberId, object: objectOf(kind), loan };
}
const below = (of: { id: number; object: Object_ }, path: string): Promise<Record<string, unknown>[]> =>
  firm.search(`${of.object.toLowerCase()}/${of.id}/${path}`);
const count = async (table: string): Promise<number> =>
  Number((await on.platform.store.query<{ n: number }>(`select count(*)::integer as n from ${table}`))[0]?.n);

describe('a message, document or step sent alone', () => {
  for (const kind of ['Foreclosure', 'POC', 'MFR'] as const) {
    it(`REF-09 REF-15 REF-19 REF-21 is added to a ${kind} by Object and ObjectSubscriberID`, async () => {
      const of = await newCase(kind);
      const messages = await send(
        'message',
        message(of.object, of.subscriberId, 'Alone', { body: 'Line one.\nLine two &amp; three.' }),
      );
      assert.deepEqual(
        [messages.http, messages.status, messages.reported, messages.success],
        [200, 'Complete', ['Message Insert Success'], 1],
        messages.text,
      );
      assert.deepEqual(
        (await below(of, 'message/search')).map((r) => [r['Message'], r['BodyText'], r['Object'], r['ObjectID']]),
        [['Alone', 'Line one.\nLine two & three.', of.object, of.id]],
      );
      const documents = await send(
        'document',
        document(of.object, of.subscriberId, 'the deed', { fileName: 'deed.txt' }),
      );
      assert.deepEqual([documents.http, documents.reported], [200, ['Attachment Insert Success']], documents.text);
      const [file] = await below(of, 'attachment/search');
      assert.deepEqual([file?.['FileName'], file?.['Description'], file?.['FileSize']], ['deed.txt', 'D', 8]);
      assert.equal(
        (await firm.caller.get(`/api/attachment/download?ID=${String(file?.['AttachmentID'])}`)).text,
        'the deed',
      );
      const projected = await send(
        'importform',
        form(
          of.object,
          of.subscriberId,
          '<ProjectedCompletion>2024-09-24</ProjectedCompletion><Messages_0_Message>Soon</Messages_0_Message>' +
            '<Messages_0_BodyText>By the court.</Messages_0_BodyText>',
        ),
      );
      assert.deepEqual(
        [projected.http, projected.reported],
        [200, ['ImportForm Insert Success', 'Message Insert Success']],
        projected.text,
      );
      const completed = await send(
        'importform',
        form(of.object, of.subscriberId, '<ActualCompletion>2024-09-20T10:00:00Z</ActualCompletion>'),
      );
      assert.deepEqual(
        completed.reported,
        ['ImportForm Update Success'],
        'the open step of the template, not a second one',
      );
      assert.deepEqual(
        (await below(of, 'importform/search')).map((r) => [
          r['ImportForm'],
          String(r['ProjectedCompletion']).slice(0, 10),
          String(r['ActualCompletion']).slice(0, 19),
        ]),
        [[names[of.object].form, '2024-09-24', '2024-09-20T10:00:00']],
      );
    });
  }

  it('REF-09 is not added again when sent again: Operation None, which counts as neither success nor error', async () => {
    for (const kind of ['Foreclosure', 'POC'] as const) {
      const of = await newCase(kind);
      const sent = [
        ['message', message(of.object, of.subscriberId, 'Same')],
        ['document', document(of.object, of.subscriberId, 'same')],
        [
          'importform',
          form(
            of.object,
            of.subscriberId,
            '<ActualCompletion>2024-09-20</ActualCompletion><Messages_0_Message>Done</Messages_0_Message>',
          ),
        ],
      ] as const;
      for (const [operation, item] of sent) {
        assert.ok((await send(operation, item)).reported.every((t) => t.endsWith('Insert Success')));
        const again = await send(operation, item, item);
        assert.equal(again.http, 200);
        assert.deepEqual([...new Set(again.results.map((r) => r.operation))], ['None'], operation);
        assert.ok(
          again.results.every((r) => (r.status === 'Warning') === (r.object === 'Message')),
          'a message without a Reference could be another one',
        );
        assert.deepEqual([again.success, again.errors], [0, 0]);
      }
      assert.deepEqual(
        [
          (await below(of, 'message/search')).length,
          (await below(of, 'attachment/search')).length,
          (await below(of, 'importform/search')).length,
        ],
        [2, 1, 1],
      );
    }
  });

  it('REF-09 is the same one as that nested in the case before', async () => {
    const of = await newCase(
      'Foreclosure',
      '<Messages><MessageItem><Template>Case ' +
        'Note</Template><Message>Nested</Message><BodyText>B</BodyText></MessageItem></Messages>',
    );
    assert.deepEqual((await send('message', message('Foreclosure', of.subscriberId, 'Nested'))).reported, [
      'Message None Warning',
    ]);
  });

  it('REF-15 is an Error result with an Object other than Foreclosure and Bankruptcy, and nothing is saved', async () => {
    const of = await newCase('POC');
    const before = [
      await count('message'),
      await count("attachment where object <> 'ImportFile'"),
      await count('importform'),
    ];
    for (const object of [
      'POC',
      'MFR',
      'Process',
      'Loan',
      'Contact',
      'Eviction',
      'foreclosure',
      'BANKRUPTCY',
      'Organization',
    ]) {
      for (const [operation, item, record] of [
        ['message', message(object, of.subscriberId, 'M'), 'Message'],
        ['document', document(object, of.subscriberId, 'd'), 'Attachment'],
        ['importform', form(object, of.subscriberId), 'ImportForm'],
      ] as const) {
        const answer = await send(operation, item);
        assert.deepEqual(
          [answer.http, answer.status, answer.reported],
          [500, 'Error', [`${record} Save Error`]],
          `${operation} ${object}`,
        );
        assert.equal(
          answer.results[0]?.message,
          `Object: expected Foreclosure, or Bankruptcy for a POC or an MFR; got "${object}".`,
        );
      }
    }
    assert.deepEqual(
      [await count('message'), await count("attachment where object <> 'ImportFile'"), await count('importform')],
      before,
    );
  });

  it("REF-09 needs the case's exact identifier, of that Object, in the sender's own view", async () => {
    const of = await newCase('MFR');
    await other.send('Foreclosure', referral('Foreclosure', { subscriberId: 'of birch' }));
    const refused: readonly [string, string, RegExp][] = [
      ['Bankruptcy', of.subscriberId.toUpperCase(), /^ObjectSubscriberID: no Bankruptcy has this SubscriberID\.$/],
      ['Bankruptcy', `${of.subscriberId}0`, /^ObjectSubscriberID: no Bankruptcy has this SubscriberID\.$/],
      ['Bankruptcy', String(of.id), /^ObjectSubscriberID: no Bankruptcy/],
      ['Foreclosure', 'of birch', /^ObjectSubscriberID: no Foreclosure has this SubscriberID\.$/],
      [
        'Foreclosure',
        of.subscriberId,
        /^ObjectSubscriberID: this identifier belongs to another type of record \(Bankruptcy\); expected Foreclosure/,
      ],
    ];
    for (const [object, subscriberId, text] of refused) {
      const answer = await send('message', message(object, subscriberId, 'M'));
      assert.deepEqual([answer.http, answer.status, answer.success, answer.errors], [500, 'Error', 0, 1]);
      assert.match(answer.results[0]?.message ?? '', text);
    }
    const theirs = await other.send('message', collection(message('Bankruptcy', of.subscriberId, 'Spying')));
    assert.equal(
      theirs.results[0]?.message,
      'ObjectSubscriberID: no Bankruptcy has this SubscriberID.',
      'the same as for an unknown one',
    );
    assert.deepEqual(await below(of, 'message/search'), []);
  });

  it('REF-08 REF-09 does not Autobind: a loan number and Attorney Case ID cannot identify the case', async () => {
    const of = await newCase('Foreclosure');
    const sent = collection(
      `<MessageItem><Loan><Agency>INVESTOR</Agency><Loan>${of.loan}</Loan></Loan><Foreclosure>F</Foreclosure>` +
        '<Template>Case Note</Template><Message>M</Message></MessageItem>',
    );
    assert.equal((await firm.send('message', sent)).status, 'Validation Error');
    for (const [operation, item] of [
      ['message', message('Foreclosure', 'x', 'M')],
      ['document', document('Foreclosure', 'x', 'd')],
      ['importform', form('Foreclosure', 'x')],
    ] as const) {
      for (const missing of ['Object', 'ObjectSubscriberID'])
        assert.equal(
          (await send(operation, item.replace(new RegExp(`<${missing}>[^<]*</${missing}>`), ''))).status,
          'Validation Error',
          `${operation} without ${missing}`,
        );
    }
  });

  it('REF-09 REF-11 REF-22 is saved by itself: an unknown template or case fails alone', async () => {
    const of = await newCase('Foreclosure');
    const answer = await send(
      'message',
      message('Foreclosure', of.subscriberId, 'First'),
      message('Foreclosure', of.subscriberId, 'Second', { body: 'B', template: 'Case Noted' }),
      message('Foreclosure', 'nobody', 'Third'),
      message('Foreclosure', of.subscriberId, 'Fourth'),
    );
    assert.deepEqual([answer.http, answer.status, answer.success, answer.errors], [500, 'Error', 2, 2]);
    assert.match(
      answer.results[1]?.message ?? '',
      /no MessageTemplate for Foreclosure is named "Case Noted"\. Did you mean Case Note/,
    );
    assert.deepEqual(
      (await below(of, 'message/search?OrderBy=Message')).map((r) => r['Message']),
      ['First', 'Fourth'],
    );
    const file = await send(
      'document',
      document('Foreclosure', of.subscriberId, 'x', { fileName: '../../etc/passwd' }),
      document('Foreclosure', of.subscriberId, 'kept'),
    );
    assert.deepEqual(file.reported, ['Attachment Save Error', 'Attachment Insert Success']);
    assert.match(file.results[0]?.message ?? '', /FileName/);
  });

  it('REF-02 REF-13 has no Properties in its Result if it has a Reference, by which its results are found', async () => {
    const of = await newCase('POC');
    const open = await send('message', message('Bankruptcy', of.subscriberId, 'Told'));
    assert.match(open.results[0]?.properties ?? '', /<Message>Told<\/Message>/);
    const quiet = await firm.send(
      'message',
      collection(
        standAloneItem(
          'MessageItem',
          'Bankruptcy',
          of.subscriberId,
          '<Template>Bankruptcy Note</Template><Message>Not reported</Message>',
        ).replace('<MessageItem>', '<MessageItem Reference="alone-1">'),
        'alone batch',
      ),
    );
    assert.doesNotMatch(quiet.text, /<Properties>/);
    assert.deepEqual(
      (await firm.search('importlog/search?Reference=alone-1')).map((r) => [r['ImportLogID'], r['Object']]),
      [[quiet.results[0]?.id, 'Message']],
    );
    assert.deepEqual(
      (await firm.search('importfile/search?Reference=alone+batch')).map((r) => r['ImportFileID']),
      [quiet.id],
    );
    assert.deepEqual(await other.search('importlog/search?Reference=alone-1'), []);
    assert.deepEqual(await other.search('importfile/search?Reference=alone+batch'), []);
  });

  it('is still accepted for a closed case', async () => {
    const of = await newCase('Foreclosure');
    await firm.send(
      'foreclosureupdate',
      updateOf(
        of.subscriberId,
        '<Status>Closed</Status><DateClosed>2024-07-01</DateClosed><ClosedReason>Sold</ClosedReason>',
      ),
    );
    assert.equal((await send('message', message('Foreclosure', of.subscriberId, 'Afterwards'))).http, 200);
    assert.deepEqual(
      (await below(of, 'message/search')).map((r) => r['Message']),
      ['Afterwards'],
    );
    assert.equal((await firm.search(`foreclosure/search?ForeclosureID=${of.id}`))[0]?.['Status'], 'Closed');
  });

  it("REF-10 sent by staff finds only cases in the staff's own view", async () => {
    const admin = {
      send: (operation: string, xml: string) =>
        on.admin.post(`/api/import/${operation}`, xml, { 'Content-Type': 'text/xml' }),
    };
    assert.equal((await admin.send('foreclosure', referral('Foreclosure', { subscriberId: 'of staff' }))).status, 200);
    assert.equal((await admin.send('message', collection(message('Foreclosure', 'of staff', 'By staff')))).status, 200);
    assert.equal((await send('message', message('Foreclosure', 'of staff', 'By a firm'))).status, 'Error');
    assert.equal((await searchRows(on.admin, 'message/search?Message=By+staff')).length, 1);
  });
});

describe('concurrently sent items', () => {
  it('REF-09 add the same message, document or step once', async () => {
    for (let round = 0; round < 6; round++) {
      const of = await newCase(round % 2 === 0 ? 'Foreclosure' : 'POC');
      const items = [
        ['message', message(of.object, of.subscriberId, 'Race')],
        ['document', document(of.object, of.subscriberId, `race ${round}`)],
        ['importform', form(of.object, of.subscriberId, '<ProjectedCompletion>2024-09-24</ProjectedCompletion>')],
      ] as const;
      const answers = await Promise.all(
        items.flatMap(([operation, item]) => Array.from({ length: 4 }, () => send(operation, item))),
      );
      for (const answer of answers) assert.equal(answer.http, 200, answer.text);
      assert.deepEqual(
        [
          (await below(of, 'message/search')).length,
          (await below(of, 'attachment/search')).length,
          (await below(of, 'importform/search')).length,
        ],
        [1, 1, 1],
      );
      assert.equal(answers.flatMap((a) => a.results).filter((r) => r.operation === 'Insert').length, 3);
    }
  });

  it('REF-08 REF-09 update a case by number and by identifier and add items sent alone to it, and all succeed', async () => {
    const of = await newCase('MFR');
    const work = Array.from({ length: 5 }, (_, n) => [
      firm.send('mfrupdate', updateOf(of.subscriberId, `<Court>Court ${n}</Court>`, 'MFR')),
      send('message', message('Bankruptcy', of.subscriberId, `Note ${n}`)),
      firm.send('mfr', referral('MFR', { subscriberId: of.subscriberId, loan: of.loan, caseNumber: 'M' })),
    ]).flat();
    for (const answer of await Promise.all(work)) assert.equal(answer.http, 200, answer.text);
    assert.equal((await below(of, 'message/search')).length, 5);
  });
});

describe('each of the nine operations', () => {
  interface Sample {
    readonly operation: string;
    readonly item: (reference?: string) => string;
    readonly bad: string;
    readonly outOfOrder: string;
    readonly first: string;
  }
  async function samples(): Promise<Sample[]> {
    const held = new Map<CaseElement, string>();
    for (const kind of ['Foreclosure', 'POC', 'MFR'] as const) held.set(kind, (await newCase(kind)).subscriberId);
    const items = (xml: string): string => /<ImportCollection[^>]*>([\s\S]*)<\/ImportCollection>/.exec(xml)?.[1] ?? '';
    const withReference = (xml: string, reference?: string): string =>
      reference === undefined ? xml : xml.replace(/^<(\w+)/, `<$1 Reference="${reference}"`);
    const swapped = (xml: string, a: string, b: string): string =>
      xml.replace(new RegExp(`(<${a}>.*?</${a}>)(.*?)(<${b}>.*?</${b}>)`), '$3$2$1');
    const cases = (['Foreclosure', 'POC', 'MFR'] as const).flatMap((kind): Sample[] => [
      {
        operation: kind,
        item: (reference) => withReference(items(referral(kind)), reference),
        bad: items(referral(kind, { loan: 'ABC' })),
        outOfOrder: swapped(items(referral(kind)), 'DateOpened', 'Status'),
        first: objectOf(kind),
      },
      {
        operation: `${kind}Update`,
        item: (reference) =>
          withReference(
            items(updateOf(held.get(kind) ?? '', '<DateOpened>2024-01-01</DateOpened><Status>On Hold</Status>', kind)),
            reference,
          ),
        bad: items(updateOf('nobody', '<Status>Open</Status>', kind)),
        outOfOrder: items(
          updateOf(held.get(kind) ?? '', '<Status>On Hold</Status><DateOpened>2024-01-01</DateOpened>', kind),
        ),
        first: objectOf(kind),
      },
    ]);
    const subscriberId = held.get('Foreclosure') ?? '';
    let n = 0;
    const alone: Sample[] = [
      {
        operation: 'Message',
        item: (reference) => withReference(message('Foreclosure', subscriberId, `N${n++}`), reference),
        bad: message('Eviction', subscriberId, 'M'),
        outOfOrder: swapped(message('Foreclosure', subscriberId, 'M'), 'Template', 'Message'),
        first: 'Message',
      },
      {
        operation: 'Document',
        item: (reference) => withReference(document('Foreclosure', subscriberId, `n${n++}`), reference),
        bad: document('Foreclosure', 'nobody', 'd'),
        outOfOrder: swapped(document('Foreclosure', subscriberId, 'd'), 'FileName', 'Template'),
        first: 'Attachment',
      },
      {
        operation: 'ImportForm',
        item: (reference) =>
          withReference(
            form('Foreclosure', subscriberId, `<ActualCompletion>2024-01-${10 + n++}</ActualCompletion>`),
            reference,
          ),
        bad: form('Foreclosure', subscriberId, '', 'No Such'),
        outOfOrder: swapped(form('Foreclosure', subscriberId), 'Object', 'ObjectSubscriberID'),
        first: 'ImportForm',
      },
    ];
    return [...cases, ...alone];
  }
  const state = async (): Promise<number[]> => [
    await count('process'),
    await count('loan'),
    await count('contact'),
    await count('message'),
    await count('importform'),
    await count("attachment where object <> 'ImportFile'"),
    await count("process where status = 'On Hold'"),
  ];

  it('REF-05 REF-07 REF-20 refuses elements out of order and a Reference over 50 characters, with the line, and saves nothing', async () => {
    for (const { operation, item, outOfOrder } of await samples()) {
      const before = await state();
      const long = 'r'.repeat(51);
      for (const [xml, says] of [
        [collection([`\n${item()}`, `\n${outOfOrder}`]), /^Line 4, .*(does not belong here|expected)/],
        [collection(`\n${item()}`, long), /Reference/],
        [collection(`\n${item(long)}`), /Reference/],
      ] as const) {
        const answer = await firm.send(operation, xml);
        assert.deepEqual(
          [answer.http, answer.status, answer.success],
          [500, 'Validation Error', 0],
          `${operation}: ${answer.text}`,
        );
        assert.match(answer.results[0]?.message ?? '', says, operation);
      }
      assert.deepEqual(await state(), before, operation);
    }
  });

  it('REF-02 REF-11 REF-13 REF-22 saves each item by itself, reports each with its Reference, and finds the results again', async () => {
    for (const { operation, item, bad, first } of await samples()) {
      const answer = await firm.send(
        operation,
        collection([item(`${operation} a`), bad, item(`${operation} b`)], `batch ${operation}`),
      );
      assert.deepEqual(
        [answer.http, answer.status, answer.errors, answer.attributes['Reference']],
        [500, 'Error', 1, `batch ${operation}`],
        answer.text,
      );
      assert.deepEqual(
        answer
          .of(first)
          .filter((r) => r.status === 'Success')
          .map((r) => r.reference),
        [`${operation} a`, `${operation} b`],
      );
      assert.equal((await firm.caller.get(`/api/import/result?ID=${answer.id}`)).text, answer.text);
      assert.deepEqual(
        (await firm.search(`importfile/search?Reference=batch+${operation}`)).map((r) => r['ImportFileID']),
        [answer.id],
      );
      assert.deepEqual(
        (await firm.search(`importlog/search?Reference=${operation}+b&Object=${first}`)).map((r) => r['ImportLogID']),
        [answer.of(first).find((r) => r.reference === `${operation} b`)?.id],
      );
      assert.equal(
        (await firm.search(`importlog/search?ImportFileID=${answer.id}&DisplaySize=100`)).length,
        answer.results.length,
      );
      assert.deepEqual(await other.search(`importfile/search?Reference=batch+${operation}`), []);
    }
  });

  it('REF-10 REF-11 REF-16 KRN-16 refuses a wrong sign-in with 401 and a form post as a Validation Error', async () => {
    for (const { operation, item } of await samples()) {
      const before = await state();
      const files = await count('importfile');
      for (const caller of [on.byPassword('user of Alder Law', 'wrong'), on.anonymous]) {
        const answer = await caller.post(`/api/import/${operation}`, collection(item()), {
          'Content-Type': 'text/xml; charset=utf-8',
          SOAPAction: 'import',
        });
        assert.equal(answer.status, 401, operation);
        assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic /);
      }
      assert.equal(await count('importfile'), files);
      const form_ = await firm.caller.post(
        `/api/import/${operation}`,
        `xml=${encodeURIComponent(collection(item()))}`,
        { 'Content-Type': 'application/x-www-form-urlencoded' },
      );
      assert.equal(form_.status, 500);
      assert.match(form_.text, /Status="Validation Error"[\s\S]*Content-Type: /);
      assert.deepEqual(await state(), before, operation);
    }
  });

  it('REF-12 Eviction and Closing are not among them: the import file reports so, whatever is sent', async () => {
    for (const operation of ['eviction', 'Closing', 'EvictionUpdate', 'closing update']) {
      const before = await state();
      const answer = await firm.send(encodeURIComponent(operation), referral('MFR'));
      assert.deepEqual(
        [answer.http, answer.status, answer.results.map((r) => r.message)],
        [500, 'Error', ['Unrecognized Template']],
        operation,
      );
      assert.deepEqual(
        (await firm.search(`importfile/search?ImportFileID=${answer.id}`)).map((r) => r['Status']),
        ['Error'],
      );
      assert.deepEqual(await state(), before);
    }
  });
});
