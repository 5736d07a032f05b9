import type { Generator } from '../../../contracts/generator.ts';
import { f } from '../../../kernel/declare/field.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';

/** Bytes that are passed on together. */
const PIECE_CHARACTERS = 64 * 1024;

const options = {
  Delimiter: f.text({ doc: 'The character between two columns; Tab for a tabulator.', max: 3, default: ',' }),
  Header: f.boolean({ doc: 'Whether the first line has the names of the columns.', default: true }),
  LineEnd: f.choice(['CRLF', 'LF'], { doc: 'The end of a line.', default: 'CRLF' }),
  ByteOrderMark: f.boolean({
    doc: 'Whether the file begins with a byte order mark, as spreadsheets expect.',
    default: false,
  }),
};

/** Makes delimited text, in UTF-8, of the first table of the data. */
export const delimitedGenerator: Generator<typeof options> = {
  doc: 'Delimited text: one line for each row of the data.',
  options,
  reads: 'tables',
  templates: [],
  needsTemplate: false,
  async generate({ data, options: { Delimiter, Header, LineEnd, ByteOrderMark }, signal }) {
    if (data.kind !== 'tables') throw new Error('a delimited file is made of tables');
    const [table] = data.tables;
    if (!table) throw new PlatformError('BAD_PARAMETER', { field: 'Method', message: 'Method: returned no table.' });
    const delimiter = Delimiter.toLowerCase() === 'tab' ? '\t' : Delimiter;
    const end = LineEnd === 'LF' ? '\n' : '\r\n';
    const names = table.columns.map(({ name }) => name);
    const line = (values: readonly unknown[]): string =>
      values.map((value) => cell(value, delimiter)).join(delimiter) + end;
    return {
      mime: 'text/csv',
      extension: delimiter === '\t' ? 'tsv' : 'csv',
      async *bytes() {
        let text = `${ByteOrderMark ? '\uFEFF' : ''}${Header ? line(names) : ''}`;
        for await (const row of table.rows()) {
          signal.throwIfAborted();
          text += line(names.map((name) => row[name]));
          if (text.length < PIECE_CHARACTERS) continue;
          yield Buffer.from(text);
          text = '';
        }
        yield Buffer.from(text);
      },
    };
  },
};

/** Returns a value as one cell, in quotes where its characters would end it. */
function cell(value: unknown, delimiter: string): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
