import { TEXT_READER } from '../contracts/text-reader.ts';
import type { ProviderRegistry } from '../kernel/ports/providers.ts';
import { formats, type FormatName } from '../providers/text-reader/formats/formats.ts';
import { ReaderProcesses } from '../providers/text-reader/reader-processes.ts';

/** Registers the readers of text, all in the same processes. Returns what must be stopped. */
export function registerTextReaders(providers: ProviderRegistry): ReaderProcesses {
  const processes = new ReaderProcesses();
  for (const format of Object.keys(formats) as FormatName[])
    providers.register(TEXT_READER, format, processes.reader(format));
  return processes;
}
