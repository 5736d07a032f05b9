import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { textReaderConformance, type TextReaderSubject } from '../../../src/contracts/conformance/text-reader.ts';
import { UnreadableFile } from '../../../src/contracts/text-reader.ts';
import { unpackBoxes } from '../../../src/lib/text-search/word-boxes.ts';
import { ReaderProcesses } from '../../../src/providers/text-reader/reader-processes.ts';
import type { FormatName } from '../../../src/providers/text-reader/formats/formats.ts';
import { docxOf, pdfOf, pptxOf, scanOf, xlsxOf, zipOf } from '../../support/documents.ts';

const processes = new ReaderProcesses({ processesMax: 2 });
after(() => processes.stop());

async function textOf(format: FormatName, content: string | Uint8Array): Promise<string> {
  const opened = await processes.reader(format).open({ name: 'file', bytes: Buffer.from(content) });
  try {
    const pages = await opened.pages(1, opened.pageCount);
    return pages.map(({ text }) => text).join('\n');
  } finally {
    await opened.close();
  }
}

const mail = [
  'From: Ada Ellery <ada@example.com>',
  'To: Clerk <clerk@example.com>',
  'Subject: =?utf-8?q?Stip=C3=BAlation?=',
  'Content-Type: multipart/alternative; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'The caf=E9 was sold.',
  '--b--',
].join('\r\n');

const subjects: Readonly<Record<string, Omit<TextReaderSubject, 'reader'> & { readonly format: FormatName }>> = {
  PDF: {
    format: 'Pdf',
    file: { name: 'a.pdf', bytes: await pdfOf('Notice of default', 'second page') },
    words: ['Notice of default', 'second page'],
    pageCount: 2,
    damaged: { name: 'a.pdf', bytes: (await pdfOf('Notice')).subarray(0, 200) },
  },
  DOCX: {
    format: 'Word',
    file: { name: 'a.docx', bytes: await docxOf('Motion & order\nsecond line') },
    words: ['Motion & order', 'second line'],
    damaged: { name: 'a.docx', bytes: (await docxOf('Motion')).subarray(0, 300) },
  },
  XLSX: {
    format: 'Spreadsheet',
    file: {
      name: 'a.xlsx',
      bytes: await xlsxOf({
        Fees: [
          ['Filing', 350],
          ['Recording', 'paid'],
        ],
      }),
    },
    words: ['Fees', 'Filing', '350', 'Recording', 'paid'],
    damaged: { name: 'a.xlsx', bytes: Buffer.from('PK\u0003\u0004 nothing') },
  },
  PPTX: {
    format: 'Presentation',
    file: { name: 'a.pptx', bytes: await pptxOf('First slide', 'Last slide') },
    words: ['First slide', 'Last slide'],
    pageCount: 2,
    damaged: { name: 'a.pptx', bytes: Buffer.from('PK\u0003\u0004 nothing') },
  },
  RTF: {
    format: 'Rtf',
    file: {
      name: 'a.rtf',
      bytes: Buffer.from(
        '{\\rtf1\\ansi\\ansicpg1252{\\fonttbl\\f0 Arial;}{\\*\\generator x;}' +
          "\\f0 Hello \\b World\\b0\\par caf\\'e9 \\u8364? ok}",
      ),
    },
    words: ['Hello World', 'café € ok'],
    damaged: { name: 'a.rtf', bytes: Buffer.from('rtf nothing') },
  },
  mail: {
    format: 'Mail',
    file: { name: 'a.eml', bytes: Buffer.from(mail) },
    words: ['Stipúlation', 'Ada Ellery ada@example.com', 'clerk@example.com', 'The café was sold.'],
    damaged: { name: 'a.eml', bytes: Buffer.from(nestedMail(200)) },
  },
  text: {
    format: 'Plain',
    file: { name: 'a.txt', bytes: Buffer.from(`café in Western bytes\u0000 ${'and more '.repeat(10)}`, 'latin1') },
    words: ['café in Western bytes'],
    damaged: { name: 'a.txt', bytes: Buffer.from(Array.from({ length: 512 }, (_, at) => at % 32)) },
  },
};

