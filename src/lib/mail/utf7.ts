/** Names of the charset UTF-7. */
const UTF_7 = /^(?:unicode-1-1-|x-unicode-2-0-)?utf-?7$/i;

/** Whether a charset label names UTF-7, which no decoder of the platform knows. */
export function isUtf7(label: string): boolean {
  return UTF_7.test(label.trim());
}

/** Decodes UTF-7 (RFC 2152). What is not UTF-7 stays as it is. */
export function decodeUtf7(text: string): string {
  return text.replace(/\+([A-Za-z0-9+/]*)-?/g, (whole: string, encoded: string) => {
    if (encoded === '') return whole === '+-' ? '+' : whole;
    const bytes = Buffer.from(encoded, 'base64');
    if (bytes.length < 2) return whole;
    return bytes
      .subarray(0, bytes.length - (bytes.length % 2))
      .swap16()
      .toString('utf16le');
  });
}
