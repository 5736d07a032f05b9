import { bmpSize } from './bmp-pixels.ts';
import { gifFrameSize } from './gif-pixels.ts';

/** The size of a picture in pixels, as its file says it before anything is decoded. */
export interface PictureSize {
  readonly format: 'jpeg' | 'png' | 'webp' | 'gif' | 'bmp';
  readonly width: number;
  readonly height: number;
}

/** Returns the size of a JPEG, PNG, WebP, GIF or BMP file; undefined for any other. */
export function pictureSize(bytes: Uint8Array): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.byteLength < 30) return undefined;
  if (view.getUint32(0) === 0x89504e47) return { format: 'png', width: view.getUint32(16), height: view.getUint32(20) };
  if (view.getUint16(0) === 0xffd8) return jpegSize(view);
  if (view.getUint32(0) === 0x47494638) return gifSize(bytes, view);
  if (view.getUint16(0) === 0x424d) return { format: 'bmp', ...bmpSize(view) };
  return view.getUint32(0) === 0x52494646 && view.getUint32(8) === 0x57454250 ? webpSize(view) : undefined;
}

/** Looks for the frame header among the segments. */
function jpegSize(view: DataView): PictureSize | undefined {
  let at = 2;
  while (at + 9 < view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    // Huffman tables and arithmetic coding have numbers among those of frames.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { format: 'jpeg', height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** The frame is decoded as a whole, however little of it is on the picture. */
function gifSize(bytes: Uint8Array, view: DataView): PictureSize | undefined {
  try {
    const frame = gifFrameSize(bytes);
    const [width, height] = [view.getUint16(6, true), view.getUint16(8, true)];
    return { format: 'gif', width: Math.max(width, frame.width), height: Math.max(height, frame.height) };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function webpSize(view: DataView): PictureSize | undefined {
  const kind = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  const uint24 = (at: number): number => view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
  switch (kind) {
    case 'VP8X':
      return { format: 'webp', width: uint24(24) + 1, height: uint24(27) + 1 };
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return { format: 'webp', width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { format: 'webp', width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    default:
      return undefined;
  }
}
