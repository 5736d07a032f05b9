import type { ImportIssue, ImportSource, ImportTemplate } from '../../../contracts/import-engine.ts';
import { fitsTemplate, missingColumns } from '../../../lib/readers/columns.ts';
import { declaredEncoding, TextCodec } from '../../../lib/readers/encoding.ts';
import { correctionsFileName, followFailed, oneLine, type FailedLine } from '../../../lib/readers/failed-lines.ts';
import { FIXED_REASON, fixedWidthOptions, fixedWidthRows, openFixedWidth } from '../../../lib/readers/fixed-width.ts';
import { CELL_BYTES_MAX } from '../../../lib/readers/limits.ts';
import { firstRows, rowEngine, type RowDocument } from '../../../lib/readers/row-document.ts';

/** Reads text with columns at fixed positions. */
export const fixedWidthEngine = rowEngine({
  doc: 'Text with columns of fixed width, with or without line ends, as written by older systems.',
  options: fixedWidthOptions,
  async open(source, template) {
    const opened = await openFixedWidth(source, template);
    return { columns: opened.columns, rows: () => fixedWidthRows(opened) };
  },
  fits: async (document, template) =>
    fitsTemplate(template, document.columns ?? []) && (await firstRows(document, 1))[0]?.problem === undefined,
  validate: validateFixedWidth,
  corrections: (source, template, failed) => ({
    fileName: correctionsFileName(source.fileName, ['txt', 'dat', 'asc', 'prn']),
    mime: 'text/plain',
    bytes: correctedBytes(source, template, failed),
  }),
});

/** Rows inspected: if none of the first can be read, the document has another form. */
const ROWS_JUDGED = 20;

async function validateFixedWidth(
  document: RowDocument,
  _source: ImportSource,
  template: ImportTemplate,
  issuesMax: number,
): Promise<readonly ImportIssue[]> {
  const issues: ImportIssue[] = missingColumns(template, document.columns ?? []).map((column) => ({
    line: 0,
    message: `Columns: does not contain ${column}, which the import type maps.`,
  }));
  const rows = await firstRows(document, ROWS_JUDGED);
  if (rows.length > 0 && rows.every((row) => row.problem !== undefined))
    issues.push(...rows.map((row) => ({ line: row.line, message: row.problem ?? '' })));
  return issues.slice(0, issuesMax);
}

/** Returns the bytes of an unreadable row; a row that was too long is omitted. */
function unreadableBytes(bytes: Buffer): Buffer {
  return bytes.length > CELL_BYTES_MAX ? Buffer.alloc(0) : new TextCodec('utf-8').toUtf8(bytes);
}

/** Yields the failed rows with the reason after the last column, where it is ignored when they are sent again. */
async function* correctedBytes(
  source: ImportSource,
  template: ImportTemplate,
  failed: AsyncIterable<FailedLine>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const lines = await followFailed(failed);
  try {
    const opened = await openFixedWidth(source, template);
    const declared = declaredEncoding(template.options.get('encoding'));
    // A byte order mark takes precedence over the declared encoding, and these bytes are UTF-8.
    if (opened.head.hasMark || (declared !== undefined && declared !== 'utf-8')) yield Buffer.from('\ufeff');
    for await (const records of opened.records()) {
      const parts: Uint8Array[] = [];
      for (const { line, bytes, text } of records) {
        const reason = await lines.reasonOf(line);
        if (reason === undefined) continue;
        const written = text === undefined ? unreadableBytes(bytes) : Buffer.from(text);
        parts.push(written, Buffer.from(`${FIXED_REASON}${oneLine(reason)}\r\n`));
      }
      if (parts.length > 0) yield Buffer.concat(parts);
      if (lines.isExhausted) return;
    }
  } finally {
    await lines.close();
  }
}
