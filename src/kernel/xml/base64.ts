/** Decodes base64 that comes in pieces. After a problem nothing more is decoded. */
export interface Base64Decoder {
  /** The bytes that this piece completes. The piece is ASCII; any other byte is a problem. */
  write(piece: Uint8Array): Uint8Array;
  /** Says that nothing follows: what is left over is a problem. */
  end(): void;
  /** What is wrong, as the end of a sentence about the text ("holds …", "ends …"), or undefined. */
  readonly problem: string | undefined;
}

/** The result of {@link decodeBase64}: the bytes, or what is wrong with the text. */
export type Base64Result =
  | { readonly bytes: Uint8Array; readonly problem?: undefined }
  | { readonly problem: string; readonly bytes?: undefined };

/**
 * A strict decoder, as XML Schema defines base64Binary: the alphabet with + and /, white space anywhere, padding where it is needed, and no
 * stray bits in the last character. libxml2 accepts `***`, and Buffer skips what it does not know and takes the URL alphabet too: both would
 * store a file that nobody sent.
 */
export function base64Decoder(): Base64Decoder {
  let bits = 0;
  let held = 0;
  let padding = 0;
  let problem: string | undefined;

  const slow = (byte: number, out: Uint8Array, at: number): number => {
    const value = VALUE[byte] ?? OTHER;
    if (value === SPACE) return at;
    if (value === OTHER) {
      problem = `holds ${describeByte(byte)}, which is no base64 character`;
    } else if (value === PAD) {
      padding++;
      if (held + padding > 4 || held < 2) problem = 'has a "=" where none belongs';
      else if (held + padding === 4) return finish(out, at);
    } else if (padding > 0) {
      problem = 'goes on after its closing "="';
    } else {
      bits = (bits << 6) | value;
      if (++held === 4) {
        out[at] = bits >> 16;
        out[at + 1] = bits >> 8;
        out[at + 2] = bits;
        bits = held = 0;
        return at + 3;
      }
    }
    return at;
  };
  const finish = (out: Uint8Array, at: number): number => {
    const stray = held === 2 ? bits & 0xf : bits & 0x3;
    if (stray !== 0) {
      problem = 'ends in a character that base64 cannot end in: it was cut off or changed';
      return at;
    }
    if (held === 2) out[at] = bits >> 4;
    else {
      out[at] = bits >> 10;
      out[at + 1] = bits >> 2;
    }
    return at + held - 1;
  };

  return {
    get problem() {
      return problem;
    },
    write(piece) {
      const out = new Uint8Array(Math.ceil(((piece.length + 4) * 3) / 4));
      let at = 0;
      let i = 0;
      const last = piece.length - 4;
      while (i < piece.length && problem === undefined) {
        // Four characters at a time as long as they are plain ones; this is where nearly all the time of a large file goes.
        while (held === 0 && padding === 0 && i <= last) {
          const a = VALUE[piece[i] as number] as number,
            b = VALUE[piece[i + 1] as number] as number;
          const c = VALUE[piece[i + 2] as number] as number,
            d = VALUE[piece[i + 3] as number] as number;
          if ((a | b | c | d) > 63) break;
          out[at] = (a << 2) | (b >> 4);
          out[at + 1] = (b << 4) | (c >> 2);
          out[at + 2] = (c << 6) | d;
          at += 3;
          i += 4;
        }
        if (i < piece.length) at = slow(piece[i++] as number, out, at);
      }
      return out.subarray(0, at);
    },
    end() {
      if (problem !== undefined) return;
      if (padding === 0 ? held !== 0 : held + padding !== 4)
        problem = 'ends in the middle of a group of four characters';
    },
  };
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
