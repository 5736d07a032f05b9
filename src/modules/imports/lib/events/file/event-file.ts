import type { ImportMap, ImportSource } from '../../../../../contracts/import-engine.ts';
import { IMPORT_REASON } from '../../../../../lib/readers/columns.ts';
import { headOf, readTextHead, textBytes, TextCodec } from '../../../../../lib/readers/encoding.ts';
import { DelimitedScanner, scanDelimited, type DelimitedRecords } from '../../../../../lib/readers/scan-delimited.ts';
import { isWorkbook, openWorkbook } from '../../../../../lib/readers/workbook/workbook.ts';
import { RowBatchBuilder, BatchCache, batchRecords, type RowBatch } from './row-batch.ts';
import { LAYOUT_COLUMNS, type EventColumn, type EventLayout } from './event-layout.ts';
import { xmlBatches } from './xml-batches.ts';

/** Formats of event files, recognized by content, not by the file's name. */
export type EventFileFormat = 'delimited' | 'xml' | 'workbook';

/** An event file whose format is known. */
export interface EventFile {
  readonly format: EventFileFormat;
  /** Delimiter of delimited text. */
  readonly delimiter: string;
  /** Decodes the bytes of records; the first reading decides their encoding. */
  readonly codec: TextCodec;
  /** Reads the records from the beginning. Each step's result is valid only until the next step. */
  records(): AsyncGenerator<DelimitedRecords, void, undefined>;
}

/** Bytes in which XML and a delimiter are recognized. */
const HEAD_BYTES = 1024;
const DELIMITER_HEAD_BYTES = 64 * 1024;
/** Quote around values of delimited text that contain the delimiter. */
export const QUOTE = '"';

/**
 * Opens an event file and detects its format.
 * @throws BAD_PARAMETER for an unreadable file, such as an encrypted workbook
 */
export async function openEventFile(source: ImportSource, layout: EventLayout): Promise<EventFile> {
  if (await isWorkbook(source)) return cachedFile('workbook', () => workbookBatches(source, layout));
  if (startsAsXml(await headOf(source.open(), HEAD_BYTES))) return cachedFile('xml', () => xmlBatches(source, layout));
  const head = await readTextHead(source);
  const delimiter = detectDelimiter(head.head.subarray(0, DELIMITER_HEAD_BYTES));
  return {
    format: 'delimited',
    delimiter,
    codec: new TextCodec(head.encoding),
    records: () => scanDelimited(textBytes(source, head), { delimiter, quote: QUOTE }),
  };
}

/** Whether it starts as XML does, in any encoding. */
function startsAsXml(head: Buffer): boolean {
  return head
    .toString('latin1')
    .replaceAll('\0', '')
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    .trimStart()
    .startsWith('<');
}

function cachedFile(form: EventFileFormat, batches: () => AsyncGenerator<RowBatch, void, undefined>): EventFile {
  let stored: BatchCache | undefined;
  return {
    format: form,
    delimiter: '',
    codec: new TextCodec('utf-8'),
    async *records() {
      const before = stored;
      stored = undefined;
      if (before?.isComplete === true) return yield* batchRecords(before.replay());
      const keeping = new BatchCache();
      yield* batchRecords(keeping.store(batches()));
      stored = keeping;
    },
  };
}

/**
 * Returns the delimiter that splits most of the first lines into the layout's number of values; on a tie the one with
 * more values.
 */
function detectDelimiter(head: Buffer): string {
  let best = { delimiter: '|', fitting: -1, cells: -1 };
  for (const delimiter of ['|', ',']) {
    const scanner = new DelimitedScanner({ delimiter, quote: QUOTE });
    let fitting = 0;
    let cells = 0;
    for (const records of [scanner.write(head), scanner.end()]) {
      for (let record = 0; record < records.count; record++) {
        const count = (records.firstCells[record + 1] as number) - (records.firstCells[record] as number);
        if (count === LAYOUT_COLUMNS || count === LAYOUT_COLUMNS + 1) fitting++;
        cells += count;
      }
      // The next call overwrites these records.
    }
    if (fitting > best.fitting || (fitting === best.fitting && cells > best.cells))
      best = { delimiter, fitting, cells };
  }
  return best.delimiter;
}

/** Reads a column as text: a worksheet would turn a loan number into a date. */
function textMap({ name }: EventColumn): ImportMap {
  return {
    source: name,
    destination: name,
    type: 'Column',
    translation: undefined,
    isText: true,
    required: false,
    dataType: undefined,
  };
}

/** What the workbook reader needs of an import type besides the columns. */
const sheetTemplate = {
  id: 0,
  name: 'LegacyEvents',
  engine: 'LegacyEventsEngine',
  appliesTo: undefined,
  operationsAllowed: 0,
  importStatement: undefined,
  schema: undefined,
};

/** Reads the rows of all worksheets. */
async function* workbookBatches(source: ImportSource, layout: EventLayout): AsyncGenerator<RowBatch, void, undefined> {
  const columns = [...layout.columns.map((column) => column.name), IMPORT_REASON];
  const workbook = await openWorkbook(source, {
    ...sheetTemplate,
    options: new Map([
      ['header', 'false'],
      ['columns', columns.join(',')],
    ]),
    maps: layout.columns.filter((column) => column.kind === 'text').map(textMap),
  });
  const maker = new RowBatchBuilder();
  for (const sheet of workbook.sheets) {
    for await (const { rows } of sheet.rows()) {
      for (const { line, values, problem } of rows) {
        const cells = layout.columns.map((column) => values[column.name] ?? '');
        if (problem === undefined && cells.every((cell) => cell === '')) continue;
        maker.add(line, cells, problem);
      }
      if (maker.isFull) yield maker.take() as RowBatch;
    }
  }
  const last = maker.take();
  if (last) yield last;
}
