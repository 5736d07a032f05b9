import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  generatorConformance,
  noDocuments,
  type GeneratorSubject,
} from '../../../../src/contracts/conformance/generator.ts';
import type { FileContent } from '../../../../src/contracts/file-content.ts';
import type { DataShape } from '../../../../src/contracts/generator.ts';
import type { TreeNode } from '../../../../src/kernel/door/answer.ts';
import { f } from '../../../../src/kernel/declare/field.ts';
import type { Field } from '../../../../src/kernel/declare/field-types.ts';
import { PlatformError } from '../../../../src/kernel/door/errors.ts';
import { DOCX_TYPE, docxFile, entryOf, fileOf, merge, partOf, textIn } from '../../../support/mail-merge.ts';
import { mailMergeGenerator } from '../../../../src/providers/generator/mail-merge/mail-merge-generator.ts';

const html = (text: string): FileContent => fileOf(Buffer.from(text), 'text/html');

const p = (...runs: string[]): string => `<w:p>${runs.map((text) => `<w:r><w:t>${text}</w:t></w:r>`).join('')}</w:p>`;
const cell = (...content: string[]): string => `<w:tc><w:tcPr/>${content.join('')}</w:tc>`;
const row = (...cells: string[]): string => `<w:tr>${cells.join('')}</w:tr>`;

const leaf = (name: string, value: unknown, field: Field = f.text({ doc: name })): TreeNode => ({ name, value, field });
const data: TreeNode = {
  name: 'ForeclosureItem',
  children: [
    leaf('Foreclosure', 'A-1'),
    leaf('State', 'TX'),
    leaf('Amount', '1234567890123456.70', f.money({ doc: 'An amount.' })),
    leaf('Filed', '2026-03-09', f.date({ doc: 'A date.' })),
    leaf('Received', '2026-03-10T03:30:00.000Z', f.timestamp({ doc: 'A time.' })),
    leaf('Contested', false, f.boolean({ doc: 'Whether.' })),
    leaf('Hostile', '<b>&{State}\u0001\n"two"'),
    { name: 'Loan', children: [leaf('Number', '77')] },
    {
      name: 'Contacts',
      list: true,
      children: [
        { name: 'ContactItem', children: [leaf('LastName', 'Miller'), leaf('State', 'FL')] },
        { name: 'ContactItem', children: [leaf('LastName', 'Ng')] },
      ],
    },
    { name: 'Empty', list: true, children: [] },
  ],
};

const shapeOf = (
  fields: readonly string[],
  lists: Readonly<Record<string, DataShape>> = {},
  links: Readonly<Record<string, DataShape>> = {},
): DataShape => ({
  fields: fields.map((name) => ({ name, field: f.text({ doc: name }) })),
  links: new Map(Object.entries(links).map(([name, shape]) => [name, () => shape])),
  lists: new Map(Object.entries(lists).map(([name, shape]) => [name, () => shape])),
});
const shape = shapeOf(
  ['Foreclosure', 'State', 'Amount', 'Filed'],
  { Contacts: shapeOf(['LastName', 'State']) },
  { Loan: shapeOf(['Number']) },
);

const mergedHtml = async (text: string): Promise<string> => Buffer.from(await merge(html(text), data)).toString();

const mergedBody = async (body: string): Promise<string> =>
  (await partOf(await merge(await docxFile(body), data), 'document')).replace(/^.*<w:body>|<\/w:body>.*$/gs, '');

