/** Decodes base64 in pieces. Stops at the first problem. */
export interface Base64Decoder {
  /** Returns the bytes completed by this piece. The piece must be ASCII; any other byte is a problem. */
  write(piece: Uint8Array): Uint8Array;
  /** Ends the input; an incomplete group is a problem. */
  end(): void;
  /** The problem, as the end of a sentence about the text ("holds …", "ends …"); undefined if there is none. */
  readonly problem: string | undefined;
}

/** The result of {@link decodeBase64}: the bytes or the problem. */
export type Base64Result =
  | { readonly bytes: Uint8Array; readonly problem?: undefined }
  | { readonly problem: string; readonly bytes?: undefined };

/**
 * Returns a strict decoder of XML Schema's base64Binary: the alphabet with + and /, white space anywhere, padding where
 * required, and no stray bits in the last character. Lenient decoders would store a file that no one sent: libxml2
 * accepts `***`, and Buffer skips unknown characters and accepts the URL alphabet.
 */
export function base64Decoder(): Base64Decoder {
  return new StrictBase64Decoder();
}

class StrictBase64Decoder implements Base64Decoder {
  problem: string | undefined;
  /** The bits of the characters of an unfinished group. */
  private bits = 0;
  /** Characters of the unfinished group. */
  private held = 0;
  private padding = 0;

  write(piece: Uint8Array): Uint8Array {
    const out = new Uint8Array(Math.ceil(((piece.length + 4) * 3) / 4));
    let at = 0;
    let i = 0;
    const last = piece.length - 4;
    while (i < piece.length && this.problem === undefined) {
      // Complete groups of plain characters take nearly all the time of a large file.
      while (this.held === 0 && this.padding === 0 && i <= last) {
        const a = VALUE[piece[i] as number] as number;
        const b = VALUE[piece[i + 1] as number] as number;
        const c = VALUE[piece[i + 2] as number] as number;
        const d = VALUE[piece[i + 3] as number] as number;
        if ((a | b | c | d) > 63) break;
        out[at] = (a << 2) | (b >> 4);
        out[at + 1] = (b << 4) | (c >> 2);
        out[at + 2] = (c << 6) | d;
        at += 3;
        i += 4;
      }
      if (i < piece.length) at = this.writeByte(piece[i++] as number, out, at);
    }
    return out.subarray(0, at);
  }

  end(): void {
    if (this.problem !== undefined) return;
    if (this.padding === 0 ? this.held !== 0 : this.held + this.padding !== 4)
      this.problem = 'ends in the middle of a group of four characters';
  }

  /** Decodes one character and returns where the next byte goes in `out`. */
  private writeByte(byte: number, out: Uint8Array, at: number): number {
    const value = VALUE[byte] ?? OTHER;
    if (value === SPACE) return at;
    if (value === OTHER) this.problem = `contains ${describeByte(byte)}, which is not a base64 character`;
    else if (value === PAD) return this.writePadding(out, at);
    else if (this.padding > 0) this.problem = 'goes on after its closing "="';
    else {
      this.bits = (this.bits << 6) | value;
      if (++this.held === 4) return this.writeGroup(out, at);
    }
    return at;
  }

  private writeGroup(out: Uint8Array, at: number): number {
    out[at] = this.bits >> 16;
    out[at + 1] = this.bits >> 8;
    out[at + 2] = this.bits;
    this.bits = this.held = 0;
    return at + 3;
  }

  private writePadding(out: Uint8Array, at: number): number {
    this.padding++;
    if (this.held + this.padding > 4 || this.held < 2) this.problem = 'has a "=" where none belongs';
    else if (this.held + this.padding === 4) return this.finish(out, at);
    return at;
  }

  /** Writes the one or two bytes of a padded group. */
  private finish(out: Uint8Array, at: number): number {
    const stray = this.held === 2 ? this.bits & 0xf : this.bits & 0x3;
    if (stray !== 0) {
      this.problem = 'ends in a character that base64 cannot end in: it was cut off or changed';
      return at;
    }
    if (this.held === 2) out[at] = this.bits >> 4;
    else {
      out[at] = this.bits >> 10;
      out[at + 1] = this.bits >> 2;
    }
    return at + this.held - 1;
  }
}

/** Decodes a whole text strictly; see {@link base64Decoder}. */
export function decodeBase64(text: string): Base64Result {
  const decoder = base64Decoder();
  const bytes = decoder.write(Buffer.from(text));
  decoder.end();
  return decoder.problem === undefined ? { bytes } : { problem: decoder.problem };
}

const SPACE = 64;
const PAD = 65;
const OTHER = 127;

const VALUE = new Uint8Array(256).fill(OTHER);
'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.split('').forEach((character, value) => {
  VALUE[character.charCodeAt(0)] = value;
});
for (const space of ' \t\r\n') VALUE[space.charCodeAt(0)] = SPACE;
VALUE['='.charCodeAt(0)] = PAD;

function describeByte(byte: number): string {
  return byte > 0x20 && byte < 0x7f
    ? `"${String.fromCharCode(byte)}"`
    : `the byte ${byte.toString(16).padStart(2, '0')}`;
}
