/** What the first bytes of a picture say. */
export interface PictureSize {
  readonly mime: 'image/png' | 'image/jpeg' | 'image/gif';
  /** In pixels, at least 1. */
  readonly width: number;
  readonly height: number;
}

/** Returns kind and size of a picture in PNG, JPEG or GIF; undefined for other or damaged content. */
export function pictureSize(bytes: Buffer): PictureSize | undefined {
  const found = pngSize(bytes) ?? gifSize(bytes) ?? jpegSize(bytes);
  return found && found.width > 0 && found.height > 0 ? found : undefined;
}

function pngSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 24 || bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return undefined;
  return { mime: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 10 || !/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return undefined;
  return { mime: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** The size is in the first frame header, after segments of any length. */
function jpegSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) at++;
    else if (isFrameHeader(marker))
      return { mime: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    else at += 2 + Math.max(bytes.readUInt16BE(at + 2), 2);
  }
  return undefined;
}

/** C0 to CF, except those of tables and extensions. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}
