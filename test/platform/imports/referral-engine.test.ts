import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import {
  importEngineConformance,
  sourceOf,
  type EngineSubject,
} from '../../../src/contracts/conformance/import-engine.ts';
import { IMPORT_ENGINE, type ImportTemplate } from '../../../src/contracts/import-engine.ts';
import { CallContext } from '../../../src/kernel/door/call-context.ts';
import { autocommitScope } from '../../../src/kernel/door/unit-of-work.ts';
import { parseXml } from '../../../src/kernel/xml/element.ts';
import { failInterruptedImports } from '../../../src/modules/imports/import/lib/interrupted-runs.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform } from '../../support/platform.ts';
import {
  bankruptcyItem,
  borrower,
  collection,
  foreclosureItem,
  nextLoan,
  readAnswer,
  referral,
  referralFirm,
  saveSampleTemplates,
  searchRows,
  setSetting,
  standAloneItem,
  updateOf,
} from '../../support/imports/referrals.ts';

const on = await testPlatform({ after }, { worker: true });
await saveSampleTemplates(on.admin);
const firm = await referralFirm(on, 'Alder Law');
const other = await referralFirm(on, 'Birch Law');
const { store } = on.platform;
const engine = on.platform.providers.get(IMPORT_ENGINE, 'ReferralEngine');

const count = async (table: string): Promise<number> =>
  Number((await store.query<{ n: number }>(`select count(*)::integer as n from ${table}`))[0]?.n);
const templateId = async (name: string): Promise<number> =>
  Number(
    (await searchRows(on.admin, `importfiletemplate/search?ImportFileTemplate=${name}`))[0]?.['ImportFileTemplateID'],
  );
/** Changes a template for a test and restores it afterwards. */
async function withTemplate(name: string, values: Record<string, unknown>, run: () => Promise<void>): Promise<void> {
  const ID = await templateId(name);
  const set = async (sent: Record<string, unknown>): Promise<void> => {
    const answer = await on.admin.post('/api/importfiletemplate/save', { ID, ...sent });
    assert.equal(answer.status, 200, answer.text);
  };
  await set(values);
  try {
    await run();
  } finally {
    const defaults: Readonly<Record<string, unknown>> = {
      Async: false,
      ImportOperationsAllowed: 3,
      ValidateSchema: true,
    };
    await set(Object.fromEntries(Object.keys(values).map((key) => [key, defaults[key] ?? ''])));
  }
}
/** Sends a document as a file: stored first, then imported by its template. */
async function byObject(template: string, xml: string, query = ''): Promise<ReturnType<typeof readAnswer>> {
  const answer = await on.admin.send(
    'POST',
    `/api/importfile/importbyobject?Output=Xml&Template=${template}${query}`,
    xml,
    { 'Content-Type': 'text/xml' },
  );
  return readAnswer(answer.status, answer.text);
}
const ended = (id: number): Promise<Record<string, unknown>> =>
  eventually(
    'the import has ended',
    async () => {
      const [file] = await searchRows(on.admin, `importfile/search?ImportFileID=${id}`);
      return file?.['ImportComplete'] === undefined ? undefined : file;
    },
    30_000,
  );
const item = (n: number, extra = ''): string =>
  bankruptcyItem('POC', {
    caseNumber: `E-${n}`,
    loan: String(600_000_000 + n),
    subscriberId: `engine-${n}`,
    borrowers: [borrower(1, 'Engine', `N${n}`, `900${String(1_000_000 + n).slice(1)}`)],
    rest: extra,
  });
const attachment = (n: number): string =>
  '<Attachments><AttachmentItem><FileName>a.txt</FileName><Template>Proof of Claim</Template><Content>' +
  `<![CDATA[${Buffer.from(`file ${n} ]] > </Content>`.repeat(50)).toString('base64')}]]></Content></AttachmentItem>` +
  '</Attachments>';

