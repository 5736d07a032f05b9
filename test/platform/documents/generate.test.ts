import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { FILE_OBJECT } from '../../../src/contracts/file-object.ts';
import { client } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
const firm = await p.firm('Alder Law');
const other = await p.firm('Birch Law');
const { ForeclosureID } = await admin.save('foreclosure', {
  Foreclosure: 'A-1',
  OrganizationID: firm.organizationId,
  Contacts: [
    { LastName: 'Miller', FirstName: 'Ann' },
    { LastName: 'O"Neil', FirstName: 'Bo, Jr.' },
  ],
});
const onCase = { Object: 'Foreclosure', ObjectID: ForeclosureID };

/** Saves a document type and returns its id. */
async function documentType(name: string, fields: object): Promise<number> {
  const { AttachmentTemplateID } = await admin.save('attachmenttemplate', { AttachmentTemplate: name, ...fields });
  return Number(AttachmentTemplateID);
}

async function fileOf(attachmentId: unknown): Promise<string> {
  const answer = await p.admin.get(`/api/attachment/download?ID=${String(attachmentId)}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.text;
}

describe('attachment/generate', async () => {
  await documentType('Contact list', {
    AppliesTo: 'Foreclosure',
    AttachmentService: 'DelimitedGenerator',
    Options: 'Delimiter=;&LineEnd=LF',
    Method: 'Contact/Search?Object=Foreclosure&ObjectID={ForeclosureID}&LastName={Name}&OrderBy=ContactID',
  });

  it('DOC-01 DOC-14 fetches the data of the Method, runs the generator, and saves the file on the record', async () => {
    const made = await admin.expectOk('attachment/generate', { Template: 'Contact list', ...onCase, Name: 'Miller' });
    assert.deepEqual(
      [made['Object'], made['ObjectID'], made['FileName'], made['Attachment'], made['MimeType']],
      ['Foreclosure', ForeclosureID, 'Contact list.csv', 'Contact list.csv', 'text/csv'],
    );
    const text = await fileOf(made['AttachmentID']);
    assert.match(text, /^[^\n]*LastName[^\n]*\n[^\n]*Miller[^\n]*\n$/);
  });

  it('DOC-01 delimited text has no formulas, unless the type writes text unchanged', async () => {
    const formula = '=HYPERLINK("http://attacker.example")';
    const { ForeclosureID: ObjectID } = await admin.save('foreclosure', { Foreclosure: 'Formulas' });
    const onOther = { Object: 'Foreclosure', ObjectID };
    await admin.save('contact', { ...onOther, LastName: formula, Sequence: -7 });
    const type = (name: string, Options: string): Promise<unknown> =>
      documentType(name, {
        AppliesTo: 'Foreclosure',
        AttachmentService: 'DelimitedGenerator',
        Options,
        Method: 'Contact/Search?Object=Foreclosure&ObjectID={ForeclosureID}&SqlColumns=LastName,Sequence',
      });
    const written = async (Template: string): Promise<string> =>
      fileOf((await admin.expectOk('attachment/generate', { Template, ...onOther }))['AttachmentID']);
    await type('For people', 'LineEnd=LF');
    assert.equal(await written('For people'), `LastName,Sequence\n"'=HYPERLINK(""http://attacker.example"")",-7\n`);
    await type('For programs', 'LineEnd=LF&Literal=true&Delimiter=Tab&Header=false');
    assert.equal(await written('For programs'), `"=HYPERLINK(""http://attacker.example"")"\t-7\n`);
  });

  it('DOC-01 is also called by GET, by the id of the type, and with a file name', async () => {
    const id = await documentType('Case data', { AttachmentService: 'DelimitedGenerator' });
    const answer = await p.admin.get(
      `/api/attachment/generate?Output=Json&TemplateID=${id}&FileName=a.csv` +
        `&Object=Foreclosure&ObjectID=${String(ForeclosureID)}`,
    );
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json()['FileName'], 'a.csv');
    // Without a Method, the data are the record's own.
    assert.match(await fileOf(answer.json()['AttachmentID']), /^[^\n]*Foreclosure[^\n]*\r\n[^\n]*A-1/);
  });

  it('DOC-14 stores the file in the location that the type names', async () => {
    await admin.save('fileobject', { FileObject: 'Archive', FileObjectType: 'database' });
    const id = await documentType('Archived', {
      AttachmentService: 'DelimitedGenerator',
      FileObjectAssembly: 'archive',
    });
    const made = await admin.expectOk('attachment/generate', { TemplateID: id, ...onCase });
    assert.equal(String(made['FileObject']).toLowerCase(), 'archive');
    assert.match(await fileOf(made['AttachmentID']), /A-1/);
  });

  it('DOC-02 combines documents that the caller names, each under its own name', async () => {
    await documentType('Package', { AttachmentService: 'ZipGenerator' });
    const ids: unknown[] = [];
    for (const text of ['one', 'two']) {
      const Content = Buffer.from(text).toString('base64');
      ids.push((await admin.save('attachment', { ...onCase, FileName: 'letter.txt', Content }))['AttachmentID']);
    }
    const made = await admin.expectOk('attachment/generate', { Template: 'Package', ...onCase, AttachmentID: ids });
    assert.equal(made['MimeType'], 'application/zip');
    const text = await fileOf(made['AttachmentID']);
    assert.ok(text.includes('letter.txt') && text.includes('letter (2).txt'));
    await admin.expectRefused('attachment/generate', { Template: 'Package', ...onCase }, 'MISSING_PARAMETER', 'ID');
    const foreign = client(p, other.caller);
    await foreign.expectRefused('attachment/generate', { Template: 'Package', AttachmentID: ids }, 'NO_PERMISSION');
  });

  it('DOC-01 names the field and what was expected in each refusal', async () => {
    const plain = await documentType('Uploaded', {});
    const refuse = (sent: object, code: string, field?: string) =>
      admin.expectRefused('attachment/generate', { ...onCase, ...sent }, code, field);
    await refuse({}, 'MISSING_PARAMETER', 'Template');
    assert.match((await refuse({ Template: 'Contact lst' }, 'BAD_PARAMETER', 'Template')).message, /Contact list/);
    await refuse({ TemplateID: 999_999 }, 'BAD_PARAMETER', 'TemplateID');
    assert.match((await refuse({ TemplateID: plain }, 'STATE_REFUSES', 'Template')).message, /DelimitedGenerator/);
    await refuse({ Template: 'Contact list', FileName: '../x' }, 'BAD_PARAMETER', 'FileName');
    await refuse({ Template: 'Contact list', ObjectID: 999_999 }, 'NOT_FOUND', 'ObjectID');
    await admin.expectRefused('attachment/generate', { Template: 'Case data' }, 'MISSING_PARAMETER', 'ObjectID');
    assert.match((await refuse({ Template: 'Contact list', Nmae: 'x' }, 'UNKNOWN_PARAMETER', 'Nmae')).message, /Name/);
  });

  it('DOC-14 a document type takes only generators, locations and options that exist', async () => {
    const refuse = (fields: object, code: string, field?: string) =>
      admin.expectRefused('attachmenttemplate/save', { AttachmentTemplate: 'Wrong', ...fields }, code, field);
    assert.match(
      (await refuse({ AttachmentService: 'DelimitedGenrator' }, 'UNKNOWN_PROVIDER')).message,
      /Did you mean/,
    );
    await refuse({ FileObjectAssembly: 'Nowhere' }, 'UNKNOWN_PROVIDER');
    await refuse({ AttachmentService: 'DelimitedGenerator', Options: 'Delimeter=;' }, 'BAD_PARAMETER', 'Options');
    const generators = await admin.expectRows('attachmenttemplate/generators');
    assert.deepEqual(
      generators.map(({ Generator }) => Generator).filter((name) => /^(?:Delimited|Zip)/.test(String(name))),
      ['DelimitedGenerator', 'ZipGenerator'],
    );
    const delimited = generators.find(({ Generator }) => Generator === 'DelimitedGenerator');
    assert.match(String(delimited?.['OptionTypes']), /^Header: boolean\nLineEnd: choice of CRLF, LF$/m);
    assert.match(String(delimited?.['OptionDefaults']), /Header=true&LineEnd=CRLF/);
  });

  it('DOC-14 a Method names an operation that only reads, and parameters that it has', async () => {
    const refuse = async (Method: string, code: string): Promise<string> =>
      (
        await admin.expectRefused(
          'attachmenttemplate/save',
          { AttachmentTemplate: 'Wrong', Method },
          code,
          code === 'BAD_SIGNATURE' ? 'Method' : undefined,
        )
      ).message;
    assert.match(await refuse('Contcat/Search', 'BAD_SIGNATURE'), /no module Contcat.*Did you mean contact/i);
    assert.match(await refuse('Contact/Serch', 'BAD_SIGNATURE'), /no operation Serch.*Did you mean Search/i);
    assert.match(await refuse('Contact/Search?LastNme={Name}', 'BAD_SIGNATURE'), /LastNme.*LastName/);
    assert.match(await refuse('Contact/Save?ID={ContactID}', 'BAD_SIGNATURE'), /changes records.*only reads/);
    assert.match(await refuse('Contact', 'BAD_SIGNATURE'), /\{ClassName\}\/\{Operation\}/);
  });

  it('DOC-01 refuses a type that is for other records, and leaves no staged file behind', async () => {
    const id = await documentType('On loans', { AppliesTo: 'Loan', AttachmentService: 'DelimitedGenerator' });
    const refusal = await admin.expectRefused(
      'attachment/generate',
      { TemplateID: id, ...onCase },
      'BAD_PARAMETER',
      'TemplateID',
    );
    assert.match(refusal.message, /Loan/);
    const staged: string[] = [];
    for await (const path of p.platform.providers.get(FILE_OBJECT, 'Local').list('/Staged')) staged.push(path);
    assert.deepEqual(staged, []);
  });
});

describe('attachmenttemplate/check and fields', async () => {
  const id = await documentType('Letter', { AttachmentService: 'MailMergeGenerator', AppliesTo: 'Foreclosure' });

  it('DOC-14 a type without template has no problems; a document is checked before it becomes the template', async () => {
    assert.deepEqual(await admin.expectRows('attachmenttemplate/check', { ID: id }), []);
    const text = '<p>{Foreclosure}\n{Forclosure}\n{#Contacts}{LastNme}</p>';
    const { AttachmentID } = await admin.save('attachment', {
      ...onCase,
      FileName: 'letter.html',
      Content: Buffer.from(text).toString('base64'),
    });
    const found = await admin.expectRows('attachmenttemplate/check', { ID: id, DocumentID: AttachmentID });
    assert.deepEqual(
      found.map(({ Place, Tag, Similar, Warning }) => [Place, Tag, Similar?.toString().split(' ')[0], Warning]),
      [
        ['line 3', '{#Contacts}', undefined, false],
        ['line 2', '{Forclosure}', 'Foreclosure', false],
        ['line 3', '{LastNme}', 'LastName', false],
      ],
    );
    assert.match(String(found[1]?.['Problem']), /names no field of the data/);
  });

  it('DOC-14 fields are those of the record, its links and its collections, one level at a time', async () => {
    const names = async (Path?: string): Promise<readonly unknown[]> =>
      (await admin.expectRows('attachmenttemplate/fields', { ID: id, ...(Path === undefined ? {} : { Path }) })).map(
        ({ Path: path, Kind }) => `${String(path)} ${String(Kind)}`,
      );
    const top = await names();
    for (const expected of ['Foreclosure text', 'Loan record', 'Contacts list'])
      assert.ok(top.includes(expected), expected);
    assert.ok((await names('contacts')).includes('contacts.LastName text'));
    await admin.expectRefused(
      'attachmenttemplate/fields',
      { ID: id, Path: 'Contacts.Nobody' },
      'BAD_PARAMETER',
      'Path',
    );
  });

  it('DOC-14 a picture in the data is read as the caller could download it', async () => {
    const type = await documentType('Photos', { AttachmentService: 'MailMergeGenerator', AppliesTo: 'Foreclosure' });
    await admin.save('attachment', {
      Object: 'AttachmentTemplate',
      ObjectID: type,
      FileName: 'photos.html',
      Content: Buffer.from('{#Attachments}{#FileName = "photo.png"}{%AttachmentID}{/}{/}').toString('base64'),
    });
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAEElEQVR4nGP4z8DAwPCfAQAHAAH/yXqQ2wAAAABJRU5ErkJggg==';
    await admin.save('attachment', { ...onCase, FileName: 'photo.png', Content: png });
    const made = await admin.expectOk('attachment/generate', { TemplateID: type, ...onCase });
    assert.match(await fileOf(made['AttachmentID']), /^<img src="data:image\/png;base64,iVBOR/);
  });
});

describe('attachmenttemplate/preview', () => {
  it('DOC-14 returns the document for a record, and saves nothing', async () => {
    const id = await documentType('Previewed', { AttachmentService: 'DelimitedGenerator' });
    const before = (await admin.expectRows('attachment/search', onCase)).length;
    const answer = await p.admin.get(
      `/api/attachmenttemplate/preview?ID=${id}&Object=Foreclosure&ObjectID=${String(ForeclosureID)}`,
    );
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/csv/);
    assert.match(answer.text, /A-1/);
    assert.equal((await admin.expectRows('attachment/search', onCase)).length, before);
  });
});

describe('templates of document types', () => {
  it('DOC-14 the newest file on the type is filled in, and one with an unknown field is refused with the nearest', async () => {
    const id = await documentType('Notice', { AppliesTo: 'Foreclosure', AttachmentService: 'MailMergeGenerator' });
    const upload = (text: string): object => ({
      Object: 'AttachmentTemplate',
      ObjectID: id,
      FileName: 'notice.html',
      Content: Buffer.from(text).toString('base64'),
    });
    assert.match(
      (await admin.expectRefused('attachment/generate', { TemplateID: id, ...onCase }, 'STATE_REFUSES', 'Template'))
        .message,
      /has no template file/,
    );
    const refusal = await admin.expectRefused('attachment/save', upload('<p>\n{Forclosure}</p>'), 'BAD_TEMPLATE');
    assert.match(refusal.message, /Line 2: \{Forclosure\} names no field of the data\. Did you mean Foreclosure/);
    await admin.save('attachment', upload('<p>First</p>'));
    await admin.save('attachment', upload('{#Contacts}<p>{LastName} of {Foreclosure}</p>{/Contacts}'));
    const made = await admin.expectOk('attachment/generate', { TemplateID: id, ...onCase });
    assert.equal(await fileOf(made['AttachmentID']), '<p>Miller of A-1</p><p>O&quot;Neil of A-1</p>');
  });

  it('DOC-14 a template is checked however it comes: replaced by ID, moved to the type, or restored', async () => {
    const id = await documentType('Replaced', { AppliesTo: 'Foreclosure', AttachmentService: 'MailMergeGenerator' });
    const ofType = { Object: 'AttachmentTemplate', ObjectID: id };
    const file = (text: string): object => ({
      FileName: 'notice.html',
      Content: Buffer.from(text).toString('base64'),
    });
    const wrong = file('<p>{Forclosure}</p>');
    const { AttachmentID: first } = await admin.save('attachment', {
      ...ofType,
      ...file('<p>{ScheduledSaleDate}</p>'),
    });
    const refusal = await admin.expectRefused('attachment/save', { ID: first, ...wrong }, 'BAD_TEMPLATE');
    assert.match(refusal.message, /\{Forclosure\} names no field of the data\. Did you mean Foreclosure/);
    const { AttachmentID: elsewhere } = await admin.save('attachment', { ...onCase, ...wrong });
    await admin.expectRefused('attachment/save', { ID: elsewhere, ...ofType }, 'BAD_TEMPLATE');
    await admin.save('attachment', { ID: first, ...file('<p>{Foreclosure}</p>') });
    const made = await admin.expectOk('attachment/generate', { TemplateID: id, ...onCase });
    assert.equal(await fileOf(made['AttachmentID']), '<p>A-1</p>');
    // The first version names a field of foreclosures, which properties do not have.
    await admin.save('attachmenttemplate', { ID: id, AppliesTo: 'Property' });
    await admin.expectRefused('attachment/restoreversion', { ID: first, Version: 1 }, 'BAD_TEMPLATE');
  });

  it('DOC-14 KRN-21 the documents of a type are changed only by users who may save document types', async () => {
    const id = await documentType('Guarded', { AppliesTo: 'Foreclosure', AttachmentService: 'MailMergeGenerator' });
    const ofType = { Object: 'AttachmentTemplate', ObjectID: id };
    const file = { FileName: 'letter.html', Content: Buffer.from('<p>Pay to {Foreclosure}</p>').toString('base64') };
    const { AttachmentID: first } = await admin.save('attachment', { ...ofType, ...file });
    await admin.save('attachment', { ID: first, ...file, Content: Buffer.from('<p>Second</p>').toString('base64') });
    const staff = client(p, (await p.user('clerk of letters', 'Staff')).caller);
    const analyst = client(p, (await p.user('author of letters', 'Analyst')).caller);
    const { AttachmentID: own } = await staff.save('attachment', { ...onCase, ...file });
    for (const [route, sent] of [
      ['attachment/save', { ...ofType, ...file }],
      ['attachment/save', { ID: own, ...ofType }],
      ['attachment/save', { ID: first, ...file }],
      ['attachment/save', { ID: first, ...onCase }],
      ['attachment/restoreversion', { ID: first, Version: 1 }],
      ['attachment/delete', { ID: first }],
    ] as const)
      assert.match((await staff.expectRefused(route, sent, 'NO_PERMISSION')).message, /AttachmentTemplateSave/);
    const made = await staff.expectOk('attachment/generate', { TemplateID: id, ...onCase });
    assert.equal(await fileOf(made['AttachmentID']), '<p>Second</p>');
    await admin.expectOk('attachment/delete', { ID: first });
    await staff.expectRefused('attachment/undelete', { ID: first }, 'NO_PERMISSION');
    await analyst.save('attachment', { ...ofType, ...file });
  });

  it('DOC-14 KRN-21 files of documents are used only for users who may download them', async () => {
    await admin.save('role', {
      Role: 'Previews only',
      Permissions: 'AttachmentSearch AttachmentTemplateSave AttachmentTemplatePreview ForeclosureSearch',
      UniversalAccess: true,
    });
    const reader = client(p, (await p.user('reader of previews', 'Previews only')).caller);
    const zip = await documentType('Everything', { AttachmentService: 'ZipGenerator' });
    const { AttachmentID } = await admin.save('attachment', { ...onCase, FileName: 'a.txt', Content: 'YQ==' });
    for (const [route, sent] of [
      ['attachmenttemplate/preview', { ID: zip, DocumentID: AttachmentID, ...onCase }],
      ['attachmenttemplate/check', { ID: zip, DocumentID: AttachmentID }],
    ] as const)
      assert.match((await reader.expectRefused(route, sent, 'NO_PERMISSION')).message, /AttachmentDownload/);
  });

  it('DOC-01 users who may not save document types cannot have files read as templates', async () => {
    const firm = client(p, (await p.user('template reader', 'Partner')).caller);
    const { AttachmentTemplateID: ID } = await admin.save('attachmenttemplate', { AttachmentTemplate: 'Not theirs' });
    await firm.expectRefused('attachmenttemplate/check', { ID }, 'NO_PERMISSION');
  });
});
