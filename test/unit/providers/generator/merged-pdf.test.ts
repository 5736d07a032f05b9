import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import { PDFDict, PDFDocument, PDFHexString, PDFName, PDFRef } from '@cantoo/pdf-lib';
import {
  generatedBytes,
  generatorConformance,
  type GeneratorSubject,
} from '../../../../src/contracts/conformance/generator.ts';
import type { FileContent } from '../../../../src/contracts/file-content.ts';
import { optionValues, plainOptions } from '../../../../src/contracts/provider-options.ts';
import { PlatformError } from '../../../../src/kernel/door/errors.ts';
import { cameraTurn } from '../../../../src/lib/pdf/image-page.ts';
import { mergedPdfGenerator } from '../../../../src/providers/generator/merged-pdf/merged-pdf-generator.ts';

function file(fileName: string, mime: string, content: Uint8Array): FileContent {
  const stream = async function* (start = 0, end = content.length): AsyncIterable<Uint8Array> {
    yield content.subarray(start, end);
  };
  return { fileName, mime, size: content.length, open: () => stream(), part: stream };
}

async function pdf(fileName: string, pages: number, change?: (document: PDFDocument) => void): Promise<FileContent> {
  const document = await PDFDocument.create();
  for (let at = 0; at < pages; at++) document.addPage([300 + at, 400]).drawText(`${fileName} ${at + 1}`);
  change?.(document);
  return file(fileName, 'application/pdf', await document.save());
}

/** Returns a PNG file of one colour. */
function png(width: number, height: number): FileContent {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [size, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, check]);
  };
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  const rows = deflateSync(Buffer.alloc(Math.min(height * (1 + width * 3), 1_000_000), 1));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const content = Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
  return file('photo.png', 'image/png', content);
}

/** Returns the head of a JPEG file, 40 by 30 pixels, that a camera turned. */
function jpeg(orientation: number): Buffer {
  const exif = `45786966000049492a00080000000100120103000100000000000000`;
  const segment = Buffer.from(exif, 'hex');
  segment.writeUInt16LE(orientation, segment.length - 4);
  const size = Buffer.alloc(2);
  size.writeUInt16BE(segment.length + 2);
  const picture = Buffer.from('ffc0001108001e002803012200021101031101ffd9', 'hex');
  return Buffer.concat([Buffer.from('ffd8ffe1', 'hex'), size, segment, picture]);
}

async function merge(documents: readonly FileContent[], options = ''): Promise<PDFDocument> {
  const made = await mergedPdfGenerator.generate({
    template: undefined,
    options: optionValues(mergedPdfGenerator.options, plainOptions(options)) as Parameters<
      typeof mergedPdfGenerator.generate
    >[0]['options'],
    data: { kind: 'documents', documents },
    locale: 'en-US',
    timeZone: 'UTC',
    now: '2026-03-10T03:30:00.000Z',
    signal: new AbortController().signal,
  });
  return PDFDocument.load(await generatedBytes(made));
}

function widths(document: PDFDocument): readonly number[] {
  return document.getPages().map((page) => page.getWidth());
}

/** Returns the titles of bookmarks with the numbers of their pages, from 0. */
function bookmarks(document: PDFDocument): readonly (readonly [string, number])[] {
  const found: (readonly [string, number])[] = [];
  const outline = document.catalog.lookupMaybe(PDFName.of('Outlines'), PDFDict);
  let at = outline?.lookupMaybe(PDFName.of('First'), PDFDict);
  while (at) {
    const target = at.lookup(PDFName.of('Dest'));
    const ref = 'get' in target! ? (target as unknown as { get(index: number): PDFRef }).get(0) : undefined;
    found.push([
      at.lookup(PDFName.of('Title'), PDFHexString).decodeText(),
      document.getPages().findIndex((page) => page.ref === ref),
    ]);
    at = at.lookupMaybe(PDFName.of('Next'), PDFDict);
  }
  return found;
}

