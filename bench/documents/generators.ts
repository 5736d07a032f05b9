import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PDFDocument } from '@cantoo/pdf-lib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { ZipFile } from 'yazl';
import { generatedBytes, noDocuments } from '../../src/contracts/conformance/generator.ts';
import { fileOf, type FileContent } from '../../src/contracts/file-content.ts';
import type { DataTable, DocumentData, Generator } from '../../src/contracts/generator.ts';
import { optionValues, plainOptions } from '../../src/contracts/provider-options.ts';
import { f } from '../../src/kernel/declare/field.ts';
import { escapeText } from '../../src/kernel/xml/element.ts';
import { ChromiumPrinter } from '../../src/lib/chromium/chromium-printer.ts';
import { delimitedGenerator } from '../../src/providers/generator/delimited/delimited-generator.ts';
import { mailMergeGenerator } from '../../src/providers/generator/mail-merge/mail-merge-generator.ts';
import { mergedPdfGenerator } from '../../src/providers/generator/merged-pdf/merged-pdf-generator.ts';
import { parquetGenerator } from '../../src/providers/generator/parquet/parquet-generator.ts';
import { pdfGenerator } from '../../src/providers/generator/pdf/pdf-generator.ts';
import { spreadsheetGenerator } from '../../src/providers/generator/spreadsheet/spreadsheet-generator.ts';
import { zipGenerator } from '../../src/providers/generator/zip/zip-generator.ts';
import { compare, line, type Demand, type Side } from '../lib/pairs.ts';
import type { BenchOptions } from '../run.ts';
import { wordOf } from './document-rows.ts';
import { letterDocx, letterHtml, letterTree, letterValues, type LetterValues } from './letter.ts';

/** Letters of all slices together. */
const LETTERS = 1_000;
const TABLE_ROWS = 20_000;
/** Documents that are put into one file. */
const DOCUMENTS = 20;
/** Where Debian's packages have Chromium. */
const CHROMIUM = ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path));
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** A generator and a plain way to make the same file. */
interface Figure {
  readonly name: string;
  /** Files that both sides make in a slice. */
  readonly files: number;
  readonly demand: Demand;
  readonly floor: (n: number) => Promise<Uint8Array>;
  readonly product: (n: number) => Promise<Uint8Array>;
  /** What a file says, to be compared; by default nothing is. */
  readonly text?: (file: Uint8Array) => Promise<string>;
}

/** The generators of documents, each compared with the library that it uses, or with the plainest code, alone. */
export async function benchGenerators(options: BenchOptions): Promise<void> {
  const printer = new ChromiumPrinter(() => CHROMIUM ?? 'chromium');
  try {
    for (const figure of [letterFigure, htmlFigure, pdfFigure, mergedFigure, zipFigure, ...tableFigures]) {
      const made = await figure(options, printer);
      if (made && options.takes(made.name)) await run(made, options);
    }
  } finally {
    printer.stop();
  }
}

async function run({ name, files, demand, floor, product, text }: Figure, options: BenchOptions): Promise<void> {
  if (text) {
    const [plain, own] = [await text(await floor(1)), await text(await product(1))];
    if (plain !== own) throw new Error(`${name}: the floor makes another file than the product`);
  }
  const side = (make: Figure['product']): Side => ({
    async slice() {
      const began = performance.now();
      for (let n = 1; n <= files; n++) await make(n);
      return { calls: files, seconds: (performance.now() - began) / 1_000 };
    },
    cpu: async () => process.cpuUsage(),
  });
  options.print(line(`documents: ${name}`, await compare(side(floor), side(product), options.plan), demand));
}

type MakeFigure = (options: BenchOptions, printer: ChromiumPrinter) => Promise<Figure | undefined>;

/** The part of the merge library that is used; it is installed separately and not used by the product. */
interface Peer {
  readonly TemplateHandler: new () => { process(template: Buffer, data: LetterValues): Promise<Buffer> };
}

const letterFigure: MakeFigure = async (options) => {
  const name = `${LETTERS} letters of three pages`;
  // Other figures do not need the peer.
  if (!options.takes(name)) return undefined;
  const peer = 'easy-template-x';
  if (!existsSync(join(import.meta.dirname, '../node_modules', peer)))
    throw new Error('install the peer first: npm install --prefix bench --ignore-scripts');
  const { TemplateHandler } = (await import(peer)) as Peer;
  const library = new TemplateHandler();
  const bytes = await letterDocx();
  const template = fileOf('letter.docx', DOCX, bytes);
  return {
    name,
    files: Math.ceil(LETTERS / options.plan.pairs),
    demand: { rateAtLeast: 0.7 },
    floor: (n) => library.process(bytes, letterValues(n)),
    product: (n) => generate(mailMergeGenerator, treeOf(n), template),
    text: letterText,
  };
};