describe('the merge language', () => {
  it('DOC-02 fills in fields, through links, ignoring case, and leaves other braces alone', async () => {
    assert.equal(await mergedHtml('{foreclosure} {Loan.Number} {Missing}'), 'A-1 77 ');
    const other = 'a { } {1} {"a":1} {color:red} <style>p {x}</style> { } }';
    assert.equal(await mergedHtml(other), other);
  });
  it('DOC-02 writes values by their type, for the locale, and exactly', async () => {
    assert.equal(await mergedHtml('{Amount}'), '$1,234,567,890,123,456.70');
    assert.equal(
      await mergedHtml('{Filed} {Filed | date:M/d/yy} {Filed|date:"EEEE, MMM dd"}'),
      'March 9, 2026 3/9/26 Monday, Mar 09',
    );
    assert.equal(await mergedHtml('{Received | date:yyyy-MM-dd HH:mm}'), '2026-03-09 23:30');
    assert.equal(await mergedHtml('{@today} {#Contacts}{@TODAY|date:M/d}{/}'), 'March 9, 2026 3/93/9');
    assert.equal(await mergedHtml('{Contested} {State | lower} {Missing | default:"none"}'), 'No tx none');
  });
  it('DOC-02 repeats sections for each item, and looks names up outward', async () => {
    assert.equal(
      await mergedHtml('{#Contacts}{@index} {LastName} {State} {Foreclosure}{^@last}, {/}{/Contacts}'),
      '1 Miller FL A-1, 2 Ng TX A-1',
    );
    assert.equal(await mergedHtml('[{#Empty}x{/Empty}{^Empty}none{/Empty}]'), '[none]');
    assert.equal(await mergedHtml('{#Loan}{Number}{/Loan}'), '77');
  });
  it('DOC-02 shows a section on a condition', async () => {
    assert.equal(
      await mergedHtml('{#State = "tx"}a{/State}{#State != “TX”}b{/}{#Amount > 5}c{/}{#Contested}d{/}'),
      'ac',
    );
  });
  it('DOC-02 escapes values, and never reads one as template', async () => {
    assert.equal(await mergedHtml('{Hostile}'), '&lt;b&gt;&amp;{State}\u0001<br>&quot;two&quot;');
    const body = await mergedBody(p('{Hostile}'));
    assert.match(body, /&lt;b&gt;&amp;\{State\}<\/w:t><w:br\/><w:t xml:space="preserve">"two"/);
  });
});

