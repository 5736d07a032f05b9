import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decodeText, isText } from '../../../src/lib/readers/decode-text.ts';

const text = 'The notice of default was mailed on March 9.\r\n\tÜber 100 € '.repeat(2_000);

describe('telling texts from other files', () => {
  it('DOC-13 a text in any encoding is text, and so are an empty file and what printers get', () => {
    const encodings = [Buffer.from(text), Buffer.from(text, 'latin1'), Buffer.from(text, 'utf16le')];
    const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('日本語の文書。'.repeat(5_000), 'utf16le')]);
    const japanese = Buffer.from('93fa967b8cea82cc95b68f9181420d0a'.repeat(1_000), 'hex');
    const printed = Buffer.from('\u001b(0\fPage\u001b(1'.repeat(100));
    for (const bytes of [...encodings, marked, japanese, printed, Buffer.alloc(0)]) assert.ok(isText(bytes));
  });

  it('DOC-13 other files are not, whether text is before, after or around what is none', () => {
    const binary = randomBytes(20_000);
    const lines = Buffer.from(text);
    const parts = [[binary], [lines, binary], [binary, lines], [lines, binary, lines], [Buffer.from('a\0b\u0001')]];
    for (const each of parts) assert.ok(!isText(Buffer.concat(each)));
  });

  it('DOC-13 whatever is printable is text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 2_000 }), (written) => {
        const bytes = Buffer.from(written.replaceAll(/[\p{Cc}\ufffd]/gu, ' '));
        if (decodeText(bytes) === bytes.toString()) assert.ok(isText(bytes), written);
      }),
    );
  });
});
