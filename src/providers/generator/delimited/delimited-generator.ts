import type { Generator } from '../../../contracts/generator.ts';
import { f } from '../../../kernel/declare/field.ts';
import type { Shape } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { valueText } from '../../../kernel/parameters/value-text.ts';
import { csvCell, neutralizeFormula, spreadsheetText } from '../../../kernel/render/csv.ts';

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
  Literal: f.boolean({
    doc:
      'Whether text is written unchanged, for programs. Otherwise a leading apostrophe disarms text that a ' +
      'spreadsheet would run as a formula.',
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
  async generate({ data, options: { Delimiter, Header, LineEnd, ByteOrderMark, Literal }, signal }) {
    if (data.kind !== 'tables') throw new Error('a delimited file is made of tables');
    const [table] = data.tables;
    if (!table) throw new PlatformError('BAD_PARAMETER', { field: 'Method', message: 'Method: returned no table.' });
    const delimiter = Delimiter.toLowerCase() === 'tab' ? '\t' : Delimiter;
    const end = LineEnd === 'LF' ? '\n' : '\r\n';
    const line = (texts: readonly string[]): string =>
      texts.map((text) => csvCell(text, delimiter)).join(delimiter) + end;
    const head = table.columns.map(({ name }) => (Literal ? name : neutralizeFormula(name)));
    const textOf = (column: Shape[number], value: unknown): string =>
      Literal ? valueText(value ?? '') : spreadsheetText(column.field, value);
    return {
      mime: 'text/csv',
      extension: delimiter === '\t' ? 'tsv' : 'csv',
      async *bytes() {
        let text = `${ByteOrderMark ? '\uFEFF' : ''}${Header ? line(head) : ''}`;
        for await (const row of table.rows()) {
          signal.throwIfAborted();
          text += line(table.columns.map((column) => textOf(column, row[column.name])));
          if (text.length < PIECE_CHARACTERS) continue;
          yield Buffer.from(text);
          text = '';
        }
        yield Buffer.from(text);
      },
    };
  },
};
