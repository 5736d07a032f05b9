import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib';

/** A one-page PDF with a heading and lines of text, the same bytes on every run. */
export async function smallPdf(heading: string, lines: readonly string[]): Promise<Uint8Array> {
  const pdf = await PDFDocument.create();
  const day = new Date(Date.UTC(2024, 0, 2));
  pdf.setTitle(heading);
  pdf.setCreationDate(day);
  pdf.setModificationDate(day);
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  const page = pdf.addPage([612, 792]);
  page.drawText(heading, { x: 72, y: 700, size: 18, font });
  lines.forEach((line, at) => page.drawText(line, { x: 72, y: 664 - at * 18, size: 11, font }));
  return pdf.save({ useObjectStreams: false });
}

/** Base64 in lines of 76 characters, as mailers and .NET write it. */
export function wrappedBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('base64')
    .replace(/.{76}(?=.)/g, '$&\n');
}