/** Returns the text of a letter, without what the programs write differently. */
async function letterText(file: Uint8Array): Promise<string> {
  const { fromBufferPromise } = await import('yauzl');
  const zip = await fromBufferPromise(Buffer.from(file));
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== 'word/document.xml') continue;
    const pieces: Uint8Array[] = [];
    for await (const piece of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Uint8Array>) pieces.push(piece);
    const xml = Buffer.concat(pieces).toString();
    return xml
      .replaceAll(/<\/w:p>/g, '\n')
      .replaceAll(/<[^>]*>/g, '')
      .trim();
  }
  throw new Error('the letter has no text');
}

const htmlFigure: MakeFigure = async () => {
  const html = letterHtml();
  const template = fileOf('letter.html', 'text/html', Buffer.from(html));
  return {
    name: 'letters in HTML',
    files: 500,
    demand: {},
    floor: async (n) => Buffer.from(plainHtml(html, letterValues(n))),
    product: (n) => generate(mailMergeGenerator, treeOf(n), template),
    text: async (file) => Buffer.from(file).toString(),
  };
};

/** Fills in a template by searching for its tags. */
function plainHtml(html: string, values: LetterValues): string {
  const fill = (text: string, row: Readonly<Record<string, unknown>>): string =>
    text.replaceAll(/\{(\w+)\}/g, (tag, name: string) => (name in row ? escapeText(String(row[name])) : tag));
  const rows = values['Fees'];
  const repeated = html.replace(/\{#Fees\}(.*?)\{\/Fees\}/s, (_tag, text: string) =>
    Array.isArray(rows) ? rows.map((row: object) => fill(text, { ...row })).join('') : '',
  );
  return fill(repeated, values);
}

const pdfFigure: MakeFigure = async (_options, printer) => {
  if (CHROMIUM === undefined) return undefined;
  const html = letterHtml();
  const template = fileOf('letter.html', 'text/html', Buffer.from(html));
  const generator = pdfGenerator(printer);
  const how = { width: 8.5, height: 11, margin: 20 / 25.4, isLandscape: false, header: '', footer: '' };
  return {
    name: 'letters in PDF, against Chromium alone',
    files: 5,
    demand: {},
    floor: (n) => printer.print(plainHtml(html, letterValues(n)), { ...how, signal: never }),
    product: (n) => generate(generator, treeOf(n), template),
  };
};

const mergedFigure: MakeFigure = async () => {
  const files = await pdfFiles();
  const documents = files.map((bytes, at) => fileOf(`document-${at}.pdf`, 'application/pdf', bytes));
  return {
    name: `PDF file of ${DOCUMENTS} documents`,
    files: 10,
    demand: {},
    async floor() {
      const target = await PDFDocument.create();
      for (const bytes of files) {
        const source = await PDFDocument.load(bytes);
        for (const page of await target.copyPages(source, source.getPageIndices())) target.addPage(page);
      }
      return target.save();
    },
    product: () => generate(mergedPdfGenerator, { kind: 'documents', documents }),
  };
};

async function pdfFiles(): Promise<readonly Buffer[]> {
  return Promise.all(
    Array.from({ length: DOCUMENTS }, async () => {
      const document = await PDFDocument.create();
      for (let page = 0; page < 5; page++)
        for (let at = 0; at < 40; at++)
          (at === 0 ? document.addPage([612, 792]) : document.getPage(page)).drawText(
            Array.from({ length: 10 }, (_, word) => wordOf(1 + page * 400 + at * 10 + word)).join(' '),
            { x: 40, y: 740 - at * 15, size: 9 },
          );
      return Buffer.from(await document.save());
    }),
  );
}

const zipFigure: MakeFigure = async () => {
  const text = Array.from({ length: 20_000 }, (_, n) => wordOf(1 + ((n * n) % 30_000))).join(' ');
  const files = Array.from({ length: DOCUMENTS }, (_, at) => Buffer.from(`${at} ${text}`));
  const documents = files.map((bytes, at) => fileOf(`document-${at}.txt`, 'text/plain', bytes));
  return {
    name: `zip file of ${DOCUMENTS} documents`,
    files: 10,
    demand: {},
    async floor() {
      const zip = new ZipFile();
      for (const [at, bytes] of files.entries()) zip.addBuffer(bytes, `document-${at}.txt`);
      zip.end();
      const pieces: Uint8Array[] = [];
      for await (const piece of zip.outputStream as AsyncIterable<Uint8Array>) pieces.push(piece);
      return Buffer.concat(pieces);
    },
    product: () => generate(zipGenerator, { kind: 'documents', documents }),
  };
};

const rows = Array.from({ length: TABLE_ROWS }, (_, n) => ({
  LoanID: n,
  Loan: String(7_000_000 + n),
  Borrower: `${wordOf(n + 1)}, ${wordOf(2 * n + 1)}`,
  UPBAmount: `${n * 17}.50`,
  DueDate: '2026-03-14',
}));

const table: DataTable = {
  name: 'Loan',
  columns: [
    { name: 'LoanID', field: f.id({ doc: 'A number.' }) },
    { name: 'Loan', field: f.text({ doc: 'A number.' }) },
    { name: 'Borrower', field: f.text({ doc: 'A name.' }) },
    { name: 'UPBAmount', field: f.money({ doc: 'An amount.' }) },
    { name: 'DueDate', field: f.date({ doc: 'A date.' }) },
  ],
  async *rows() {
    yield* rows;
  },
};
const tables: DocumentData = { kind: 'tables', tables: [table] };
const names = table.columns.map(({ name }) => name as keyof (typeof rows)[number]);

const tableFigures: readonly MakeFigure[] = [
  async () => ({
    name: `delimited text of ${TABLE_ROWS} rows`,
    files: 10,
    demand: {},
    async floor() {
      const quoted = (value: unknown): string =>
        /[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
      const lines = rows.map((row) => names.map((name) => quoted(row[name])).join(','));
      return Buffer.from(`${[names.join(','), ...lines].join('\r\n')}\r\n`);
    },
    product: () => generate(delimitedGenerator, tables),
    text: async (file) => Buffer.from(file).toString(),
  }),
  async () => ({
    name: `workbook of ${TABLE_ROWS} rows`,
    files: 4,
    demand: {},
    floor: plainWorkbook,
    product: () => generate(spreadsheetGenerator, tables),
  }),
  async () => ({
    name: `Parquet file of ${TABLE_ROWS} rows`,
    files: 10,
    demand: {},
    floor: async () =>
      new Uint8Array(
        parquetWriteBuffer({
          columnData: [
            { name: 'LoanID', data: rows.map(({ LoanID }) => BigInt(LoanID)), type: 'INT64' },
            { name: 'Loan', data: rows.map(({ Loan }) => Loan), type: 'STRING' },
            { name: 'Borrower', data: rows.map(({ Borrower }) => Borrower), type: 'STRING' },
            { name: 'UPBAmount', data: rows.map(({ UPBAmount }) => Number(UPBAmount)), type: 'DOUBLE' },
            { name: 'DueDate', data: rows.map(({ DueDate }) => new Date(DueDate)), type: 'TIMESTAMP' },
          ],
        }),
      ),
    product: () => generate(parquetGenerator, tables),
  }),
];

/** The sheet as one text, packed: no styles, names, widths or limits. */
async function plainWorkbook(): Promise<Uint8Array> {
  const cell = (value: unknown): string =>
    typeof value === 'number'
      ? `<c><v>${value}</v></c>`
      : `<c t="inlineStr"><is><t>${escapeText(String(value))}</t></is></c>`;
  const lines = rows.map((row) => `<row>${names.map((name) => cell(row[name])).join('')}</row>`);
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(`<worksheet><sheetData>${lines.join('')}</sheetData></worksheet>`), 'xl/sheet1.xml');
  zip.end();
  const pieces: Uint8Array[] = [];
  for await (const piece of zip.outputStream as AsyncIterable<Uint8Array>) pieces.push(piece);
  return Buffer.concat(pieces);
}

function treeOf(n: number): DocumentData {
  return { kind: 'tree', tree: letterTree(letterValues(n)), document: noDocuments };
}

const never = new AbortController().signal;

async function generate(generator: Generator, data: DocumentData, template?: FileContent): Promise<Uint8Array> {
  const file = await generator.generate({
    template,
    options: optionValues(generator.options, plainOptions('')),
    data,
    locale: 'en-US',
    timeZone: 'America/New_York',
    now: '2026-03-10T03:30:00.000Z',
    signal: never,
  });
  return generatedBytes(file);
}