describe('the referral engine', () => {
  const template: ImportTemplate = {
    id: 1,
    name: 'POC',
    engine: 'ReferralEngine',
    appliesTo: 'Bankruptcy',
    options: new Map(),
    maps: [],
    operationsAllowed: 3,
    importStatement: undefined,
    schema: undefined,
  };
  const operation = on.platform.registry.operation('importfile/import');
  assert.ok(operation);
  const user = {
    personId: firm.personId,
    name: 'user of Alder Law',
    organizationId: firm.organizationId,
    roles: ['Partner'],
    universal: false,
    permissions: new Set<string>(),
  };
  const state = {
    platform: on.platform,
    registry: on.platform.registry,
    user,
    correlationId: 'conformance',
    address: 'test',
    alerts: [],
    body: undefined,
  };
  const ctx = new CallContext(state, autocommitScope(state), { operation, cause: [] });
  const document = (rows: number): { fileName: string; bytes: Uint8Array } => ({
    fileName: 'claims.xml',
    bytes: Buffer.from(
      collection(Array.from({ length: rows }, (_, n) => `\n${item(n + 1, n === 7 ? attachment(n) : '')}`)),
    ),
  });
  const subject: EngineSubject = {
    engine,
    template,
    ctx,
    document,
    faulty: {
      fileName: 'faulty.xml',
      bytes: Buffer.from(collection(item(1).replace('<Status>Open</Status>', '<Status>Ajar</Status>'))),
    },
    foreign: [
      { fileName: 'mfr.xml', bytes: Buffer.from(referral('MFR')) },
      { fileName: 'other.xml', bytes: Buffer.from('<?xml version="1.0"?><Orders><Order/></Orders>') },
      { fileName: 'cut-off.xml', bytes: Buffer.from(referral('POC').slice(0, 300)) },
      { fileName: 'rows.csv', bytes: Buffer.from('POCItem,Loan\n1,2\n') },
    ],
    saves: {
      transaction: (work) => ctx.inTransaction(work),
      async saved() {
        const rows = await store.query<{ text: string }>(
          `select p.process || ' ' || s.subscriberid || ' ' || (select string_agg(contact, ',') from contact c
            where c.object = 'Loan' and c.objectid = p.loanid) || ' ' || coalesce((select string_agg(filehash, ',')
            from attachment a where a.object = 'Bankruptcy' and a.objectid = p.processid), '') as text
           from process p join objectsubscription s on s.objectid = p.processid where s.subscriberid like 'engine-%'`,
        );
        return rows.map((row) => row.text);
      },
      async clear() {
        for (const table of ['attachment', 'message', 'objectsubscription'])
          await store.query(`delete from ${table} where object = 'Bankruptcy'`);
        await store.query("delete from process where recordclass = 'Bankruptcy'");
      },
    },
  };
  for (const { title, check } of importEngineConformance) it(title, () => check(subject));

  it('IMP-06 recognizes a document by its schema: a new referral is also an update, but nothing of another kind', async () => {
    const recognised = async (xml: string): Promise<string[]> => {
      const names: string[] = [];
      for (const name of [
        'Foreclosure',
        'ForeclosureUpdate',
        'POC',
        'POCUpdate',
        'MFR',
        'MFRUpdate',
        'Message',
        'Document',
        'ImportForm',
        'Something else',
      ]) {
        if (await engine.detect(sourceOf({ fileName: 'x.xml', bytes: Buffer.from(xml) }), { ...template, name }))
          names.push(name);
      }
      return names;
    };
    assert.deepEqual(await recognised(updateOf('x', '<Status>Open</Status>', 'MFR')), ['MFRUpdate']);
    assert.deepEqual(
      await recognised(collection(standAloneItem('MessageItem', 'Foreclosure', 'x', '<Template>T</Template>'))),
      ['Message'],
    );
    assert.ok((await recognised(referral('Foreclosure'))).includes('Foreclosure'));
    assert.deepEqual(await recognised('<ImportCollection/>'), []);
  });

  it("takes the operation from the template's option, and names the known ones if it is invalid", async () => {
    const renamed = { ...template, name: 'Claims of the north', options: new Map([['operation', 'poc']]) };
    assert.equal(await engine.detect(sourceOf(document(1)), renamed), true);
    const unknown = { ...template, name: 'Claims of the north' };
    assert.equal(await engine.detect(sourceOf(document(1)), unknown), false);
    assert.match(
      (await engine.validate(sourceOf(document(1)), unknown, 5))[0]?.message ?? '',
      /^Operation: no referral operation is named "Claims of the north"\..*POC/,
    );
  });

  it('KRN-21 shows items with social security numbers masked and without files', async () => {
    const preview = await engine.preview(sourceOf(document(2)), template, 10);
    assert.equal(preview.total, 2);
    const [row] = preview.rows;
    assert.deepEqual(
      [row?.values['POC'], row?.values['Loan/Loan'], row?.values['Loan/Borrowers/BorrowerItem/USSSN']],
      ['E-1', '600000001', '*****0001'],
    );
    assert.equal(
      (await engine.preview(sourceOf(document(8)), template, 10)).rows[7]?.values['Attachments/AttachmentItem/Content'],
      '(a file)',
    );
    assert.doesNotMatch(JSON.stringify(preview), /900000001/);
  });

  it('returns failed items exactly as sent: files, comments, CDATA, entities and namespaces in another form', async () => {
    const items = [
      item(1),
      '<!-- <POCItem> --><?keep <POCItem>?>' + item(2, attachment(2)).replace('E-2', 'E&amp;2 <![CDATA[</POCItem>]]>'),
      item(3),
      item(4),
    ];
    for (const encode of [
      (text: string): Buffer => Buffer.from(text),
      (text: string): Buffer =>
        Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text.replace('utf-8', 'utf-16'), 'utf16le')]),
    ]) {
      const source = sourceOf({ fileName: 'x.xml', bytes: encode(collection(items, 'job &lt;9')) }, 13);
      const parts: Uint8Array[] = [];
      async function* failed(): AsyncGenerator<{ line: number; reason: string }> {
        yield { line: 2, reason: 'Loan--number: <bad> -' };
        yield { line: 4, reason: 'second\u0000' };
      }
      for await (const part of engine.corrections(source, template, failed()).bytes) parts.push(Buffer.from(part));
      const text = Buffer.concat(parts).toString();
      const root = parseXml(text);
      assert.deepEqual(
        [root.attributes['Reference'], root.children.map((c) => c.children.find((e) => e.name === 'POC')?.text)],
        ['job <9', ['E&2 </POCItem>', 'E-4']],
      );
      assert.ok(
        text.includes('<!-- Loan- -number: <bad> - -->') && text.includes('<!-- second -->'),
        text.slice(0, 300),
      );
      assert.ok(text.includes(attachment(2)));
    }
  });
});