describe('problems of templates', () => {
  const problems = async (text: string): Promise<readonly string[]> =>
    ((await mailMergeGenerator.check?.(html(text), shape)) ?? []).map(({ text: problem, place, similar = [] }) =>
      `${place ?? ''}: ${problem} ${similar.join(' ')}`.trim(),
    );
  it('DOC-14 name the tag, its place, what was expected and the nearest names', async () => {
    assert.deepEqual(await problems('<p>\n{Forclosure}'), [
      'line 2: {Forclosure} names no field of the data. Foreclosure',
    ]);
    assert.deepEqual(await problems('{#Contacts}{LastNme}{/Contacts}'), [
      'line 1: {LastNme} names no field of the data. LastName',
    ]);
    assert.deepEqual(await problems('{Loan.Numbr}'), ['line 1: {Loan.Numbr} names no field of the data. Loan.Number']);
    assert.deepEqual(await problems('{Lon.Number}'), ['line 1: {Lon.Number} names no field of the data. Loan.Number']);
    assert.deepEqual(await problems('{Contacts}'), [
      'line 1: {Contacts} names a collection: repeat its items with {#Contacts}…{/}.',
    ]);
    assert.match((await problems('{#State == "TX"}x{/}'))[0] ?? '', /unknown operator; expected =, !=/);
    assert.match((await problems('{State | mony}'))[0] ?? '', /unknown format "mony"; expected date, money/);
    assert.match((await problems('{Last Name}'))[0] ?? '', /has a blank/);
    assert.match((await problems('Dear {State, and'))[0] ?? '', /is not closed/);
  });
  it('DOC-14 name sections that never end, never began, or cross', async () => {
    assert.match((await problems('{#Contacts}x'))[0] ?? '', /never ended/);
    assert.match((await problems('x{/Contacts}'))[0] ?? '', /has not begun/);
    assert.match((await problems('{#Contacts}{#State}{/Contacts}{/State}'))[0] ?? '', /before \{#State\}/);
  });
  it('DOC-14 name the part and the paragraph of a Word document', async () => {
    const file = await docxFile(p('fine') + p('{Stat}'), { header1: `<w:hdr xmlns:w="w">${p('{Nme}')}</w:hdr>` });
    const found = (await mailMergeGenerator.check?.(file, shape)) ?? [];
    assert.deepEqual(
      found.map(({ place, tag }) => [place, tag]),
      [
        ['paragraph 2', '{Stat}'],
        ['header 1, paragraph 1', '{Nme}'],
      ],
    );
  });
  it('DOC-14 DOC-01 a file that is none, is cut off or unpacks to too much is refused with its reason', async () => {
    const bad = async (bytes: Buffer): Promise<string> => {
      const error = await merge(fileOf(bytes, DOCX_TYPE), data).then(
        () => undefined,
        (found: unknown) => found,
      );
      assert.ok(error instanceof PlatformError && error.code === 'BAD_TEMPLATE', String(error));
      return error.message;
    };
    assert.match(await bad(Buffer.from('no zip')), /not a Word document/);
    const whole = await docxFile(p('x'));
    const bytes: Uint8Array[] = [];
    for await (const piece of whole.open()) bytes.push(piece);
    await bad(Buffer.concat(bytes).subarray(0, 300));
    const bomb = Buffer.concat(bytes);
    // The directory says that the first file unpacks to 2 GB.
    bomb.writeUInt32LE(0x7fff_ffff, bomb.indexOf('PK\u0001\u0002') + 24);
    assert.match(await bad(bomb), /unpacks to more than/);
  });
});

describe('Word documents', () => {
  it('DOC-02 tags that the word processor has split into runs are found, and keep the format of their first run', async () => {
    const body = await mergedBody(
      '<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>No {Fore</w:t></w:r><w:proofErr w:type="spellStart"/><w:ins w:id="1">' +
        '<w:r><w:t>clos</w:t></w:r></w:ins><w:r><w:t>ure}!</w:t></w:r></w:p>',
    );
    assert.equal(textIn(body), 'No A-1!');
    assert.match(body, /<w:r><w:rPr><w:b\/><\/w:rPr><w:t xml:space="preserve">A-1<\/w:t><\/w:r>/);
  });
  it('DOC-02 sections repeat runs, paragraphs or rows, by where their tags stand', async () => {
    assert.equal(textIn(await mergedBody(p('{#Contacts}{LastName};{/Contacts} end'))), 'Miller;Ng; end');
    assert.equal(
      textIn(await mergedBody(p('{#Contacts}') + p('{LastName}') + p('{/Contacts}') + p('end'))),
      'Miller|Ng|end',
    );
    const table = await mergedBody(
      `<w:tbl>${row(cell(p('Name')))}${row(cell(p('{#Contacts}{LastName}')), cell(p('{State}{/Contacts}')))}</w:tbl>`,
    );
    assert.equal((table.match(/<w:tr>/g) ?? []).length, 3);
    assert.equal(textIn(table), 'Name|Miller|FL|Ng|TX');
  });
  it('DOC-02 a repetition of nothing leaves no table without rows, and no cell without a paragraph', async () => {
    const rows = `<w:tbl><w:tblPr/>${row(cell(p('{#Empty}x')), cell(p('{/Empty}')))}</w:tbl>`;
    assert.equal(await mergedBody(rows + p('end')), await mergedBody(p('end')));
    const inCell = await mergedBody(`<w:tbl>${row(cell(p('{#Empty}'), p('x'), p('{/Empty}')))}</w:tbl>`);
    assert.match(inCell, /<w:p\/><\/w:tc>/);
  });
  it('DOC-02 nothing that must be unique is repeated', async () => {
    const body = await mergedBody(
      p('{#Contacts}') +
        '<w:p w14:paraId="1"><w:bookmarkStart w:id="1" w:name="a"/>' +
        '<w:r><w:drawing><wp:docPr id="7" name="x"/></w:drawing></w:r><w:bookmarkEnd w:id="1"/></w:p>' +
        p('{/Contacts}'),
    );
    assert.doesNotMatch(body, /bookmark|paraId/);
    const ids = [...body.matchAll(/docPr id="(\d+)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, 2);
  });
  it('DOC-02 text boxes, headers and nested tables are filled in too', async () => {
    const inBox = `<w:r><w:pict><w:txbxContent>${p('{Foreclosure}')}</w:txbxContent></w:pict></w:r>`;
    const box = `<w:p>${inBox}<w:r><w:t>{State}</w:t></w:r></w:p>`;
    assert.match(textIn(await mergedBody(box)), /A-1\|TX/);
    const made = await merge(await docxFile(p('x'), { header1: `<w:hdr xmlns:w="w">${p('{State}')}</w:hdr>` }), data);
    assert.equal(textIn(await partOf(made, 'header1')).trim(), 'TX');
    const inner = `<w:tbl>${row(cell(p('{#Contacts}{LastName}')), cell(p('{/Contacts}')))}</w:tbl>`;
    const nested = `<w:tbl>${row(cell(inner, p('y')))}</w:tbl>`;
    assert.match(textIn(await mergedBody(nested)), /Miller\|\|Ng\|\|y/);
  });
});

/** A picture of two by one pixels. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAEElEQVR4nGP4z8DAwPCfAQAHAAH/yXqQ2wAAAABJRU5ErkJggg==',
  'base64',
);

describe('pictures', () => {
  const link = f.id({ doc: 'A document.', to: 'Attachment' });
  const tree: TreeNode = {
    name: 'Item',
    children: [
      leaf('LogoID', 7, link),
      leaf('NoneID', null, link),
      leaf('TextID', 8, link),
      leaf('State', 'TX'),
      { name: 'Signature', children: [leaf('AttachmentID', 7)] },
      {
        name: 'Photos',
        list: true,
        children: [7, 9].map((id) => ({ name: 'PhotoItem', children: [leaf('AttachmentID', id)] })),
      },
    ],
  };
  const opened: number[] = [];
  const document = (id: number): Promise<FileContent> => {
    opened.push(id);
    if (id === 8) return Promise.resolve(fileOf(Buffer.from('text'), 'text/plain'));
    return Promise.resolve({ ...fileOf(picture, 'image/png'), fileName: `<${id}>.png` });
  };
  const made = (template: FileContent): Promise<Uint8Array> => merge(template, { kind: 'tree', tree, document });

  it('DOC-02 are documents that the data name, in a Word document once each, with a relationship and a type', async () => {
    opened.length = 0;
    const file = await docxFile(p('{%LogoID | width:4cm} {%NoneID}{#Photos}{%AttachmentID}{/}'), {
      header1: `<w:hdr xmlns:w="w">${p('{%Signature | width: 1in | height:36pt}')}</w:hdr>`,
    });
    const bytes = await made(file);
    assert.deepEqual(opened, [7, 9]);
    const body = await partOf(bytes, 'document');
    // 4 cm are 1,440,000 units; half as high as wide. Two pixels are 1.5 points.
    assert.match(body, /<wp:extent cx="1440000" cy="720000"\/>/);
    assert.equal((body.match(/<wp:extent cx="19050" cy="9525"\/>/g) ?? []).length, 2);
    assert.match(body, /descr="&lt;7&gt;\.png"/);
    assert.equal(new Set([...body.matchAll(/docPr id="(\d+)"/g)].map(([, id]) => id)).size, 3);
    assert.deepEqual(
      [...new Set([...body.matchAll(/r:embed="(\w+)"/g)].map(([, id]) => id))],
      ['document7', 'document9'],
    );
    assert.match(await partOf(bytes, 'header1'), /<wp:extent cx="914400" cy="457200"\/>/);
    const relationships = await entryOf(bytes, 'word/_rels/header1.xml.rels');
    assert.match(String(relationships), /Id="document7"[^>]*\/image" Target="\/word\/media\/document7.png"/);
    assert.deepEqual(await entryOf(bytes, 'word/media/document7.png'), picture);
    assert.match(
      String(await entryOf(bytes, '[Content_Types].xml')),
      /<Default Extension="png" ContentType="image\/png"\/>/,
    );
  });
  it('DOC-02 are inside an HTML document', async () => {
    const text = Buffer.from(await made(html('{%Signature}{#Photos}{%AttachmentID | height:3pt}{/}'))).toString();
    const source = `data:image/png;base64,${picture.toString('base64')}`;
    assert.equal(text.split(source).length, 4);
    assert.match(text, /alt="&lt;7&gt;.png" style="width:1.5pt;height:0.8pt"/);
    assert.match(text, /width:6.0pt;height:3.0pt/);
  });
  it('DOC-14 of a field that names no document, or of a document that is no picture, are refused', async () => {
    await assert.rejects(made(html('{%State}')), { code: 'BAD_TEMPLATE', message: /\{%State\} is not a picture/ });
    await assert.rejects(made(html('{%TextID}')), {
      code: 'STATE_REFUSES',
      message: /document 8.*is text\/plain; expected/,
    });
    const found = (await mailMergeGenerator.check?.(html('{%State} {%Foreclosure | width:3}'), shape)) ?? [];
    assert.deepEqual(
      found.map(({ text }) => text.replace(/[:;].*/, '')),
      ['{%Foreclosure | width', '{%State} is not a picture'],
    );
    const pictures = shapeOf(
      ['AttachmentID'],
      { Photos: shapeOf(['AttachmentID']) },
      { Logo: shapeOf(['AttachmentID']) },
    );
    assert.deepEqual(
      await mailMergeGenerator.check?.(html('{%Logo}{%AttachmentID}{#Photos}{%AttachmentID}{/}'), pictures),
      [],
    );
  });
});

