import { CONVERTER } from '../contracts/converter.ts';
import type { Settings } from '../kernel/declare/setting.ts';
import type { ProviderRegistry } from '../kernel/ports/providers.ts';
import type { ChromiumPrinter } from '../lib/chromium/chromium-printer.ts';
import {
  chromiumCommand,
  convertMemoryMegabytes,
  libreOfficeCommand,
} from '../modules/documents/attachment/settings.ts';
import { chromiumConverter } from '../providers/converter/chromium/chromium-converter.ts';
import { imageConverter } from '../providers/converter/images/image-converter.ts';
import { LibreOfficeConverter } from '../providers/converter/libreoffice/libreoffice-converter.ts';

/** US letter, in inches. */
const PAPER = { width: 8.5, height: 11 };
const POINTS_PER_INCH = 72;

/** Registers the converters of documents, in the order in which they are tried. `printer` prints PDF files. */
export function registerConverters(
  providers: ProviderRegistry,
  { printer, settings }: { readonly printer: ChromiumPrinter; readonly settings: Settings },
): void {
  const points = { width: PAPER.width * POINTS_PER_INCH, height: PAPER.height * POINTS_PER_INCH };
  providers.register(CONVERTER, 'Images', imageConverter(points));
  const command = (): string => settings.get(chromiumCommand);
  providers.register(CONVERTER, 'Chromium', chromiumConverter({ printer, command, paper: PAPER }));
  const office = new LibreOfficeConverter(() => ({
    command: settings.get(libreOfficeCommand),
    memoryMegabytes: settings.get(convertMemoryMegabytes),
  }));
  providers.register(CONVERTER, 'LibreOffice', office);
}
