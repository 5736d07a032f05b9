/**
 * Reads a document of the given megabytes, generated while it is read, and prints the memory and time taken. Runs in a
 * separate process: its small heap overflows if rows accumulate, and other tests' memory is not counted.
 */
import { createDeflateRaw, crc32 } from 'node:zlib';
import { pipeline, Readable } from 'node:stream';
import { delimitedEngine } from '../../../src/providers/import-engine/delimited/delimited-engine.ts';
import { fixedWidthEngine } from '../../../src/providers/import-engine/fixed-width/fixed-width-engine.ts';
import { jsonEngine } from '../../../src/providers/import-engine/json/json-engine.ts';
import { xmlEngine } from '../../../src/providers/import-engine/xml/xml-engine.ts';
import type { ImportEngine, ImportSource, ImportTemplate } from '../../../src/contracts/import-engine.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import { documentOf, templateOf } from './reading.ts';
import { workbookOf } from './import-workbooks.ts';

const MEGABYTE = 1024 * 1024;

/** A document format: the text before, between and after its rows. */
interface Form {
  readonly engine: ImportEngine;
  readonly template: ImportTemplate;
  readonly before: string;
  readonly row: (n: number) => string;
  readonly behind: string;
}

const text = (n: number): string => `a value of some length ${n}`;
const forms: Readonly<Record<string, Form>> = {
  delimited: {
    engine: delimitedEngine,
    template: templateOf(),
    before: 'Loan,Name,City\n',
    row: (n) => `${n},"Müller, ${text(n)}",${text(n)}\n`,
    behind: '',
  },
  fixed: {
    engine: fixedWidthEngine,
    template: templateOf({ Columns: 'Loan:10,Name:50' }),
    before: '',
    row: (n) => `${String(n).padEnd(10)}${text(n).padEnd(50)}\n`,
    behind: '',
  },
  xml: {
    engine: xmlEngine,
    template: templateOf(),
    before: '<LoanCollection>',
    row: (n) =>
      `<LoanItem SubscriberID="${n}"><Name>${text(n)}</Name><Property><City>Rome</City></Property></LoanItem>\n`,
    behind: '</LoanCollection>',
  },
  json: {
    engine: jsonEngine,
    template: templateOf(),
    before: '[{"Loan":0}',
    row: (n) => `,\n{"Loan":${n},"Name":"${text(n)}","Property":{"City":"Rome"}}`,
    behind: ']',
  },
  workbook: {
    engine: delimitedEngine,
    template: templateOf(),
    before:
      '<worksheet><sheetData><row><c t="inlineStr"><is><t>Loan</t></is></c>' +
      '<c t="inlineStr"><is><t>Name</t></is></c></row>',
    row: (n) => `<row><c><v>${n}</v></c><c t="inlineStr"><is><t>${text(n)}</t></is></c></row>`,
    behind: '</sheetData></worksheet>',
  },
};

const [name = '', megabytes = '1'] = process.argv.slice(2);
const form = forms[name]!;
let written = 0;
let rows = 0;
let failed = 0;
let peak = 0;

function* pieces(): Generator<Buffer> {
  yield Buffer.from(form.before);
  written = 0;
  for (let bytes = 0; bytes < Number(megabytes) * MEGABYTE;) {
    let piece = '';
    while (piece.length < 64 * 1024) piece += form.row(++written);
    bytes += piece.length;
    yield Buffer.from(piece);
  }
  yield Buffer.from(form.behind);
}

async function* opened(): AsyncGenerator<Uint8Array> {
  yield* pieces();
}

/** Returns a workbook with one worksheet made of the pieces: its compressed bytes are few and held in memory. */
async function workbook(): Promise<ImportSource> {
  const deflate = createDeflateRaw();
  let check = 0;
  let size = 0;
  pipeline(
    Readable.from(
      (function* () {
        for (const piece of pieces()) {
          check = crc32(piece, check);
          size += piece.length;
          yield piece;
        }
      })(),
    ),
    deflate,
    () => undefined,
  );
  const packed: Buffer[] = [];
  for await (const chunk of deflate as AsyncIterable<Buffer>) packed.push(chunk);
  return documentOf(
    withPart(await workbookOf({ sheets: { A: 'x' } }), 'xl/worksheets/sheet0.xml', {
      packed: Buffer.concat(packed),
      check,
      size,
    }),
  );
}

/** Returns the archive with one part's bytes appended and listed in the directory. */
function withPart(
  archive: Buffer,
  part: string,
  content: { readonly packed: Buffer; readonly check: number; readonly size: number },
): Buffer {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  const start = archive.readUInt32LE(end + 16);
  const directory = Buffer.from(archive.subarray(start));
  const local = Buffer.alloc(30 + part.length);
  local.write('PK\x03\x04', 0, 'latin1');
  local.writeUInt16LE(part.length, 26);
  local.write(part, 30);
  const entry = directory.indexOf(part) - 46;
  directory.writeUInt16LE(8, entry + 10);
  directory.writeUInt32LE(content.check >>> 0, entry + 16);
  directory.writeUInt32LE(content.packed.length, entry + 20);
  directory.writeUInt32LE(content.size, entry + 24);
  directory.writeUInt32LE(start, entry + 42);
  directory.writeUInt32LE(start + local.length + content.packed.length, end - start + 16);
  return Buffer.concat([archive.subarray(0, start), local, content.packed, directory]);
}

const source =
  name === 'workbook'
    ? await workbook()
    : {
        fileName: 'x',
        size: Number(megabytes) * MEGABYTE,
        open: opened,
        part: (start: number, end: number) => documentOf(form.before).part(start, end),
      };
const before = process.memoryUsage();
await form.engine.import({
  importFileId: 1,
  organizationId: null,
  template: form.template,
  source,
  done: 0,
  state: undefined,
  ctx: {} as Context,
  expect: async () => undefined,
  piece: async () => undefined,
  warn: () => Promise.resolve(),
  handOff: () => undefined,
  async rows(batches) {
    for await (const batch of batches) {
      rows += batch.length;
      failed += batch.filter((row) => row.problem !== undefined).length;
      peak = Math.max(peak, process.memoryUsage().arrayBuffers - before.arrayBuffers);
    }
  },
});
process.stdout.write(
  JSON.stringify({
    written,
    rows,
    failed,
    peakMegabytes: Math.round(peak / MEGABYTE),
    residentMegabytes: Math.round(process.resourceUsage().maxRSS / 1024),
  }),
);
