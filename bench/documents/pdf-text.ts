import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { openPdf } from '../../src/providers/text-reader/formats/pdf.ts';
import { compare, line, type Side } from '../lib/pairs.ts';
import type { BenchOptions } from '../run.ts';
import { wordOf } from './document-rows.ts';

const PAGES = 500;
const RATE_MIN = 0.8;

/** Reads the text of a PDF file of 500 pages with the boxes of its words, compared with PDFium's text alone. */
export async function benchPdfText(options: BenchOptions): Promise<void> {
  const name = `text and boxes of ${PAGES} PDF pages`;
  if (!options.takes(name)) return;
  const bytes = await pdfFile();
  const library = await PDFiumLibrary.init();
  const alone = async (): Promise<number> => {
    const document = await library.loadDocument(bytes);
    let length = 0;
    for (const page of document.pages()) length += page.getText().length;
    document.destroy();
    return length;
  };
  const product = async (): Promise<number> => {
    const opened = await openPdf({ name: 'bench.pdf', bytes });
    const pages = await opened.pages(1, PAGES);
    await opened.close();
    return pages.reduce((sum, { text }) => sum + text.length, 0);
  };
  const side = (read: () => Promise<number>): Side => ({
    async slice() {
      const began = performance.now();
      await read();
      return { calls: PAGES, seconds: (performance.now() - began) / 1_000 };
    },
    cpu: async () => process.cpuUsage(),
  });
  const found = await compare(side(alone), side(product), options.plan);
  options.print(line(`documents: ${name}`, found, { rateAtLeast: RATE_MIN }));
}

async function pdfFile(): Promise<Buffer> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (let page = 0; page < PAGES; page++) {
    const added = document.addPage([612, 792]);
    for (let at = 0; at < 45; at++) {
      const words = Array.from({ length: 12 }, (_, word) => wordOf(1 + (((page * 45 + at) * 12 + word) % 20_000)));
      added.drawText(words.join(' '), { x: 40, y: 740 - at * 15, size: 9, font });
    }
  }
  return Buffer.from(await document.save());
}