const subject: GeneratorSubject = {
  generator: mailMergeGenerator,
  data: { kind: 'tree', tree: data, document: noDocuments },
  template: await docxFile(p('{Hostile} {#Contacts}{LastName}{/Contacts}')),
  brokenTemplate: await docxFile(p('{#Contacts}')),
  async read(bytes) {
    assert.match(await partOf(bytes, 'document'), /MillerNg|Miller<.*Ng</);
  },
};

describe('MailMergeGenerator', () => {
  for (const { title, check } of generatorConformance) it(`DOC-02 ${title}`, () => check(subject));
});

describe('templates that would take all time or memory', () => {
  const problem = (code: string) => (error: unknown) => error instanceof PlatformError && error.code === code;
  const nested = (depth: number): string => '{#Contacts}'.repeat(depth) + 'x' + '{/}'.repeat(depth);

  it('DOC-01 are refused while they are filled in: sections within each other multiply', async () => {
    const table = `<w:tbl>${row(cell(p(nested(40))))}</w:tbl>`;
    await assert.rejects(merge(await docxFile(table), data), problem('TOO_LARGE'));
    assert.equal(String(await merge(html(nested(3)), data)), 'xxxxxxxx');
  });

  it('DOC-01 are refused before: too many tags, and Word documents of too many or too deep elements', async () => {
    const refused = async (template: FileContent): Promise<void> =>
      assert.rejects(async () => mailMergeGenerator.check?.(template, undefined), problem('BAD_TEMPLATE'));
    await refused(html('{State}'.repeat(20_000)));
    await refused(html('{a "'.repeat(1_000_000)));
    await refused(await docxFile(p('{State}').repeat(20_000)));
    await refused(await docxFile('<w:p/>'.repeat(600_000)));
    await refused(await docxFile('<w:a>'.repeat(1_000) + '</w:a>'.repeat(1_000)));
  });

  it('DOC-01 are checked although styles and comments begin that never end', async () => {
    const found = await mailMergeGenerator.check?.(html(`${'<style><!--'.repeat(300_000)}{State`), undefined);
    assert.equal(found?.length, 1);
  });
});
