import { isUtf8 } from 'node:buffer';
import type { ImportIssue, ImportSource, ImportTemplate } from '../../../contracts/import-engine.ts';
import { fitsTemplate, IMPORT_REASON } from '../../../lib/readers/columns.ts';
import { correctionsFileName, followFailed, oneLine, type FailedLine } from '../../../lib/readers/failed-lines.ts';
import { jsonItems, jsonOptions, jsonRows } from '../../../lib/readers/json.ts';
import type { JsonItem } from '../../../lib/readers/json-scan.ts';
import { countRows, firstRows, rowEngine, type RowDocument } from '../../../lib/readers/row-document.ts';

/** Reads JSON whose objects are records. */
export const jsonEngine = rowEngine({
  doc:
    'JSON: a list of objects, one object per line, or {"{Class}Collection": {"{Class}Item": […]}}, with ' +
    'linked records and children.',
  options: jsonOptions,
  async open(source, template) {
    const document: RowDocument = { columns: undefined, rows: () => jsonRows(source, template) };
    // A document that is not JSON fails at its first value.
    await firstRows(document, 1);
    return document;
  },
  async fits(document, template) {
    const [first] = await firstRows(document, 1);
    return !first || (first.problem === undefined && fitsTemplate(template, Object.keys(first.values)));
  },
  validate: validateJson,
  corrections: (source, template, failed) => ({
    fileName: correctionsFileName(source.fileName, ['json', 'ndjson', 'jsonl']),
    mime: 'application/json',
    bytes: correctedBytes(source, template, failed),
  }),
});

/** Rows inspected: if none of the first can be read, the document has another form. */
const ROWS_JUDGED = 20;

async function validateJson(
  document: RowDocument,
  _source: ImportSource,
  _template: ImportTemplate,
  issuesMax: number,
): Promise<readonly ImportIssue[]> {
  await countRows(document);
  const rows = await firstRows(document, ROWS_JUDGED);
  if (rows.length === 0 || rows.some((row) => row.problem === undefined)) return [];
  return rows.slice(0, issuesMax).map((row) => ({ line: row.line, message: row.problem ?? '' }));
}

/** Yields the failed objects within the members around them, each with the reason as its first member. */
async function* correctedBytes(
  source: ImportSource,
  template: ImportTemplate,
  failed: AsyncIterable<FailedLine>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const lines = await followFailed(failed);
  let around: readonly string[] | undefined;
  let count = 0;
  try {
    for await (const items of jsonItems(source, template)) {
      const parts: Uint8Array[] = [];
      for (const item of items) {
        const reason = await lines.reasonOf(item.line);
        if (reason === undefined) continue;
        if (count === 0) around = item.around;
        const before = separator(around, count);
        parts.push(Buffer.from(before), ...reasoned(item, reason), ...(around === undefined ? [LINE_END] : []));
        count++;
      }
      if (parts.length > 0) yield Buffer.concat(parts);
      if (lines.isExhausted) break;
    }
    if (count === 0) yield Buffer.from('[]\n');
    else if (around !== undefined) yield Buffer.from(`\n]${'}'.repeat(around.length)}\n`);
  } finally {
    await lines.close();
  }
}

/**
 * Returns the text before a row. Members around the rows are written once; without any, each object is on its own line.
 */
function separator(around: readonly string[] | undefined, count: number): string {
  if (around === undefined) return '';
  return count > 0 ? ',\n' : `${around.map((name) => `{${JSON.stringify(name)}:`).join('')}[\n`;
}

const LINE_END = Buffer.from('\n');
/** An earlier reason, which corrections write as the first member, must begin and end within this many characters. */
const EARLIER = /^\{[ \t\r\n]*"ImportReason"[ \t\r\n]*:[ \t\r\n]*"(?:[^"\\]|\\.)*"[ \t\r\n]*,?/i;
const EARLIER_CHARACTERS_MAX = 16 * 1024;

/** Returns an object with its reason. A value that is not an object, or was too large to read, is wrapped in one. */
function reasoned({ bytes, around }: JsonItem, reason: string): Uint8Array[] {
  const member = `{${JSON.stringify(IMPORT_REASON)}:${JSON.stringify(oneLine(reason).toWellFormed())}`;
  if (bytes?.[0] !== 0x7b)
    return [Buffer.from(`${member}${bytes ? `,"ImportText":${JSON.stringify(bytes.toString())}` : ''}}`)];
  const earlier = EARLIER.exec(bytes.toString('latin1', 0, EARLIER_CHARACTERS_MAX))?.[0].length ?? 1;
  const rest = bytes.subarray(earlier);
  // Line ends would split a line; within an object they are white space.
  const inLine = around === undefined && isUtf8(rest) ? Buffer.from(rest.toString().replace(/[\r\n]+/g, ' ')) : rest;
  const isEmpty = /^[ \t\r\n]*\}/.test(rest.toString('latin1', 0, 100));
  return [Buffer.from(isEmpty ? member : `${member},`), inLine];
}