function nestedMail(depth: number): string {
  const open = Array.from(
    { length: depth },
    (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
  );
  return `Subject: x\r\n${open.join('')}\r\ntext`;
}

for (const [name, { format, ...subject }] of Object.entries(subjects))
  describe(`the text reader of ${name}`, () => {
    for (const { title, check } of textReaderConformance)
      it(`DOC-07 ${title}`, () => check({ ...subject, reader: processes.reader(format) }));
  });

describe('readers of text', () => {
  it('DOC-07 HTML: the text that the page shows, with its characters', async () => {
    const html =
      '<head><title>Order</title><style>p{}</style></head><p>The caf&eacute; &amp; &#8364;<br>a<b>b</b>c 1 < 2</p>' +
      '<script>if (a > b) "</p>"</script><!-- hidden --><td title="a>b">x</td><td>y';
    assert.equal(await textOf('Html', html), 'Order\nThe café & €\nabc 1 < 2\nx\ty');
  });

  it('DOC-07 plain text: UTF-8, UTF-16 with and without a mark, and Western', async () => {
    for (const bytes of [
      Buffer.from('Zoë'),
      Buffer.from('\ufeffZoë', 'utf16le'),
      Buffer.from('Zoë and others', 'utf16le'),
      Buffer.from('Zoë', 'latin1'),
    ])
      assert.match(await textOf('Plain', bytes), /^Zoë/);
  });

  it('DOC-07 a long text without pages is divided at line ends, and nothing of it is lost', async () => {
    const text = Array.from({ length: 2_000 }, (_, at) => `line ${at} of the text`).join('\n');
    const opened = await processes.reader('Plain').open({ name: 'a.txt', bytes: Buffer.from(text) });
    const pages = await opened.pages(1, opened.pageCount);
    await opened.close();
    assert.ok(opened.pageCount > 5);
    assert.equal(pages.map((page) => page.text).join(''), text);
    assert.ok(pages.slice(0, -1).every((page) => page.text.endsWith('\n')));
  });

  it('DOC-07 PDF: boxes of words in thousandths of the page', async () => {
    const bytes = await pdfOf('Notice of default');
    const opened = await processes.reader('Pdf').open({ name: 'a.pdf', bytes });
    const [page] = await opened.pages(1, 1);
    await opened.close();
    const boxes = unpackBoxes(page?.boxes ?? new Uint8Array());
    assert.deepEqual(
      boxes.map(({ start }) => page?.text.slice(start).split(' ')[0]),
      ['Notice', 'of', 'default'],
    );
    // Written 72 points from the left and 700 from the bottom of 612 by 792 points.
    assert.ok(
      boxes.every(({ top, bottom }) => top > 90 && top < bottom && bottom < 125),
      JSON.stringify(boxes),
    );
    assert.equal(boxes[0]?.left, 117);
  });

  it('DOC-07 PDF: a word that a hyphen divides at a line end is one word', async () => {
    assert.equal(await textOf('Pdf', await pdfOf('a fore-\nclosure sale')), 'a foreclosure sale');
  });

  it('DOC-07 PDF: a page that is a picture is to be recognized, one with text and a picture is not', async () => {
    const opened = await processes
      .reader('Pdf')
      .open({ name: 'a.pdf', bytes: await scanOf('', 'A stamp', 'Words '.repeat(10)) });
    const pages = await opened.pages(1, 3);
    assert.deepEqual(
      pages.map(({ isPicture }) => isPicture),
      [true, true, false],
    );
    const picture = Buffer.from((await opened.picture(1)) ?? []);
    await opened.close();
    assert.match(picture.subarray(0, 20).toString('latin1'), /^P5\n2550 3300\n255\n/);
  });

  it('DOC-07 says why a file cannot be read: encrypted, old, a bomb', async () => {
    const why = async (format: FormatName, bytes: Uint8Array): Promise<string> => {
      try {
        return await textOf(format, bytes);
      } catch (error) {
        assert.ok(error instanceof UnreadableFile, String(error));
        return error.message;
      }
    };
    const compound = (text: string): Buffer =>
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from(text, 'utf16le')]);
    assert.equal(await why('Pdf', ENCRYPTED_PDF), 'The file is encrypted with a password.');
    assert.equal(await why('OldOffice', compound('EncryptedPackage')), 'The file is encrypted with a password.');
    assert.match(await why('OldOffice', compound('WordDocument')), /before 2007/);
    const bomb = await zipOf({ 'word/document.xml': Buffer.alloc(20_000_000, ' ') });
    assert.match(await why('Word', bomb), /unpacks to far more/);
    const deep = await zipOf({ 'word/document.xml': '<a>'.repeat(10_000) });
    assert.match(await why('Word', deep), /damaged/);
    const entities = await zipOf({ 'word/document.xml': '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' });
    assert.match(await why('Word', entities), /damaged/);
  });

  it('DOC-07 a file that takes too long ends its process and no other', async () => {
    const impatient = new ReaderProcesses({ processesMax: 1, requestMilliseconds: 1 });
    try {
      await assert.rejects(
        impatient.reader('Plain').open({ name: 'a.txt', bytes: Buffer.alloc(5_000_000, 'word ') }),
        (error: unknown) => error instanceof UnreadableFile && error.message.includes('took longer'),
      );
    } finally {
      impatient.stop();
    }
    assert.equal(await textOf('Plain', 'still here'), 'still here');
  });
});

/** A PDF file that asks for a user's password, whose pages nobody needs: its trailer says that it is encrypted. */
const ENCRYPTED_PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n' +
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\n' +
    `4 0 obj<</Filter/Standard/V 1/R 2/P -4/O<${'61'.repeat(32)}>/U<${'62'.repeat(32)}>>>endobj\n` +
    'trailer<</Size 5/Root 1 0 R/Encrypt 4 0 R/ID[<61><61>]>>\n%%EOF',
);
