import { benchDownloads } from './documents/downloads.ts';
import { benchGenerators } from './documents/generators.ts';
import { benchPdfText } from './documents/pdf-text.ts';
import { benchSearch } from './documents/search.ts';
import type { BenchOptions } from './run.ts';

/** Documents that are generated, read, downloaded and searched. Uploads have a benchmark of their own: `upload`. */
export async function bench(options: BenchOptions): Promise<void> {
  await benchGenerators(options);
  await benchPdfText(options);
  await benchDownloads(options);
  await benchSearch(options);
}
