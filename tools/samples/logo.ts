import { crc32, deflateSync } from 'node:zlib';

/** Pixels of the logo, a square: three quarters of an inch at 256 pixels per inch. */
const SIZE = 192;
/** Samples per pixel in each direction, so that edges are smooth. */
const SAMPLES = 4;
/** The logo's color. */
const BLUE = [31, 58, 95] as const;
const GRAYS = 16;

/** Rectangles of the court house in hundredths of the side: left, top, right, bottom. */
const RECTANGLES = [
  [8, 38, 92, 44],
  [16, 48, 24, 76],
  [36, 48, 44, 76],
  [56, 48, 64, 76],
  [76, 48, 84, 76],
  [12, 80, 88, 85],
  [6, 88, 94, 94],
] as const;

/** Whether a point of the unit square is within the picture: a court house. */
function isInside(x: number, y: number): boolean {
  const [h, v] = [x * 100, y * 100];
  // The roof: a triangle.
  if (v >= 8 && v <= 34 && Math.abs(h - 50) <= ((v - 8) / 26) * 44) return true;
  return RECTANGLES.some(([left, top, right, bottom]) => h >= left && h <= right && v >= top && v <= bottom);
}

/** Returns the picture of the letterhead as PNG. It is not compressed, so that its bytes are the same everywhere. */
export function logoPng(): Buffer {
  const rows: Buffer[] = [];
  for (let y = 0; y < SIZE; y++) {
    const row = Buffer.alloc(1 + SIZE / 2);
    for (let x = 0; x < SIZE; x++) row[1 + (x >> 1)] = (row[1 + (x >> 1)] ?? 0) | (coverage(x, y) << (x % 2 ? 0 : 4));
    rows.push(row);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIZE, 0);
  header.writeUInt32BE(SIZE, 4);
  // Four bits per pixel, each of which names a color of the palette.
  header.set([4, 3, 0, 0, 0], 8);
  const palette = Array.from({ length: GRAYS }, (_gray, at) =>
    BLUE.map((part) => Math.round(255 - ((255 - part) * at) / (GRAYS - 1))),
  ).flat();
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette)),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 0 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Returns how much of a pixel is covered, from 0 to 15. */
function coverage(x: number, y: number): number {
  let covered = 0;
  for (let at = 0; at < SAMPLES * SAMPLES; at++) {
    const [dx, dy] = [(at % SAMPLES) + 0.5, Math.floor(at / SAMPLES) + 0.5];
    if (isInside((x + dx / SAMPLES) / SIZE, (y + dy / SAMPLES) / SIZE)) covered++;
  }
  return Math.round((covered / (SAMPLES * SAMPLES)) * (GRAYS - 1));
}

function chunk(type: string, data: Buffer): Buffer {
  const name = Buffer.from(type, 'latin1');
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(Buffer.concat([name, data])));
  return Buffer.concat([length, name, data, sum]);
}
