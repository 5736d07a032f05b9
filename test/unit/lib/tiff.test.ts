import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { PDFDocument } from '@cantoo/pdf-lib';
import fc from 'fast-check';
import { addTiffPage } from '../../../src/lib/pdf/tiff-document.ts';
import { TiffError, tiffPages, tiffRows } from '../../../src/lib/readers/tiff.ts';
import { bitsOf, tiffOf, type TiffParts } from '../../support/tiff.ts';

const PAPER = { width: 612, height: 792 };
/** A black square of 8 by 8 pixels in the middle of 16 by 16, in bits: 1 is black. */
const SQUARE = bitsOf(
  Array.from({ length: 16 }, (_, row) => (row >= 4 && row < 12 ? '0000111111110000' : '0'.repeat(16))).join(''),
);
const parts: TiffParts = { width: 16, height: 16, bytes: SQUARE };

async function pdfOf(file: Buffer): Promise<Uint8Array> {
  const target = await PDFDocument.create();
  for (const page of tiffPages(file)) addTiffPage(target, page, PAPER);
  return target.save();
}

/** Returns how dark the corner and the middle of a page are, from 0 to 255. */
async function darkness(pdf: Uint8Array, at = 0): Promise<{ corner: number; middle: number; pages: number }> {
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(pdf);
  const { data, width, height } = await document.getPage(at).render({ scale: 1, render: 'bitmap' });
  const dark = (x: number, y: number): number => 255 - (data[(Math.floor(y) * width + Math.floor(x)) * 4 + 1] ?? 0);
  const pages = document.getPageCount();
  document.destroy();
  return { corner: dark(width * 0.1, height * 0.1), middle: dark(width / 2, height / 2), pages };
}

function packed(bytes: Buffer): Buffer {
  // Each byte twice as a run of one, with a pause, which says nothing.
  return Buffer.concat([...bytes].map((byte) => Buffer.from([0x80, 0, byte])));
}

/** Compresses without a table: each byte is a code of its own, and the table is cleared before it grows wider codes. */
function lzw(bytes: Buffer): Buffer {
  const codes = [...bytes].flatMap((byte, at) => (at % 200 === 0 ? [256, byte] : [byte]));
  return bitsOf([...codes, 257].map((code) => code.toString(2).padStart(9, '0')).join(''));
}

describe('TIFF files', () => {
  const forms: Readonly<Record<string, TiffParts>> = {
    'without compression': parts,
    PackBits: { ...parts, bytes: packed(SQUARE), tags: { 259: 32773 } },
    LZW: { ...parts, bytes: lzw(SQUARE), tags: { 259: 5 } },
    deflate: { ...parts, bytes: deflateSync(SQUARE), tags: { 259: 8 } },
    'the old number of deflate': { ...parts, bytes: deflateSync(SQUARE), tags: { 259: 32946 } },
    'black is zero': { ...parts, bytes: Buffer.from(SQUARE.map((byte) => ~byte)), tags: { 262: 1 } },
    'the lowest bit first': {
      ...parts,
      bytes: Buffer.from(
        SQUARE.map((byte) => Number.parseInt(byte.toString(2).padStart(8, '0').split('').toReversed().join(''), 2)),
      ),
      tags: { 266: 2 },
    },
    'gray with transparency': {
      ...parts,
      bytes: Buffer.from(
        [...SQUARE].flatMap((byte) =>
          byte
            .toString(2)
            .padStart(8, '0')
            .split('')
            .flatMap((bit) => [bit === '1' ? 0 : 255, 7]),
        ),
      ),
      tags: { 258: 8, 262: 1, 277: 2 },
    },
  };
  for (const [name, form] of Object.entries(forms))
    it(`DOC-08 a page becomes a page of a PDF file with the same pixels: ${name}`, async () => {
      const { corner, middle, pages } = await darkness(await pdfOf(tiffOf(form)));
      assert.equal(pages, 1);
      assert.ok(corner < 20 && middle > 235, `${corner} ${middle}`);
    });

  it('DOC-08 fax of group 4 stays compressed, and black and white are not exchanged', async () => {
    const bytes = bitsOf(`1111 001 1011 000101 1 ${'1111'.repeat(7)} 001 101010 0000110111 111`);
    for (const [photometric, isDark] of [
      [0, true],
      [1, false],
    ] as const) {
      const pdf = await pdfOf(tiffOf({ ...parts, bytes, tags: { 259: 4, 262: photometric } }));
      assert.ok(Buffer.from(pdf).includes('CCITTFaxDecode'));
      const { corner, middle } = await darkness(pdf);
      assert.equal(middle > 200, isDark, `${photometric}: ${corner} ${middle}`);
    }
  });

  it('DOC-08 each page of a file becomes one, in its own size', async () => {
    const file = tiffOf(parts, { ...parts, width: 32, bytes: Buffer.alloc(64) }, parts);
    const document = await PDFDocument.load(await pdfOf(file));
    assert.deepEqual(
      document.getPages().map((page) => Math.round(page.getWidth())),
      [612, 612, 612],
    );
  });

  it('DOC-08 colors that differ from those of the pixel before are added up', () => {
    const file = tiffOf({
      width: 3,
      height: 1,
      bytes: Buffer.from([10, 20, 30, 1, 1, 1, 255, 0, 2]),
      tags: { 258: 8, 262: 2, 277: 3, 317: 2 },
    });
    const [page] = tiffPages(file);
    assert.deepEqual([...tiffRows(page!)], [10, 20, 30, 11, 21, 31, 10, 21, 33]);
  });

  it('DOC-08 an LZW table grows with its codes, as encoders write it', () => {
    // The sequence of the specification of TIFF 6.0: 7 7 7 8 8 7 7 6 6.
    const codes = [256, 7, 258, 8, 8, 258, 6, 6, 257];
    const bytes = bitsOf(codes.map((code) => code.toString(2).padStart(9, '0')).join(''));
    const [page] = tiffPages(tiffOf({ width: 9, height: 1, bytes, tags: { 258: 8, 259: 5, 262: 1 } }));
    assert.deepEqual([...tiffRows(page!)], [7, 7, 7, 8, 8, 7, 7, 6, 6]);
  });

  it('DOC-08 what is not read is named: tiles, unknown compression, more pixels than fit, pages in a circle', () => {
    const circle = tiffOf(parts);
    circle.writeUInt32LE(circle.readUInt32LE(4), circle.length - 4);
    const cases: readonly (readonly [Buffer, RegExp])[] = [
      [tiffOf({ ...parts, tags: { 322: 16 } }), /tiles/],
      [tiffOf({ ...parts, tags: { 256: 100_000, 257: 100_000 } }), /pixels/],
      [circle, /damaged/],
      [Buffer.from('II*\0'), /damaged/],
      [Buffer.from('hello world'), /not a TIFF/],
    ];
    for (const [file, message] of cases) assert.throws(() => tiffPages(file), message);
    const [unknown] = tiffPages(tiffOf({ ...parts, tags: { 259: 34925 } }));
    assert.throws(() => tiffRows(unknown!), /unsupported compression/);
  });

  it('DOC-08 no damaged file does anything but be refused', () => {
    const whole = tiffOf({ ...parts, bytes: lzw(SQUARE), tags: { 259: 5 } }, parts);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 8 }),
        fc.nat(whole.length),
        (changes, end) => {
          const file = Buffer.from(whole);
          for (const [at, byte] of changes) file[at] = byte;
          try {
            for (const page of tiffPages(file.subarray(0, end)))
              if (page.width * page.height < 1_000_000) tiffRows(page);
          } catch (error) {
            assert.ok(error instanceof TiffError, String(error));
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
