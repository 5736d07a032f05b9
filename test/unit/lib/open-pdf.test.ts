import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deflateSync } from 'node:zlib';
import { PDFDocument } from '@cantoo/pdf-lib';
import { openPdf } from '../../../src/lib/pdf/open-pdf.ts';

/** Returns a file with object streams that each unpack to so many megabytes of spaces. */
async function packedPdf(streams: number, megabytes: number): Promise<Buffer> {
  const document = await PDFDocument.create();
  document.addPage();
  const plain = Buffer.from(await document.save({ useObjectStreams: true }));
  const packed = deflateSync(Buffer.alloc(megabytes * 1024 * 1024, ' '));
  const objects = Array.from({ length: streams }, (_, at) =>
    Buffer.concat([
      Buffer.from(`${1_000 + at} 0 obj\n<< /Type /#4fbjStm /N 0 /First 0 /Filter /FlateDecode `),
      Buffer.from(`/Length ${packed.length} >>\nstream\n`),
      packed,
      Buffer.from('\nendstream\nendobj\n'),
    ]),
  );
  const header = plain.indexOf('\n', plain.indexOf('\n') + 1) + 1;
  return Buffer.concat([plain.subarray(0, header), ...objects, plain.subarray(header)]);
}

it('DOC-02 opens a PDF file whose objects are packed, within a limit', async () => {
  assert.equal((await openPdf(await packedPdf(2, 20))).getPageCount(), 1);
});

it('DOC-02 a PDF file whose objects unpack to too much is refused, in one stream or in many', async () => {
  for (const [streams, megabytes] of [
    [1, 70],
    [40, 4],
  ] as const)
    await assert.rejects(openPdf(await packedPdf(streams, megabytes)), /unpack to more than 64 MB/);
});
