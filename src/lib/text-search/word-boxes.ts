import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** A run of characters of a text, and its box in thousandths of the page's width and height from the top left. */
export interface WordBox {
  /** Index of its first character in the text. */
  readonly start: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Numbers per word as they are stored: the distance from the start of the one before, and the box. */
const NUMBERS = 5;
/** Most words of a page with boxes. */
export const BOXES_MAX = 20_000;

/** Returns boxes, in the order of their starts, as compressed bytes: about six per word. */
export function packBoxes(boxes: readonly WordBox[]): Uint8Array {
  const count = Math.min(boxes.length, BOXES_MAX);
  const packed = new Uint16Array(count * NUMBERS);
  let before = 0;
  for (let at = 0; at < count; at++) {
    const { start = 0, left = 0, top = 0, right = 0, bottom = 0 } = boxes[at] ?? {};
    const place = at * NUMBERS;
    packed[place] = start - before;
    packed[place + 1] = left;
    packed[place + 2] = top;
    packed[place + 3] = right;
    packed[place + 4] = bottom;
    before = start;
  }
  return deflateRawSync(new Uint8Array(packed.buffer), { level: 1 });
}

/** Returns the boxes that {@link packBoxes} has packed. */
export function unpackBoxes(bytes: Uint8Array): WordBox[] {
  const raw = inflateRawSync(bytes, { maxOutputLength: BOXES_MAX * NUMBERS * 2 });
  const numbers = new Uint16Array(new Uint8Array(raw).buffer);
  const boxes: WordBox[] = [];
  let start = 0;
  for (let at = 0; at + NUMBERS <= numbers.length; at += NUMBERS) {
    const [distance = 0, left = 0, top = 0, right = 0, bottom = 0] = numbers.subarray(at, at + NUMBERS);
    start += distance;
    boxes.push({ start, left, top, right, bottom });
  }
  return boxes;
}

/** Returns the boxes of the characters from `start` to before `end`. */
export function boxesWithin(boxes: readonly WordBox[], start: number, end: number): WordBox[] {
  return boxes.filter((box, at) => box.start < end && (boxes[at + 1]?.start ?? Infinity) > start);
}
