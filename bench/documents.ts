import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { openPdf } from '../src/providers/text-reader/formats/pdf.ts';
import { fillDocuments, wordOf } from './documents/document-rows.ts';
import { startHttpBench, type HttpBench } from './lib/http.ts';
import type { BenchOptions } from './run.ts';

const ROWS = 1_000_000;
/** Searches of a kind for each pair, of which there are five by default; and before them. */
const SEARCHES_PER_PAIR = 20;
const SEARCHES_WARMUP = 10;
const PDF_PAGES = 500;
/** Greatest 95th percentile in milliseconds, and greatest ratio of a firm's median to that of staff. */
const BUDGET = { milliseconds: 50, firmRatio: 1.3 } as const;

/** The kinds of queries, each with the n-th of its kind. Ranks are those of words on a share of all pages. */
const kinds: Readonly<Record<string, (n: number, text: string) => string>> = {
  'docket number': (_n, text) => /26-CV-\d+/.exec(text)?.[0] ?? '',
  'rare word, 0.1 % of pages': (n) => wordOf(15_000 + n * 37),
  'two medium words': (n) => `${wordOf(500 + n)} ${wordOf(900 + n)}`,
  'medium word, 2 % of pages': (n) => wordOf(800 + n),
  'common word, over 20 % of pages': (n) => wordOf(40 + (n % 40)),
  'prefix of 5 letters': (n) => `${wordOf(700 + n).slice(0, 5)}*`,
  'phrase of 3 words': (n, text) =>
    `"${text
      .split(' ')
      .slice(20 + (n % 100), 23 + (n % 100))
      .join(' ')}"`,
};

/**
 * Reading a PDF file of 500 pages with the boxes of words, compared with PDFium's text alone; and searches by full text
 * over HTTP among the texts of a million documents, by staff and by firms' users.
 */
export async function bench(options: BenchOptions): Promise<void> {
  if (options.takes('pdf')) await benchPdf(options);
  if (!options.takes('search')) return;
  const http = await startHttpBench(options.profile, undefined, options.data);
  try {
    await benchSearches(http, options);
  } finally {
    await http.stop();
  }
}

async function benchPdf(options: BenchOptions): Promise<void> {
  const bytes = await pdfFile();
  const library = await PDFiumLibrary.init();
  const alone = async (): Promise<number> => {
    const document = await library.loadDocument(bytes);
    let length = 0;
    for (const page of document.pages()) length += page.getText().length;
    document.destroy();
    return length;
  };
  const ours = async (): Promise<number> => {
    const opened = await openPdf({ name: 'bench.pdf', bytes });
    const pages = await opened.pages(1, PDF_PAGES);
    await opened.close();
    return pages.reduce((sum, { text }) => sum + text.length, 0);
  };
  const ratios: number[] = [];
  let seconds = 0;
  for (let pair = -1; pair < options.plan.pairs; pair++) {
    const floor = await timed(alone);
    seconds = (await timed(ours)) / 1_000;
    if (pair >= 0) ratios.push(floor / 1_000 / seconds);
  }
  options.print(
    `documents: text and boxes of ${PDF_PAGES} PDF pages, against text alone: ratio ` +
      `${percentile(ratios, 0.5).toFixed(2)} (at least 0.8), ${seconds.toFixed(2)} s`,
  );
}

async function pdfFile(): Promise<Buffer> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (let page = 0; page < PDF_PAGES; page++) {
    const added = document.addPage([612, 792]);
    for (let line = 0; line < 45; line++) {
      const words = Array.from({ length: 12 }, (_, at) => wordOf(1 + (((page * 45 + line) * 12 + at) % 20_000)));
      added.drawText(words.join(' '), { x: 40, y: 740 - line * 15, size: 9, font });
    }
  }
  return Buffer.from(await document.save());
}

async function benchSearches(http: HttpBench, options: BenchOptions): Promise<void> {
  const firms = { large: await http.firm('Large firm'), small: await http.firm('Small firm') };
  const rows = options.rows ?? ROWS;
  const [there] = await read<{ count: number }>(http, 'select count(*)::integer as count from documenttext');
  if ((there?.count ?? 0) === 0) {
    const ids = { large: firms.large.organizationId, small: firms.small.organizationId };
    const pages = await http.database.use(http.connection, (sql) => fillDocuments(sql, rows, ids));
    options.print(`documents: ${rows} documents, ${pages} pages`);
  }
  const searches = SEARCHES_PER_PAIR * options.plan.pairs;
  const texts = await read<{ body: string }>(
    http,
    `select body from documentpage tablesample system (1) limit ${searches + SEARCHES_WARMUP}`,
  );
  const [size] = await read<{ size: string; table: string }>(
    http,
    `select pg_size_pretty(pg_relation_size('documentpage_words_idx')) as size,
       pg_size_pretty(pg_total_relation_size('documentpage')) as table`,
  );
  options.print(`documents: texts with their index take ${size?.table ?? ''}, the index ${size?.size ?? ''}`);
  for (const [kind, query] of Object.entries(kinds).filter(([name]) => options.takes(`search ${name}`))) {
    const queries = Array.from({ length: searches + SEARCHES_WARMUP }, (_, n) =>
      query(n, texts[n % texts.length]?.body ?? ''),
    );
    const staff = await searchTimes(http, http.staffKey, queries);
    const large = await searchTimes(http, firms.large.key, queries);
    const small = await searchTimes(http, firms.small.key, queries);
    options.print(line(kind, { staff, large, small }));
  }
}

function read<R extends object>(http: HttpBench, text: string): Promise<readonly R[]> {
  return http.database.use(http.connection, (sql) => sql.unsafe<R[]>(text));
}

/** Returns the milliseconds of each search, one after the other; a refusal as too broad counts as endless. */
async function searchTimes(http: HttpBench, key: string, queries: readonly string[]): Promise<readonly number[]> {
  const times: number[] = [];
  for (const query of queries) {
    const parameters = new URLSearchParams({ FullText: query, SqlColumns: 'AttachmentID,Attachment', Output: 'Json' });
    let status = 0;
    const took = await timed(async () => {
      const answer = await fetch(`${http.origin}/api/attachment/search?${parameters.toString()}`, {
        headers: { 'X-ApiKey': key },
      });
      status = answer.status;
      await answer.text();
    });
    if (status !== 200 && status !== 400) throw new Error(`searching ${query} answered ${status}`);
    times.push(status === 200 ? took : Infinity);
  }
  return times.slice(SEARCHES_WARMUP);
}

interface Times {
  readonly staff: readonly number[];
  readonly large: readonly number[];
  readonly small: readonly number[];
}

function line(kind: string, { staff, large, small }: Times): string {
  const part = (times: readonly number[]): string =>
    `${percentile(times, 0.5).toFixed(1).padStart(6)} /${percentile(times, 0.95).toFixed(1).padStart(7)}`;
  const ratio = percentile(large, 0.5) / percentile(staff, 0.5);
  return (
    `documents: ${kind.padEnd(34)} p50/p95 ms staff ${part(staff)}, firm with 7.5 % ${part(large)}, with 0.3 % ` +
    `${part(small)}; budget ${BUDGET.milliseconds}; firm to staff ${ratio.toFixed(2)} (at most ${BUDGET.firmRatio})`
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
