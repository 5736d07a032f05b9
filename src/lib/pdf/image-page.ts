import { degrees, type PDFDocument, type PDFImage } from '@cantoo/pdf-lib';
import { plainPng } from './plain-png.ts';

/** In points. */
export interface PageSize {
  readonly width: number;
  readonly height: number;
}

/** Most pixels of an image: it is unpacked in memory. */
const PIXELS_MAX = 60_000_000;
/** The margin around an image, in points. */
const MARGIN = 36;
/** Points of one pixel in an image that is shown at its natural size. */
const POINTS_PER_PIXEL = 72 / 96;

/**
 * Adds a page with an image in its middle, turned as its camera says, reduced to the page and never enlarged. A wide
 * image gets a page in landscape.
 *
 * @returns what is wrong with the image; undefined if nothing is
 */
export async function addImagePage(
  target: PDFDocument,
  { mime, bytes }: { readonly mime: string; readonly bytes: Buffer },
  paper: PageSize,
): Promise<string | undefined> {
  const isPng = mime === 'image/png';
  // The width and height of a PNG file are in its first chunk.
  if (isPng && bytes.length >= 24 && bytes.readUInt32BE(16) * bytes.readUInt32BE(20) > PIXELS_MAX)
    return `has more than ${PIXELS_MAX} pixels; reduce it first`;
  const image = await (isPng ? embedPng(target, bytes) : target.embedJpg(bytes)).catch(() => undefined);
  if (!image || image.width === 0 || image.height === 0)
    return 'is a damaged image; open and save it again, or leave it out';
  const isWide = image.width > image.height;
  const [width, height] = isWide ? [paper.height, paper.width] : [paper.width, paper.height];
  const page = target.addPage([width, height]);
  const scale = Math.min(POINTS_PER_PIXEL, (width - 2 * MARGIN) / image.width, (height - 2 * MARGIN) / image.height);
  const shown = { width: image.width * scale, height: image.height * scale };
  page.drawImage(image, { ...shown, x: (width - shown.width) / 2, y: (height - shown.height) / 2 });
  const turn = isPng ? 0 : cameraTurn(bytes);
  if (turn > 0) page.setRotation(degrees(turn));
  return undefined;
}

/** Embeds a PNG file; undefined for a damaged one. The library unpacks all texts and frames, whatever their size. */
async function embedPng(target: PDFDocument, bytes: Buffer): Promise<PDFImage | undefined> {
  const plain = await plainPng(bytes);
  return plain && target.embedPng(plain);
}

/** Degrees by which a JPEG image is to be turned clockwise, by the number that cameras write (EXIF Orientation). */
export const TURNS: Readonly<Record<number, number>> = { 3: 180, 4: 180, 5: 90, 6: 90, 7: 270, 8: 270 };
const ORIENTATION_TAG = 0x0112;

/** Returns by how many degrees a JPEG image is to be turned clockwise; 0 if it does not say. */
export function cameraTurn(jpeg: Buffer): number {
  const tiff = exifData(jpeg);
  if (!tiff || tiff.length < 14) return 0;
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return 0;
  for (let entry = 0; entry < short(directory); entry++) {
    const at = directory + 2 + entry * 12;
    if (at + 12 > tiff.length) return 0;
    if (short(at) === ORIENTATION_TAG) return TURNS[short(at + 8)] ?? 0;
  }
  return 0;
}

/** Returns the EXIF data of a JPEG file: the first segment of its kind before the picture. */
function exifData(jpeg: Buffer): Buffer | undefined {
  for (let at = 2; at + 10 <= jpeg.length && jpeg[at] === 0xff; at += 2 + jpeg.readUInt16BE(at + 2)) {
    const marker = jpeg[at + 1];
    if (marker === 0xda) return undefined;
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    if (marker === 0xe1 && jpeg.toString('latin1', at + 4, at + 10) === 'Exif\0\0') return jpeg.subarray(at + 10, end);
  }
  return undefined;
}
