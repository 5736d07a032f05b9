import { GENERATOR } from '../contracts/generator.ts';
import type { ProviderRegistry } from '../kernel/ports/providers.ts';
import type { ChromiumPrinter } from '../lib/chromium/chromium-printer.ts';
import { delimitedGenerator } from '../providers/generator/delimited/delimited-generator.ts';
import { mailMergeGenerator } from '../providers/generator/mail-merge/mail-merge-generator.ts';
import { mergedPdfGenerator } from '../providers/generator/merged-pdf/merged-pdf-generator.ts';
import { parquetGenerator } from '../providers/generator/parquet/parquet-generator.ts';
import { pdfGenerator } from '../providers/generator/pdf/pdf-generator.ts';
import { spreadsheetGenerator } from '../providers/generator/spreadsheet/spreadsheet-generator.ts';
import { zipGenerator } from '../providers/generator/zip/zip-generator.ts';

/** Registers the generators of documents, each by the name that document types use. `printer` prints PDF files. */
export function registerGenerators(providers: ProviderRegistry, printer: ChromiumPrinter): void {
  providers.register(GENERATOR, 'DelimitedGenerator', delimitedGenerator);
  providers.register(GENERATOR, 'MailMergeGenerator', mailMergeGenerator);
  providers.register(GENERATOR, 'MergedPdfGenerator', mergedPdfGenerator);
  providers.register(GENERATOR, 'ParquetGenerator', parquetGenerator);
  providers.register(GENERATOR, 'PdfGenerator', pdfGenerator(printer));
  providers.register(GENERATOR, 'SpreadsheetGenerator', spreadsheetGenerator);
  providers.register(GENERATOR, 'ZipGenerator', zipGenerator);
}
