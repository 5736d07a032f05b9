/** Decodes the lines of a part, without their ends. */
export interface ContentDecoder {
  update(line: Uint8Array): void;
  finalize(): Promise<ArrayBuffer>;
}

const LF = 0x0a;
const EQUALS = 0x3d;
const FIRST_BYTES = 1_024;

/** Values of the characters of base64 by code; 255 for others. */
const base64Values = new Uint8Array(256).fill(255);
for (const [value, code] of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/').entries())
  base64Values[code] = value;

/**
 * Returns the decoder of a transfer encoding. It needs memory for the content alone. The library's own keep objects for
 * each line or padded unit: a mail of short lines would take a hundred times its size, and end the process.
 */
export function contentDecoder(encoding: string): ContentDecoder {
  if (/base64/i.test(encoding)) return new Base64Decoder();
  return /quoted-printable/i.test(encoding) ? new QuotedPrintableDecoder() : new PlainDecoder();
}

/** Memory that grows with its content. */
class Content {
  private memory = new Uint8Array(FIRST_BYTES);
  private length = 0;

  byte(value: number): void {
    if (this.length === this.memory.length) this.grow(1);
    this.memory[this.length++] = value;
  }

  bytes(values: Uint8Array): void {
    if (this.length + values.length > this.memory.length) this.grow(values.length);
    this.memory.set(values, this.length);
    this.length += values.length;
  }

  finalize(): Promise<ArrayBuffer> {
    const content = this.memory.slice(0, this.length).buffer;
    this.memory = new Uint8Array(0);
    return Promise.resolve(content);
  }

  private grow(bytes: number): void {
    const larger = new Uint8Array(Math.max(this.memory.length * 2, this.length + bytes));
    larger.set(this.memory);
    this.memory = larger;
  }
}

class PlainDecoder extends Content implements ContentDecoder {
  update(line: Uint8Array): void {
    this.bytes(line);
    this.byte(LF);
  }
}

class Base64Decoder extends Content implements ContentDecoder {
  private bits = 0;
  private count = 0;

  update(line: Uint8Array): void {
    for (const code of line) {
      const value = base64Values[code] ?? 255;
      if (value !== 255) this.add(value);
      // Some programs pad each line: what follows is a unit of its own.
      else if (code === EQUALS) [this.bits, this.count] = [0, 0];
    }
  }

  private add(value: number): void {
    this.bits = ((this.bits << 6) | value) & 0xffff;
    this.count += 6;
    if (this.count < 8) return;
    this.count -= 8;
    this.byte((this.bits >> this.count) & 0xff);
  }
}

class QuotedPrintableDecoder extends Content implements ContentDecoder {
  update(line: Uint8Array): void {
    const isSoftBreak = line.at(-1) === EQUALS;
    const end = isSoftBreak ? line.length - 1 : line.length;
    let from = 0;
    for (let at = line.indexOf(EQUALS); at >= 0 && at + 2 < end; at = line.indexOf(EQUALS, at + 1)) {
      const value = hexByte(line[at + 1], line[at + 2]);
      if (value === undefined) continue;
      this.bytes(line.subarray(from, at));
      this.byte(value);
      from = at + 3;
    }
    this.bytes(line.subarray(from, end));
    if (!isSoftBreak) this.byte(LF);
  }
}

function hexByte(high = 0, low = 0): number | undefined {
  const text = String.fromCharCode(high, low);
  return /^[0-9A-Fa-f]{2}$/.test(text) ? Number.parseInt(text, 16) : undefined;
}
