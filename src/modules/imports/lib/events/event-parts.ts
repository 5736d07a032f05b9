import type { DocumentPart, ImportParts, ImportSource } from '../../../../contracts/import-engine.ts';
import { delimitedRow, recordCells } from './event-corrections.ts';
import { openEventFile } from './file/event-file.ts';
import type { EventLayout } from './file/event-layout.ts';

/** Delimiter of corrected rows, whatever the format of the file was. */
const DELIMITER = '|';

/**
 * Returns the parts of event files: their rows. Corrected rows become delimited text, in which the platform reads every
 * value of a workbook or of XML alike.
 */
export function eventParts(layout: EventLayout): ImportParts {
  return {
    read: (source, _template, lines) => rows(source, layout, lines),
    // A file that is refused as a whole has no rows that could be read.
    issues: () => Promise.resolve([]),
    write: (source, _template, { lines, values }) => ({
      fileName: 'Events-corrected.csv',
      async *open() {
        for await (const { line, values: before } of rows(source, layout, lines)) {
          const changed: Readonly<Record<string, string>> = { ...before, ...values.get(line) };
          yield Buffer.from(
            delimitedRow(
              layout.columns.map(({ name }) => changed[name] ?? ''),
              DELIMITER,
            ),
          );
        }
      },
    }),
  };
}

/** Yields rows with a value for each column of the layout. */
async function* rows(
  source: ImportSource,
  layout: EventLayout,
  lines: ReadonlySet<number> | undefined,
): AsyncGenerator<DocumentPart, void, undefined> {
  let left = lines?.size ?? Infinity;
  if (left === 0) return;
  const file = await openEventFile(source, layout);
  for await (const records of file.records()) {
    for (let record = 0; record < records.count; record++) {
      const line = records.lines[record] ?? 0;
      if (lines && !lines.has(line)) continue;
      const cells = recordCells(file, records, record);
      const problem = records.problems.get(record);
      yield {
        line,
        values: Object.fromEntries(layout.columns.map(({ name }, place) => [name, cells[place] ?? ''])),
        absent: [],
        ...(problem === undefined ? {} : { problem }),
      };
      if (--left === 0) return;
    }
  }
}
