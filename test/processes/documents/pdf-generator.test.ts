import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { PDFDict, PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import {
  generatedBytes,
  generatorConformance,
  noDocuments,
  type GeneratorSubject,
} from '../../../src/contracts/conformance/generator.ts';
import type { FileContent } from '../../../src/contracts/file-content.ts';
import { optionValues, plainOptions } from '../../../src/contracts/provider-options.ts';
import type { TreeNode } from '../../../src/kernel/door/answer.ts';
import { f } from '../../../src/kernel/declare/field.ts';
import { ChromiumPrinter } from '../../../src/lib/chromium/chromium-printer.ts';
import { pdfGenerator } from '../../../src/providers/generator/pdf/pdf-generator.ts';
import { browserMissing } from '../../support/browser/browser.ts';
import { chromiumPath } from '../../support/browser/chromium.ts';

const printer = new ChromiumPrinter(() => chromiumPath() ?? 'chromium');
after(() => printer.stop());
const generator = pdfGenerator(printer);
const pdfium = await PDFiumLibrary.init();

function html(text: string): FileContent {
  const bytes = Buffer.from(text);
  const stream = async function* (start = 0, end = bytes.length): AsyncIterable<Uint8Array> {
    yield bytes.subarray(start, end);
  };
  return { fileName: 'letter.html', mime: 'text/html', size: bytes.length, open: () => stream(), part: stream };
}

function leaf(name: string, value: unknown, field = f.text({ doc: 'A text.' })): TreeNode {
  return { name, value, field };
}

const tree: TreeNode = {
  name: 'ForeclosureItem',
  children: [
    leaf('Foreclosure', 'A-1 <script>alert(1)</script> & "quotes" \u0001'),
    {
      name: 'FeeCollection',
      list: true,
      children: [1, 2].map((n) => ({
        name: 'FeeItem',
        children: [leaf('Label', `Fee ${n}`), { ...leaf('Amount', '1234.50'), field: f.money({ doc: 'An amount.' }) }],
      })),
    },
    { name: 'HoldCollection', list: true, children: [] },
  ],
};

/** Returns the text of each page. */
async function textOf(bytes: Uint8Array): Promise<readonly string[]> {
  const document = await pdfium.loadDocument(bytes);
  const texts = [...document.pages()].map((page) => page.getText().replace(/\s+/g, ' '));
  document.destroy();
  return texts;
}

async function print(template: string | undefined, options = '', made = generator): Promise<Buffer> {
  const file = await made.generate({
    template: template === undefined ? undefined : html(template),
    options: optionValues(made.options, plainOptions(options)) as Parameters<typeof made.generate>[0]['options'],
    data: { kind: 'tree', tree, document: noDocuments },
    locale: 'en-US',
    timeZone: 'America/New_York',
    now: '2026-03-10T03:30:00.000Z',
    signal: new AbortController().signal,
  });
  return Buffer.from(await generatedBytes(file));
}

const subject: GeneratorSubject = {
  generator,
  data: { kind: 'tree', tree, document: noDocuments },
  template: html('<h1>Notice of {Foreclosure}</h1>{#Fee}<p>{Label}: {Amount}</p>{/Fee}'),
  brokenTemplate: html('<h1>{#Fee}</h1>'),
  async read(bytes) {
    const [text = ''] = await textOf(bytes);
    assert.match(text, /Notice of A-1 <script>alert\(1\) ?<\/script> & "quotes"/);
    assert.match(text, /Fee 2: \$1,234\.50/);
  },
};

describe('PdfGenerator', { skip: browserMissing }, () => {
  for (const { title, check } of generatorConformance) it(`DOC-02 ${title}`, () => check(subject));

  it('DOC-02 prints a report of all data without a template, as a tagged PDF file with the title and the numbers of pages', async () => {
    const bytes = await print(undefined, 'PageSize=A4&Header=Alder <Law>');
    const [text = ''] = await textOf(bytes);
    for (const expected of ['Foreclosure', 'Fee 1', '$1,234.50', 'None', 'Alder <Law>', 'Page 1 of 1'])
      assert.ok(text.includes(expected), `${expected} in ${text}`);
    const document = await PDFDocument.load(bytes, { updateMetadata: false });
    assert.match(document.getTitle() ?? '', /^Foreclosure A-1 <script>/);
    assert.ok(document.catalog.lookupMaybe(PDFName.of('MarkInfo'), PDFDict), 'it is tagged');
    assert.deepEqual(
      [Math.round(document.getPage(0).getWidth()), Math.round(document.getPage(0).getHeight())],
      [596, 842],
    );
  });

  it('DOC-02 turns pages, and refuses a margin that leaves none', async () => {
    const document = await PDFDocument.load(await print('<p>x1</p>', 'Landscape=true&PageNumbers=false&Margin=0'));
    assert.equal(document.getPage(0).getWidth(), 792);
    await assert.rejects(print('<p>x</p>', 'Margin=200'), { code: 'BAD_PARAMETER', field: 'Margin' });
  });

  it('DOC-02 requests nothing that a template refers to, runs nothing, and prints its text', async () => {
    const requests: string[] = [];
    const peer = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.end('x');
    });
    await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve));
    const at = `http://127.0.0.1:${(peer.address() as AddressInfo).port}`;
    const hostile =
      `<meta http-equiv=refresh content="0;url=${at}/refresh"><base href="${at}/base/"><link rel=stylesheet ` +
      `href="${at}/css"><link rel=prefetch href="${at}/prefetch"><style>@import "${at}/import"; ` +
      `@font-face{font-family:a;src:url(${at}/font)} body{font-family:a;background:url(${at}/background)}</style>` +
      `<iframe src="${at}/iframe"></iframe><img src="${at}/img"><img srcset="${at}/srcset 2x"><video poster=` +
      `"${at}/poster" src="${at}/video"></video><object data="${at}/object"></object><embed src="${at}/embed">` +
      `<svg><image href="${at}/svg"/><script href="${at}/svgscript"></script></svg>` +
      `<script src="${at}/script"></script>` +
      `<img src=x onerror="document.body.textContent='ran'"><form action="${at}/form"><input type=image ` +
      `src="${at}/input"></form><scr<script></script>ipt>document.title='changed'</script>` +
      `<META/http-equiv=refresh content="0;url=data:text/html,gone"><p>Printed {Foreclosure}</p>`;
    const printed = await print(hostile);
    const [text = ''] = await textOf(printed);
    peer.close();
    assert.match(text, /Printed A-1/);
    assert.doesNotMatch(text, /\bran\b|gone/);
    assert.notEqual((await PDFDocument.load(printed, { updateMetadata: false })).getTitle(), 'changed');
    assert.deepEqual(requests, []);
  });

  it('DOC-02 reports a document that is printed without its text', async () => {
    await assert.rejects(print('<style>p{display:none}</style><p>Hidden</p>'), { code: 'BAD_TEMPLATE' });
    assert.ok((await print('<p> </p>', 'PageNumbers=false')).length > 0);
  });

  it('DOC-02 names the setting if Chromium is missing, and starts it anew after it was killed', async () => {
    const missing = pdfGenerator(new ChromiumPrinter(() => 'chromium-that-is-not-there'));
    for (let attempt = 0; attempt < 5; attempt++)
      await assert.rejects(print('<p>x1</p>', '', missing), {
        code: 'CONVERTER_UNAVAILABLE',
        message: /chromium-that-is-not-there is not installed.*ChromiumCommand/,
      });
    printer.stop();
    assert.match((await textOf(await print('<p>Again</p>'))).join(' '), /Again/);
  });
});
