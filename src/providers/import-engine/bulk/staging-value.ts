import type { ImportMap } from '../../../contracts/import-engine.ts';
import { mappedText } from '../../../contracts/import-value.ts';
import { f } from '../../../kernel/declare/field.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { maskedStart } from '../../../kernel/security/mask.ts';
import { parseValue } from '../../../kernel/parameters/parse-value.ts';
import { widerType, type ColumnType } from './column-type.ts';
import type { StagingColumn } from './staging-plan.ts';

/** How values are checked, besides their column. */
export interface ValueContext {
  /** Options of the import type, such as the date order. */
  readonly options: ReadonlyMap<string, string>;
  readonly timeZone: string;
  /** Called to widen a column; undefined if columns keep their types. */
  readonly widen: ((column: StagingColumn, type: ColumnType) => void) | undefined;
}

const instant = f.timestamp({ doc: '' });

/**
 * Returns the value of a staging column in a row, '' if it has none. `cell` returns the text of a source column.
 * @throws BAD_PARAMETER, MISSING_PARAMETER naming the column, the value and what was expected
 */
export function stagingValue(column: StagingColumn, cell: (index: number) => string, judgement: ValueContext): string {
  let value = '';
  for (const { index, map, constant } of column.feeds) {
    const fed =
      constant ??
      (map === undefined
        ? cell(index as number)
        : mappedText(map, index === undefined ? undefined : cell(index), judgement.options));
    if (fed !== undefined && fed !== '') value = fed;
  }
  return value === '' ? '' : fitToColumn(column, value, judgement);
}

/** Returns the value in the column's type; widens the column if it does not fit and may be widened. */
function fitToColumn(column: StagingColumn, value: string, judgement: ValueContext): string {
  const { type } = column;
  const { widen } = judgement;
  try {
    const text = type.dataType === undefined ? value : convertToType(column, type.dataType, value, judgement);
    const expected = text === '' ? undefined : type.misfit(text);
    if (expected === undefined) return text;
    throw new PlatformError('BAD_PARAMETER', {
      field: column.source,
      message: `${column.source}: "${maskedStart(value, 100)}" does not fit into the column; expected ${expected}.`,
    });
  } catch (error) {
    if (!widen || type.sql === 'text' || !(error instanceof PlatformError)) throw error;
    widen(column, widerType(type, value.trim()));
    return fitToColumn(column, value, judgement);
  }
}

/** Returns the value in the form of a data type. */
function convertToType(
  column: StagingColumn,
  dataType: NonNullable<ImportMap['dataType']>,
  value: string,
  judgement: ValueContext,
): string {
  const map: ImportMap = {
    source: column.source,
    destination: column.name,
    type: 'Column',
    translation: undefined,
    isText: false,
    required: false,
    dataType,
  };
  const text = mappedText(map, value, judgement.options) ?? '';
  // A time without a zone is in the installation's.
  return dataType === 'Timestamp' && text !== '' && column.type.sql !== 'timestamp without time zone'
    ? String(parseValue(instant, text, column.source, judgement))
    : text;
}