describe('referrals sent as files', () => {
  it('IMP-01 REF-02 REF-11 importbyobject imports them like the referral interface, and links the file to the case', async () => {
    const answer = await byObject(
      'poc',
      collection(
        [
          bankruptcyItem('POC', { reference: 'a', rest: attachment(1) }),
          bankruptcyItem('POC', { reference: 'bad', loan: 'ABC' }),
          bankruptcyItem('POC', {
            reference: 'c',
            rest: '<Messages><MessageItem><Template>No Such</Template></MessageItem></Messages>',
          }),
        ],
        'by object',
      ),
    );
    assert.deepEqual(
      [answer.status, answer.errors, answer.attributes['Reference']],
      ['Error', 2, 'by object'],
      answer.text,
    );
    assert.deepEqual(
      answer.of('Bankruptcy').map((r) => [r.reference, r.operation, r.status]),
      [
        ['a', 'Insert', 'Success'],
        ['bad', 'Save', 'Error'],
        ['c', 'Insert', 'Success'],
      ],
    );
    assert.equal(answer.of('Attachment').length, 1);
    const [file] = await searchRows(on.admin, `importfile/search?ImportFileID=${answer.id}`);
    assert.deepEqual(
      [file?.['Object'], file?.['ObjectID'], file?.['Message']],
      [
        'Bankruptcy',
        answer.of('Bankruptcy')[0]?.objectId,
        '2 of 3 items failed completely or partly. Saved records remain.',
      ],
    );
    assert.deepEqual(
      (await searchRows(on.admin, `importlog/search?ImportFileID=${answer.id}&Status=Error&OrderBy=SourceLine`)).map(
        (r) => r['SourceLine'],
      ),
      [2, 3],
    );
    const corrections = parseXml((await on.admin.get(`/api/importfile/corrections?ID=${answer.id}`)).text);
    assert.deepEqual(
      corrections.children.map((c) => c.attributes['Reference']),
      ['bad', 'c'],
    );
    assert.equal((await store.query("select 1 from attachment where filepath like '/Staged%'")).length, 0);
  });

  it('IMP-03 REF-05 REF-07 a document that violates its schema is a Validation Error with line and element, and nothing is saved', async () => {
    const before = await count('process');
    const answer = await byObject(
      'poc',
      collection([`\n${item(900)}`, `\n${item(901).replace('<Status>Open</Status>', '<Status>Ajar</Status>')}`]),
    );
    assert.deepEqual([answer.status, answer.success], ['Validation Error', 0]);
    assert.match(answer.results[0]?.message ?? '', /^Line 4: \/ImportCollection\/POCItem\[2\]\/Status: .*"Ajar"/);
    assert.equal(await count('process'), before);
    assert.notEqual(
      (await on.admin.get(`/api/importfile/corrections?ID=${answer.id}`)).status,
      200,
      'nothing was imported: the whole file must be sent again',
    );
  });

  it('REF-01 REF-13 IMP-01 an Async template returns the import file, and the run follows later as the same user', async () => {
    await withTemplate('MFR', { Async: true }, async () => {
      const loan = nextLoan();
      const answer = await firm.caller.post(
        '/api/import/mfr?PreTransform_FileName=later.xml',
        collection(
          bankruptcyItem('MFR', { loan, subscriberId: 'later', reference: 'later', rest: attachment(3) }),
          'later batch',
        ),
        { 'Content-Type': 'text/xml' },
      );
      assert.equal(answer.status, 200, answer.text);
      assert.match(answer.text, /<ImportFileItem>[\s\S]*<ImportFile>later\.xml<\/ImportFile>/);
      const id = Number(/<ImportFileID>(\d+)/.exec(answer.text)?.[1]);
      assert.equal((await ended(id))['Status'], 'Complete');
      assert.deepEqual(
        (await firm.search('importfile/search?Reference=later+batch')).map((r) => r['ImportFileID']),
        [id],
      );
      const reported = readAnswer(200, (await firm.caller.get(`/api/import/result?ID=${id}`)).text);
      assert.deepEqual([reported.status, reported.of('Bankruptcy')[0]?.reference], ['Complete', 'later']);
      assert.equal(
        (await firm.search(`bankruptcy/search?BankruptcyID=${reported.caseId}`))[0]?.['OrganizationID'],
        firm.organizationId,
      );
      assert.equal((await other.caller.get(`/api/import/result?ID=${id}`)).status, 404);
      const update = await firm.send('mfrupdate', updateOf('later', '<Status>On Hold</Status>', 'MFR'));
      assert.equal(update.caseId, reported.caseId, "its SubscriberID is in the firm's view");
      const broken = await firm.caller.post('/api/import/mfr', '<ImportCollection/>', { 'Content-Type': 'text/xml' });
      assert.deepEqual([broken.status, readAnswer(500, broken.text).status], [500, 'Validation Error']);
    });
    assert.equal((await firm.send('mfr', referral('MFR'))).status, 'Complete');
  });

  it("IMP-02 IMP-14 IMP-21 a template's own status, threshold and allowed operations apply to the referral interface too", async () => {
    await withTemplate('POC', { OnCompleteStatus: 'Filed' }, async () => {
      const answer = await firm.send('poc', referral('POC'));
      assert.deepEqual([answer.http, answer.status], [200, 'Complete'], answer.text);
      assert.equal((await firm.search(`importfile/search?ImportFileID=${answer.id}`))[0]?.['Status'], 'Filed');
    });
    await withTemplate('POC', { ImportOperationsAllowed: 1 }, async () => {
      const loan = nextLoan();
      const made = await firm.send('poc', referral('POC', { loan, subscriberId: 'insert only' }));
      assert.equal(made.http, 200, made.text);
      const refused = await firm.send('poc', referral('POC', { loan, subscriberId: 'insert only', status: 'On Hold' }));
      assert.deepEqual([refused.http, refused.reported.slice(-1)], [500, ['Bankruptcy Save Error']]);
      assert.match(refused.results[0]?.message ?? '', /^ImportOperationsAllowed: the item would change a record/);
      assert.equal((await firm.search(`bankruptcy/search?BankruptcyID=${made.caseId}`))[0]?.['Status'], 'Open');
    });
    await withTemplate('POC', { FailureThreshold: '0' }, async () => {
      const cases = await count('process');
      const answer = await firm.send(
        'poc',
        collection([bankruptcyItem('POC', { loan: 'ABC' }), bankruptcyItem('POC')]),
      );
      assert.deepEqual([answer.http, answer.status], [500, 'Error']);
      assert.equal(await count('process'), cases, 'the second item was not started');
    });
  });

  it('REF-01 a name that no longer belongs to a template is Unrecognized, even one of the nine operations', async () => {
    const ID = await templateId('Document');
    const rename = async (name: string): Promise<void> =>
      assert.equal((await on.admin.post('/api/importfiletemplate/save', { ID, ImportFileTemplate: name })).status, 200);
    await rename('Papers');
    const answer = await firm.send('document', collection(standAloneItem('AttachmentItem', 'Foreclosure', 'x', '')));
    await rename('Document');
    assert.deepEqual([answer.http, answer.results[0]?.message], [500, 'Unrecognized Template']);
    assert.equal((await firm.send('document', '<ImportCollection/>')).status, 'Validation Error');
  });

  it('REF-01 another template can be called by its name, ignoring case and spaces, also a referral template under another name', async () => {
    const saved = await on.admin.post('/api/importfiletemplate/save?Output=Json', {
      ImportFileTemplate: 'Claims North',
      AppliesTo: 'Bankruptcy',
      ExtranetEnabled: 'Self',
      ImportEngine: 'ReferralEngine',
      ParameterString: 'Operation=POC&LogCategory=Claims&FailureLogCategory=Lost claims',
    });
    assert.equal(saved.status, 200, saved.text);
    const answer = await firm.send('claimsnorth', referral('POC'));
    assert.deepEqual(
      [answer.http, answer.status, answer.of('Bankruptcy')[0]?.operation],
      [200, 'Complete', 'Insert'],
      answer.text,
    );
    const failed = await firm.send('CLAIMS%20north', referral('POC', { loan: 'ABC' }));
    const categories = async (id: number): Promise<unknown[]> => [
      ...new Set((await firm.search(`importlog/search?ImportFileID=${id}`)).map((r) => r['LogCategory'])),
    ];
    assert.deepEqual([await categories(answer.id), await categories(failed.id)], [['Claims'], ['Lost claims']]);
    const requested = await firm.caller.get('/api/import/claimsnorth');
    assert.deepEqual([requested.status, requested.text.includes('MISSING_PARAMETER')], [400, true]);
  });

  it("documents are checked against the installation's investor", async () => {
    await setSetting(on.admin, 'InvestorName', 'Granby Trust');
    try {
      assert.equal((await byObject('foreclosure', collection(foreclosureItem()))).status, 'Validation Error');
      assert.equal(
        (
          await byObject(
            'foreclosure',
            collection(foreclosureItem()).replace('<Agency>INVESTOR', '<Agency>Granby Trust'),
          )
        ).status,
        'Complete',
      );
    } finally {
      await setSetting(on.admin, 'InvestorName', 'INVESTOR');
    }
  });

  it('REF-02 housekeeping that ends interrupted submissions leaves runs alone, which continue on their own', async () => {
    const { id } = await byObject('poc', collection(item(950)));
    await store.query(
      `update importfile set status = 'Importing', importcomplete = null, createddate = createddate - interval
        '2 hours' where importfileid = $1::bigint`,
      [id],
    );
    await store.query(
      "update importlog set createddate = createddate - interval '2 hours' where importfileid = $1::bigint",
      [id],
    );
    assert.equal(await failInterruptedImports.run(on.platform), 0);
    assert.equal((await on.admin.post(`/api/importfile/import?ID=${id}`)).status, 200);
    assert.equal((await ended(id))['Status'], 'Complete');
    assert.equal((await store.query("select 1 from objectsubscription where subscriberid = 'engine-950'")).length, 1);
  });
});
