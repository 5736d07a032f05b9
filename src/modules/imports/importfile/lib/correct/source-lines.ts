import type { ImportEngine, SourceRow } from '../../../../../contracts/import-engine.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { OpenImportFile } from '../open-import-file.ts';

/** An import whose rows can be read one by one. */
export interface RowImportFile extends OpenImportFile {
  readonly engine: ImportEngine & Required<Pick<ImportEngine, 'rows'>>;
}

/** Whether single rows of an import can be corrected: its engine reads rows. */
export function hasRows(file: OpenImportFile): file is RowImportFile {
  return file.engine.rows !== undefined;
}

/**
 * Requires an import whose rows can be corrected one by one.
 * @throws STATE_REFUSES naming the other way
 */
export function requireRows(file: OpenImportFile): RowImportFile {
  if (hasRows(file)) return file;
  throw new PlatformError('STATE_REFUSES', {
    field: 'ID',
    message:
      `ID: rows of ${file.template.engine} imports cannot be corrected one by one. Download the failed rows ` +
      '(importfile/corrections), correct them and send that file.',
  });
}

/** Yields the rows of the source with these lines, and reads no further than the last of them. */
export async function* sourceLines(
  { engine, source, template }: RowImportFile,
  lines: ReadonlySet<number>,
): AsyncGenerator<SourceRow, void, undefined> {
  let left = lines.size;
  if (left === 0) return;
  for await (const rows of engine.rows(source, template)) {
    for (const row of rows) {
      if (!lines.has(row.line)) continue;
      yield row;
      if (--left === 0) return;
    }
  }
}
