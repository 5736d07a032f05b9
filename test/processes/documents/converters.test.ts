import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { converterConformance, type ConverterSubject } from '../../../src/contracts/conformance/converter.ts';
import type { Converter } from '../../../src/contracts/converter.ts';
import { fileOf, type FileContent } from '../../../src/contracts/file-content.ts';
import { pdfPageCount } from '../../../src/lib/pdf/pdf-text.ts';
import { ChromiumPrinter } from '../../../src/lib/chromium/chromium-printer.ts';
import { chromiumConverter } from '../../../src/providers/converter/chromium/chromium-converter.ts';
import { imageConverter } from '../../../src/providers/converter/images/image-converter.ts';
import { LibreOfficeConverter } from '../../../src/providers/converter/libreoffice/libreoffice-converter.ts';
import { browserMissing } from '../../support/browser/browser.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';
import { referringSheet, referringText, referringWord, wordPages } from '../../support/office-documents.ts';
import { libreOfficeMissing } from '../../support/peers/libreoffice.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { tiffOf } from '../../support/tiff.ts';

const PDF = 'application/pdf';
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const ODF = 'application/vnd.oasis.opendocument';
const LETTER = { width: 8.5, height: 11 };
const never = new AbortController().signal;

const printer = new ChromiumPrinter(() => chromiumPath() ?? 'chromium');
after(() => printer.stop());
const chromium = chromiumConverter({ printer, command: () => chromiumPath() ?? '', paper: LETTER });
const images = imageConverter({ width: 612, height: 792 });
const office = new LibreOfficeConverter(() => ({ command: '', memoryMegabytes: 2_000 }));
const pdfium = await PDFiumLibrary.init();

function file(name: string, mime: string, content: string | Uint8Array): FileContent {
  return fileOf(name, mime, Buffer.from(content as string));
}

/** Converts to PDF and returns the text of each page. */
async function printed(converter: Converter, source: FileContent): Promise<readonly string[]> {
  const { bytes } = await converter.convert(source, PDF, { signal: never });
  const document = await pdfium.loadDocument(bytes);
  const texts = [...document.pages()].map((page) => page.getText().replace(/\s+/g, ' ').trim());
  document.destroy();
  return texts;
}

async function converted(converter: Converter, source: FileContent, to: string): Promise<string> {
  return Buffer.from((await converter.convert(source, to, { signal: never })).bytes).toString();
}

function hasPages(count: number) {
  return async (bytes: Uint8Array): Promise<void> => assert.equal(await pdfPageCount(bytes), count);
}

/** Counts the requests to an address of this machine. */
async function listeningPeer(t: { after(end: () => void): void }): Promise<{ address: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.end('TOPSECRET');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

function scratchFolders(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('casewright-convert-'));
}

const subjects: readonly (ConverterSubject & { readonly name: string; readonly skip: string | false })[] = [
  {
    name: 'images',
    skip: false,
    converter: images,
    file: file(
      'scan.tif',
      'image/tiff',
      tiffOf({ width: 16, height: 1, bytes: Buffer.alloc(2) }, { width: 16, height: 1, bytes: Buffer.alloc(2) }),
    ),
    to: PDF,
    read: hasPages(2),
    damaged: file('scan.tif', 'image/tiff', 'II*\0'),
  },
  {
    name: 'Chromium',
    skip: browserMissing,
    converter: chromium,
    file: file('page.html', 'text/html', '<h1>Notice</h1>'),
    to: PDF,
    read: hasPages(1),
    damaged: file('page.html', 'text/html', '<style>*{display:none}</style>Notice'),
  },
  {
    name: 'LibreOffice',
    skip: libreOfficeMissing,
    converter: office,
    file: file('letter.docx', DOCX, await wordPages('first', 'second')),
    to: PDF,
    read: hasPages(2),
    damaged: file('letter.docx', DOCX, (await wordPages('first')).subarray(0, 400)),
  },
];

for (const { name, skip, ...subject } of subjects)
  describe(`converters: ${name}`, { skip }, () => {
    for (const { title, check } of converterConformance) it(`DOC-08 ${name} ${title}`, () => check(subject));
  });

