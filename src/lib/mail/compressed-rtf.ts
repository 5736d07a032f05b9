/** Text that every compressed RTF may refer to (MS-OXRTFCP 2.1.2.1). */
const DICTIONARY =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript ' +
  '\\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par ' +
  '\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx';
const WINDOW_BYTES = 4096;
const HEADER_BYTES = 16;
const COMPRESSED = 0x75465a4c;
const UNCOMPRESSED = 0x414c454d;
/** Most bytes that a text may unpack to. */
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** Returns the RTF of a compressed one (MS-OXRTFCP); undefined if it is damaged or unpacks to more than 16 MB. */
export function decompressRtf(source: Buffer): Buffer | undefined {
  if (source.length < HEADER_BYTES) return undefined;
  const rawBytes = source.readUInt32LE(4);
  const kind = source.readUInt32LE(8);
  if (rawBytes > OUTPUT_BYTES_MAX) return undefined;
  if (kind === UNCOMPRESSED) return source.subarray(HEADER_BYTES, HEADER_BYTES + rawBytes);
  return kind === COMPRESSED ? unpack(source, rawBytes) : undefined;
}

function unpack(source: Buffer, rawBytes: number): Buffer {
  const window = Buffer.alloc(WINDOW_BYTES, 0x20);
  let write = window.write(DICTIONARY, 'latin1');
  const output = Buffer.alloc(rawBytes);
  let [at, length] = [HEADER_BYTES, 0];
  const put = (byte: number): void => {
    if (length < rawBytes) output[length++] = byte;
    window[write] = byte;
    write = (write + 1) % WINDOW_BYTES;
  };
  while (at < source.length && length < rawBytes) {
    const control = source[at++] ?? 0;
    for (let bit = 0; bit < 8 && at < source.length && length < rawBytes; bit++) {
      if ((control & (1 << bit)) === 0) {
        put(source[at++] ?? 0);
        continue;
      }
      const token = ((source[at] ?? 0) << 8) | (source[at + 1] ?? 0);
      at += 2;
      const offset = token >> 4;
      if (offset === write) return output.subarray(0, length);
      for (let n = 0; n < (token & 15) + 2; n++) put(window[(offset + n) % WINDOW_BYTES] ?? 0);
    }
  }
  return output.subarray(0, length);
}
