import type { Field } from '../../../../../kernel/declare/field-types.ts';
import type { RecordType } from '../../../../../kernel/declare/record.ts';

/** Number of columns of the layout. */
export const LAYOUT_COLUMNS = 110;

/** Kinds of column values. */
export type ColumnKind = 'text' | 'day' | 'instant' | 'amount';

/** One column of the layout. */
export interface EventColumn {
  /** Name of its XML element and of the record's column. */
  readonly name: string;
  readonly kind: ColumnKind;
  /** Most characters of a text. */
  readonly max: number;
  readonly field: Field;
}

/** The layout of an event file, with the positions of the columns that the import reads. */
export interface EventLayout {
  readonly columns: readonly EventColumn[];
  /** Returns the position of a column, from 0. */
  place(name: string): number;
}

const COLUMN_KINDS: Readonly<Record<string, ColumnKind>> = {
  text: 'text',
  date: 'day',
  timestamp: 'instant',
  money: 'amount',
};

/** Returns the layout declared by the record of events: its first 110 columns, in order. */
export function eventLayout(record: RecordType): EventLayout {
  const columns = Object.entries(record.fields)
    .slice(0, LAYOUT_COLUMNS)
    .map(([name, field]): EventColumn => {
      const kind = COLUMN_KINDS[field.kind];
      if (kind === undefined || (kind === 'text' && field.max === undefined))
        throw new Error(`${record.name}.${name} cannot be a column of the layout`);
      return { name, kind, max: field.max ?? 0, field };
    });
  const places = new Map(columns.map((column, index) => [column.name, index]));
  return {
    columns,
    place(name) {
      const index = places.get(name);
      if (index === undefined) throw new Error(`the layout has no column ${name}`);
      return index;
    },
  };
}
