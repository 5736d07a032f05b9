import {
  decodePDFRawStream,
  PDFDocument,
  PDFObjectStreamParser,
  PDFXRefStreamParser,
  type PDFContext,
  type PDFRawStream,
} from '@cantoo/pdf-lib';

/**
 * Bytes to which the object and cross-reference streams of one file may unpack. The library parses all of them in the
 * server's process: 500 MB, which half a megabyte can hold, took 8 s and 1.1 GB.
 */
const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;

/** What the streams of each file have unpacked to so far. The library has no other place for it while it parses. */
const unpacked = new WeakMap<PDFContext, number>();

// The library has no limit of its own; its parser calls these functions for each such stream.
const [parseObjects, parseReferences] = [PDFObjectStreamParser.forStream, PDFXRefStreamParser.forStream];
PDFObjectStreamParser.forStream = (stream, shouldWaitForTick) => {
  countUnpacked(stream);
  return parseObjects(stream, shouldWaitForTick);
};
PDFXRefStreamParser.forStream = (stream) => {
  countUnpacked(stream);
  return parseReferences(stream);
};

/** Opens a PDF file from outside. Rejects if it is damaged, or if its objects unpack to more than 64 MB. */
export async function openPdf(bytes: Uint8Array): Promise<PDFDocument> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false, ignoreEncryption: true });
  // The parser skips a stream that it cannot read.
  if ((unpacked.get(document.context) ?? 0) > UNPACKED_BYTES_MAX) throw tooLarge();
  return document;
}

function countUnpacked(stream: PDFRawStream): void {
  const { context } = stream.dict;
  const before = unpacked.get(context) ?? 0;
  if (before > UNPACKED_BYTES_MAX) throw tooLarge();
  const { length } = decodePDFRawStream(stream).getBytes(UNPACKED_BYTES_MAX - before + 1);
  unpacked.set(context, before + length);
  if (before + length > UNPACKED_BYTES_MAX) throw tooLarge();
}

function tooLarge(): Error {
  return new Error(`The objects of the PDF file unpack to more than ${UNPACKED_BYTES_MAX / 1024 / 1024} MB.`);
}
