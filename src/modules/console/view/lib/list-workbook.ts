import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import type { Field } from '../../../../kernel/declare/field-types.ts';
import { columnLabel, fieldLabel } from '../../../../kernel/declare/labels.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { ListAnswer, Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { isClosed } from '../../../../kernel/records/search/read.ts';
import { DISPLAY_SIZE_MAX, searchAllPages, searchRecords } from '../../../../kernel/records/search/search.ts';
import { columnWidth, workbookCell } from '../../../../lib/writers/workbook-cell.ts';
import { WORKBOOK_ROWS_MAX, writeWorkbook, type WorkbookRow } from '../../../../lib/writers/workbook.ts';
import type { ViewFilters } from './view-search.ts';

/** A list that is exported. */
export interface ExportedList extends ViewFilters {
  readonly columns: readonly string[];
  readonly orderBy: readonly string[];
}

interface WorkbookColumn {
  readonly name: string;
  readonly field: Field;
}

/** The labels of records, by type and id. */
type LabelsByType = ReadonlyMap<string, ReadonlyMap<number, string>>;

/**
 * Streams the records of a list as a workbook, page by page. Throws BAD_PARAMETER for a list that is too long for one.
 */
export async function listWorkbook(
  ctx: Context,
  record: RecordType,
  list: ExportedList,
): Promise<AsyncIterable<Uint8Array>> {
  const hasParent = list.columns.some((name) => name.toLowerCase() === 'objectid');
  const hidden = hasParent && !list.columns.some((name) => name.toLowerCase() === 'object') ? ['Object'] : [];
  const paging = {
    SqlFilters: list.named,
    SqlColumns: list.columns.length === 0 ? [] : [...list.columns, ...hidden],
    OrderBy: list.orderBy,
    RecordCount: false,
    DisplaySize: DISPLAY_SIZE_MAX,
  };
  await assertFits(ctx, record, list);
  // A queued call stores its answer, and an agent reads it in one piece: both get the first page.
  const isStreamed = ctx.messageId === undefined && ctx.user.agent !== true;
  const read = isStreamed ? searchAllPages : searchRecords;
  const found: ListAnswer = await read(ctx, record, list.filters, paging);
  const columns = columnsOf(found).filter(({ name }) => !hidden.includes(name));
  // The cells of a record's parent name it, so the head is that of its type.
  const heads = columns.map(({ name, field }) =>
    hasParent && name === 'ObjectID' ? columnLabel(record, 'Object') : fieldLabel(name, field),
  );
  return writeWorkbook([
    {
      name: record.titlePlural,
      isHeadFrozen: true,
      widths: columns.map(({ field }, at) => columnWidth(field, heads[at] ?? '')),
      rows: sheetRows(ctx, { found, columns, heads }),
    },
  ]);
}

/** Throws BAD_PARAMETER if a list has more records than a worksheet has rows. */
async function assertFits(ctx: Context, record: RecordType, { filters, named }: ExportedList): Promise<void> {
  const paging = { SqlFilters: named, SqlColumns: [record.idField], DisplaySize: 1, RecordCount: true };
  const { rows } = await searchRecords(ctx, record, filters, paging);
  const { RecordCount = 0 } = rows[0] ?? {};
  const count = Number(RecordCount);
  if (count >= WORKBOOK_ROWS_MAX)
    throw bad('Filters', `a list of at most ${WORKBOOK_ROWS_MAX - 1} records, not ${count}; or export it as CSV`);
}

function columnsOf({ shape }: ListAnswer): readonly WorkbookColumn[] {
  const paging: ReadonlySet<string> = new Set(['RecordCount', 'RecordCountIsEstimate', 'NextCursor']);
  return shape.flatMap(({ name, field }) => (paging.has(name) ? [] : [{ name, field }]));
}

interface SheetSource {
  readonly found: ListAnswer;
  readonly columns: readonly WorkbookColumn[];
  readonly heads: readonly string[];
}

async function* sheetRows(ctx: Context, { found, columns, heads }: SheetSource): AsyncGenerator<WorkbookRow> {
  const zone = ctx.user.preferences?.timeZone ?? ctx.settings.get(timeZone);
  yield heads.map((text) => ({ text, style: 'head' as const }));
  for await (const rows of pagesOf(found)) {
    const labels = await readLabels(ctx, columns, rows);
    for (const row of rows)
      yield columns.map(({ name, field }) => {
        const label = labels.get(targetOf(row, name, field) ?? '')?.get(Number(row[name]));
        return label ?? workbookCell(field, row[name], zone);
      });
  }
}

async function* pagesOf({ rows, more }: ListAnswer): AsyncGenerator<readonly Row[]> {
  yield rows;
  if (more) yield* more;
}

/** Returns the record type to which a value refers: the field's, or for the parent of a record, the row's. */
function targetOf(row: Row, name: string, { to }: Field): string | undefined {
  if (to !== undefined || name !== 'ObjectID') return to;
  const { Object: parent } = row;
  return typeof parent === 'string' ? parent : undefined;
}

/** Reads the labels of the records that a page refers to, as far as the user may search them. */
async function readLabels(
  ctx: Context,
  columns: readonly WorkbookColumn[],
  rows: readonly Row[],
): Promise<LabelsByType> {
  const ids = new Map<string, Set<number>>();
  for (const { name, field } of columns)
    if (field.kind === 'id')
      for (const row of rows) {
        const target = targetOf(row, name, field);
        const id = row[name];
        if (target !== undefined && typeof id === 'number')
          ids.set(target, (ids.get(target) ?? new Set<number>()).add(id));
      }
  const read = [...ids].map(async ([name, of]) => [name, await labelsOfType(ctx, name, [...of])] as const);
  return new Map(await Promise.all(read));
}

async function labelsOfType(ctx: Context, name: string, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const record = ctx.registry.record(name);
  if (!record || !ctx.user.permissions.has(`${record.name}Search`) || isClosed(ctx, record)) return new Map();
  const labels = new Map<number, string>();
  for (let at = 0; at < ids.length; at += DISPLAY_SIZE_MAX) {
    const ID = ids.slice(at, at + DISPLAY_SIZE_MAX).join(',');
    const paging = { SqlColumns: [record.idField, record.name], RecordCount: false, DisplaySize: DISPLAY_SIZE_MAX };
    const { rows } = await searchRecords(ctx, record, { ID }, paging);
    for (const row of rows) {
      const label = row[record.name];
      if (typeof label === 'string' && label !== '') labels.set(Number(row[record.idField]), label);
    }
  }
  return labels;
}