const subject: GeneratorSubject = {
  generator: mergedPdfGenerator,
  data: { kind: 'documents', documents: [await pdf('(a)\\ <Müller> \u0000€.pdf', 2), png(8, 4)] },
  async read(bytes) {
    const document = await PDFDocument.load(bytes);
    assert.equal(document.getPageCount(), 3);
    assert.equal(bookmarks(document)[0]?.[0], '(a)\\ <Müller> \u0000€');
  },
};

describe('MergedPdfGenerator', () => {
  for (const { title, check } of generatorConformance) it(`DOC-02 ${title}`, () => check(subject));

  it('DOC-02 puts documents behind one another, each with a bookmark of its name', async () => {
    const merged = await merge([await pdf('Notice.pdf', 3), await pdf('Affidavit v1.2.pdf', 1)]);
    assert.deepEqual(widths(merged), [300, 301, 302, 300]);
    assert.deepEqual(bookmarks(merged), [
      ['Notice', 0],
      ['Affidavit v1.2', 3],
    ]);
    assert.deepEqual(bookmarks(await merge([await pdf('a.pdf', 1)], 'Bookmarks=false')), []);
  });

  it('DOC-02 begins each document on a new sheet for printing on both sides', async () => {
    const merged = await merge([await pdf('a.pdf', 3), await pdf('b.pdf', 2), await pdf('c.pdf', 1)], 'Duplex=true');
    assert.deepEqual(widths(merged), [300, 301, 302, 302, 300, 301, 300]);
    assert.deepEqual(
      bookmarks(merged).map(([, page]) => page),
      [0, 4, 6],
    );
  });

  it('DOC-02 makes a page of an image, on wide paper if it is wide, turned as the camera says', async () => {
    const photo = file('scan.jpg', 'image/jpeg', jpeg(6));
    const [wide, turned] = (await merge([png(2000, 10), photo], 'PageSize=A4')).getPages();
    assert.deepEqual([wide?.getWidth(), wide?.getRotation().angle], [841.89, 0]);
    assert.deepEqual([turned?.getWidth(), turned?.getRotation().angle], [841.89, 90]);
    assert.deepEqual(
      [1, 3, 6, 8, 99].map((value) => cameraTurn(jpeg(value))),
      [0, 180, 90, 270, 0],
    );
    for (let end = 0; end < jpeg(6).length; end++) cameraTurn(jpeg(6).subarray(0, end));
  });

  it('DOC-02 keeps the values of forms as part of their pages', async () => {
    const form = await pdf('form.pdf', 1, (document) => {
      const field = document.getForm().createTextField('Name');
      field.setText('Ann Miller');
      field.addToPage(document.getPage(0));
    });
    const merged = await merge([form]);
    assert.equal(merged.getForm().getFields().length, 0);
    assert.equal(merged.getPage(0).node.Annots()?.size() ?? 0, 0);
  });

  it('DOC-02 names the document that it cannot combine, and why', async () => {
    const good = await pdf('good.pdf', 1);
    const refuse = async (bad: FileContent, expected: RegExp): Promise<void> => {
      await assert.rejects(merge([good, bad]), (error: unknown) => {
        assert.ok(error instanceof PlatformError && error.code === 'BAD_PARAMETER', String(error));
        assert.match(error.message, new RegExp(`^ID: "${bad.fileName}" `));
        assert.match(error.message, expected);
        return true;
      });
    };
    const locked = await pdf('locked.pdf', 1, (document) => {
      document.encrypt({ userPassword: 'secret', ownerPassword: 'owner' });
    });
    await refuse(locked, /is encrypted/);
    await refuse(file('cut.pdf', 'application/pdf', Buffer.from('%PDF-1.7\n1 0 obj <<')), /is damaged/);
    await refuse(file('note.txt', 'text/plain', Buffer.from('x')), /is text\/plain; expected a PDF file/);
    await refuse({ ...png(4, 4), ...file('half.png', 'image/png', Buffer.from('89504e47', 'hex')) }, /damaged image/);
    await refuse(png(60_000, 60_000), /more than 60000000 pixels/);
  });

  it('DOC-02 refuses documents that are too large together before it reads them', async () => {
    const large = { ...(await pdf('a.pdf', 1)), size: 200 * 1024 * 1024 };
    await assert.rejects(merge([large, large]), { code: 'TOO_LARGE' });
  });
});
