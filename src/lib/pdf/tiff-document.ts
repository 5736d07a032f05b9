import { deflateSync } from 'node:zlib';
import {
  concatTransformationMatrix,
  degrees,
  drawObject,
  popGraphicsState,
  pushGraphicsState,
  type PDFDocument,
  type PDFPage,
} from '@cantoo/pdf-lib';
import { TIFF_COMPRESSION, TiffError, tiffRows, type TiffPage } from '../readers/tiff.ts';
import { TURNS, type PageSize } from './image-page.ts';

/** An image of a PDF file that fills some rows of a page. */
interface RowImage {
  readonly rows: number;
  readonly bytes: Uint8Array;
  /** Entries of its dictionary besides size and type. */
  readonly entries: Readonly<Record<string, unknown>>;
}

/** Largest length of a page in points, by the PDF format. */
const POINTS_MAX = 14_400;
const { huffman, group3, group4, jpeg } = TIFF_COMPRESSION;

/**
 * Adds a page of a TIFF file, in its own size. What PDF files compress in the same way, fax and JPEG, is not
 * decompressed. `paper`: the size of pages of which the file does not say how large they are.
 *
 * @throws TiffError
 */
export function addTiffPage(target: PDFDocument, source: TiffPage, paper: PageSize): void {
  const { width, height, resolution } = source;
  const fitted = Math.min(paper.width / width, paper.height / height);
  const [x, y] = resolution ? [72 / resolution.x, 72 / resolution.y] : [fitted, fitted];
  const factor = Math.min(1, POINTS_MAX / (width * x), POINTS_MAX / (height * y));
  const size = { width: width * x * factor, height: height * y * factor };
  const page = target.addPage([size.width, size.height]);
  let above = 0;
  for (const image of imagesOf(source)) {
    drawRows(page, { image, width, size, from: above / height, to: (above + image.rows) / height });
    above += image.rows;
  }
  const turn = TURNS[source.orientation] ?? 0;
  if (turn > 0) page.setRotation(degrees(turn));
}

function drawRows(
  page: PDFPage,
  drawn: { image: RowImage; width: number; size: PageSize; from: number; to: number },
): void {
  const { image, width, size, from, to } = drawn;
  const { context } = page.doc;
  const ref = context.register(
    context.stream(image.bytes, {
      Type: 'XObject',
      Subtype: 'Image',
      Width: width,
      Height: image.rows,
      ...image.entries,
    }),
  );
  const name = page.node.newXObject('Rows', ref);
  page.pushOperators(
    pushGraphicsState(),
    concatTransformationMatrix(size.width, 0, 0, size.height * (to - from), 0, size.height * (1 - to)),
    drawObject(name),
    popGraphicsState(),
  );
}

function imagesOf(page: TiffPage): readonly RowImage[] {
  const { compression, strips } = page;
  if (compression === huffman || compression === group3 || compression === group4)
    return strips.map(({ rows, bytes }) => ({ rows, bytes, entries: faxEntries(page, rows) }));
  if (compression === jpeg)
    return strips.map(({ rows, bytes }) => ({
      rows,
      bytes: withTables(bytes, page.jpegTables),
      entries: jpegEntries(page),
    }));
  return [pixelImage(page)];
}

function faxEntries({ width, compression, photometric, faxOptions }: TiffPage, rows: number): RowImage['entries'] {
  const mixed = (faxOptions & 1) === 1 ? 1 : 0;
  return {
    ColorSpace: 'DeviceGray',
    BitsPerComponent: 1,
    Filter: 'CCITTFaxDecode',
    DecodeParms: {
      K: compression === group4 ? -1 : mixed,
      Columns: width,
      Rows: rows,
      EndOfBlock: false,
      EncodedByteAlign: compression === huffman || (compression === group3 && (faxOptions & 4) !== 0),
      BlackIs1: photometric === 1,
    },
  };
}

function jpegEntries({ samples, photometric }: TiffPage): RowImage['entries'] {
  const space = samples === 4 ? 'DeviceCMYK' : 'DeviceRGB';
  return {
    ColorSpace: samples === 1 ? 'DeviceGray' : space,
    BitsPerComponent: 8,
    Filter: 'DCTDecode',
    ...(photometric === 2 ? { DecodeParms: { ColorTransform: 0 } } : {}),
  };
}

/** Returns a JPEG file with the tables that it shares with others, after its first mark. */
function withTables(bytes: Buffer, tables: Buffer | undefined): Uint8Array {
  return tables === undefined || tables.length <= 4
    ? bytes
    : Buffer.concat([bytes.subarray(0, 2), tables.subarray(2, -2), bytes.subarray(2)]);
}

function pixelImage(page: TiffPage): RowImage {
  const { height, photometric, bits, samples } = page;
  const colors = photometric === 2 ? 3 : 1;
  if (![1, 2, 4, 8].includes(bits) || ![0, 1, 2, 3, 5].includes(photometric))
    throw new TiffError('has an unsupported color format; save it as an ordinary TIFF or PDF file');
  const shown = photometric === 5 ? 4 : colors;
  const rows = samples > shown ? withoutAlpha(tiffRows(page), page, shown) : tiffRows(page);
  return {
    rows: height,
    bytes: deflateSync(rows),
    entries: {
      ColorSpace: colorSpace(page),
      BitsPerComponent: bits,
      Filter: 'FlateDecode',
      ...(photometric === 0 ? { Decode: [1, 0] } : {}),
    },
  };
}

function colorSpace({ photometric, bits, palette }: TiffPage): unknown {
  if (photometric === 2) return 'DeviceRGB';
  if (photometric === 5) return 'DeviceCMYK';
  if (photometric !== 3) return 'DeviceGray';
  const count = 1 << bits;
  if (palette.length < 3 * count) throw new TiffError('is damaged');
  const colors = Array.from({ length: count }, (_, at) =>
    [0, 1, 2].map((part) => (palette[part * count + at] ?? 0) >> 8),
  );
  return ['Indexed', 'DeviceRGB', count - 1, Buffer.from(colors.flat())];
}

/** Returns the pixels without their values after the first `shown`, such as transparency. */
function withoutAlpha(rows: Buffer, { bits, samples }: TiffPage, shown: number): Buffer {
  if (bits !== 8) throw new TiffError('has an unsupported color format; save it as an ordinary TIFF or PDF file');
  const pixels = rows.length / samples;
  const result = Buffer.alloc(pixels * shown);
  for (let pixel = 0; pixel < pixels; pixel++)
    for (let part = 0; part < shown; part++) result[pixel * shown + part] = rows[pixel * samples + part] ?? 0;
  return result;
}