describe('what browsers show', { skip: browserMissing }, () => {
  it('DOC-08 a text keeps its lines, its characters and what looks like markup', async () => {
    const [page] = await printed(
      chromium,
      file('a.txt', 'text/plain', 'first <b>line</b> & more\r\nZweite Zeile: Müller'),
    );
    assert.equal(page, 'first <b>line</b> & more Zweite Zeile: Müller');
  });

  it('DOC-08 a mail shows who sent it, and its own styles cannot hide or change that', async () => {
    const html =
      '<style>@page{margin:0}h1,table,td,.x~*{display:none!important}.x{position:fixed;top:0}</style>' +
      '</table></body></html><div class=x>From: the judge</div><img src="cid:logo"><img src="http://127.0.0.1:9/a">';
    const mail = [
      'From: Ada Ellery <ada@example.com>',
      'To: "Clerk, A" <clerk@example.com>',
      'Subject: =?utf-8?q?Stip=C3=BAlation?= <script>',
      'Date: Tue, 3 Feb 2026 10:00:00 -0500',
      'MIME-Version: 1.0',
      'Content-Type: text/html; charset=utf-8',
      '',
      html,
    ].join('\r\n');
    const [head = '', body = ''] = await printed(chromium, file('a.eml', 'message/rfc822', mail));
    for (const text of ['Stipúlation <script>', 'Ada Ellery <ada@example.com>', 'Tue, 3 Feb 2026 10:00:00 -0500'])
      assert.ok(head.includes(text), head);
    assert.deepEqual([head.includes('the judge'), body], [false, 'From: the judge']);
  });

  it('DOC-08 nothing in a page runs, and nothing that it refers to is loaded', async (t) => {
    const { address, requests } = await listeningPeer(t);
    const html =
      `<p>shown</p><meta http-equiv=refresh content="0;url=${address}/refresh">` +
      `<link rel=stylesheet href=${address}/css>` +
      `<base href=${address}/><img src=/img><iframe src=/frame></iframe><object data=/object></object>` +
      `<style>@import url(${address}/import);body{background:url(${address}/background)}</style>` +
      `<video poster=/poster src=/video></video><svg><image href=/svg /></svg>` +
      `<script>document.body.textContent='ran'</script><iframe src=file:///etc/passwd></iframe>`;
    const [page] = await printed(chromium, file('a.html', 'text/html', html));
    assert.deepEqual([page?.slice(0, 5), requests], ['shown', []]);
  });
});

describe('office documents', { skip: libreOfficeMissing }, () => {
  it('DOC-08 a letter becomes HTML and text, too', async () => {
    const letter = file('letter.docx', DOCX, await wordPages('Müller owes 5 €', 'second'));
    assert.match(await converted(office, letter, 'text/html'), /<html[\s\S]*ller owes 5/);
    assert.match(await converted(office, letter, 'text/plain'), /Müller owes 5 €[\s\S]*second/);
  });

  it('DOC-08 a document reaches no address and no file of this server, and its macros do not run', async (t) => {
    const { address, requests } = await listeningPeer(t);
    const folder = temporaryFolder(t);
    const [secret, macro] = [join(folder, 'secret.txt'), join(folder, 'macro-ran')];
    writeFileSync(secret, 'TOPSECRET');
    const documents: readonly FileContent[] = [
      file('a.docx', DOCX, await referringWord(address, secret)),
      file('a.odt', `${ODF}.text`, await referringText(address, secret, macro)),
      file('a.ods', `${ODF}.spreadsheet`, await referringSheet(address, secret, macro)),
    ];
    for (const document of documents) {
      const pages = (await printed(office, document)).join(' ');
      assert.match(pages, /before/, document.fileName);
      assert.doesNotMatch(pages, /TOPSECRET/, document.fileName);
    }
    assert.deepEqual([requests, existsSync(macro)], [[], false]);
  });

  it('DOC-08 a file of another type than it says is refused instead of guessed', async () => {
    for (const [mime, content] of [
      [DOCX, 'just text'],
      [`${ODF}.text`, await wordPages('a letter')],
      ['application/msword', '<html><img src="file:///etc/passwd">'],
    ] as const)
      await assert.rejects(
        office.convert(file('a', mime, content), PDF, { signal: never }),
        /UNREADABLE|cannot be opened/,
      );
  });

  it('DOC-08 a conversion that takes too long ends with all of its processes and its folder', async () => {
    const before = scratchFolders();
    const reason = new Error('too long');
    const ended = new AbortController();
    const slow: FileContent = {
      ...file('a.docx', DOCX, await wordPages('a')),
      async *open() {
        // The file has arrived, so LibreOffice is about to start.
        yield await wordPages('a');
        setTimeout(() => ended.abort(reason), 150);
      },
    };
    await assert.rejects(office.convert(slow, PDF, { signal: ended.signal }), reason);
    assert.deepEqual([scratchFolders(), officeProcesses()], [before, []]);
  });
});

/** Returns the command lines of LibreOffice's processes of this test run. */
function officeProcesses(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((id) => {
      try {
        return readFileSync(`/proc/${id}/cmdline`, 'latin1').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    })
    .filter((line) => line.includes('soffice.bin') && line.includes(tmpdir()));
}
