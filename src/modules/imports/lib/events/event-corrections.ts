import type { ImportEngine, ImportSource } from '../../../../contracts/import-engine.ts';
import { IMPORT_REASON } from '../../../../lib/readers/columns.ts';
import { REASON_PREFIX, withoutLastReason } from '../../../../lib/readers/delimited.ts';
import type { DelimitedRecords } from '../../../../lib/readers/scan-delimited.ts';
import { openEventFile, QUOTE, type EventFile } from './file/event-file.ts';
import type { EventLayout } from './file/event-layout.ts';

type FailedRows = AsyncIterable<{ readonly line: number; readonly reason: string }>;
type Corrections = ReturnType<ImportEngine['corrections']>;

/** Characters of a corrections file yielded at once. */
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Returns the failed rows as a file to be corrected. Text and workbooks become delimited text with the reason as last
 * column, which is ignored after 110 columns and refused as one of them. XML stays XML with the reason as a comment
 * before each event; an event that could not be read has it as an element too, and is refused until that is removed.
 */
export function eventCorrections(source: ImportSource, layout: EventLayout, failed: FailedRows): Corrections {
  return { fileName: 'Events-corrections.csv', mime: 'text/plain', bytes: correctedBytes(source, layout, failed) };
}

async function* correctedBytes(
  source: ImportSource,
  layout: EventLayout,
  failed: FailedRows,
): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await openEventFile(source, layout);
  const asXml = file.format === 'xml';
  let text = asXml ? '<?xml version="1.0" encoding="utf-8"?>\n<Events>\n' : '';
  // Text keeps its delimiter; other formats get one that spreadsheets open.
  const delimiter = file.format === 'delimited' ? file.delimiter : ',';
  for await (const row of failedRows(file, failed)) {
    text += asXml ? xmlElementText(layout, row) : delimitedLine(row, delimiter);
    if (text.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(asXml ? `${text}</Events>\n` : text);
}

/** A failed row as it was sent. */
interface FailedRow {
  readonly values: readonly string[];
  readonly reason: string;
  /** Whether the row could be read. */
  readonly isReadable: boolean;
}

/**
 * Yields the failed rows with their values, reading the file and the failures in parallel: both are ordered by line.
 */
async function* failedRows(file: EventFile, failed: FailedRows): AsyncGenerator<FailedRow, void, undefined> {
  const iterator = failed[Symbol.asyncIterator]();
  let next = await iterator.next();
  for await (const records of file.records()) {
    for (let record = 0; record < records.count; record++) {
      const line = records.lines[record] ?? 0;
      while (next.done !== true && next.value.line < line) next = await iterator.next();
      if (next.done === true) return;
      if (next.value.line !== line) continue;
      const bytes = records.bytes.subarray(records.recordStarts[record], records.recordEnds[record]);
      const isReadable = file.codec.accepts(bytes) && !records.problems.has(record);
      // Unreadable events of XML and workbooks have cells; those of text may not.
      const values =
        !isReadable && file.format === 'delimited' ? [bytes.toString('latin1')] : recordCells(file, records, record);
      yield { values, reason: next.value.reason, isReadable };
    }
  }
}

function delimitedLine({ values, reason }: FailedRow, delimiter: string): string {
  return delimitedRow([...withoutLastReason(values), REASON_PREFIX + reason], delimiter);
}

/** Returns the cells of a record as text. */
export function recordCells(file: EventFile, records: DelimitedRecords, record: number): string[] {
  const values: string[] = [];
  for (let cell = records.firstCells[record] ?? 0; cell < (records.firstCells[record + 1] ?? 0); cell++)
    values.push(file.codec.text(records.bytes, records.starts[cell], records.ends[cell]).replaceAll('""', '"'));
  return values;
}

/** Returns values as a line of delimited text. */
export function delimitedRow(values: readonly string[], delimiter: string): string {
  return `${values.map(quoteIfNeeded).join(delimiter)}\n`;
}

const quoteIfNeeded = (value: string): string =>
  /["|,\n\r]/.test(value) ? `${QUOTE}${value.replaceAll('"', '""')}${QUOTE}` : value;

const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function xmlElementText(layout: EventLayout, { values, reason, isReadable }: FailedRow): string {
  const elements = layout.columns
    .map(({ name }, place) => `<${name}>${escapeMarkup(values[place] ?? '')}</${name}>`)
    .join('');
  const mark = isReadable ? '' : `<${IMPORT_REASON}>${escapeMarkup(reason)}</${IMPORT_REASON}>`;
  return `<!-- ${escapeMarkup(reason).replace(/-(?=-|$)/g, '- ')} -->\n<Body>${mark}${elements}</Body>\n`;
}
