import { recordItem, shapeOf, type ItemAnswer, type Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { f } from '../../../../kernel/declare/field.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { isClosed } from '../../../../kernel/records/search/read.ts';
import { fromOf, idOf, selectListOf } from '../../../../kernel/database/sql.ts';
import { columnText } from '../../lib/column-text.ts';
import { templateOf } from './worklists.ts';
import type { smartWorklistMember, WorkItem } from '../smartworklistmember.record.ts';

/** The answer field for the address to open. */
export const memberUrlField = f.text({
  doc: 'The address to open for the work item, with its placeholders filled; omitted if the template has none.',
});

/** A row with its record type. */
export interface TypedRow {
  readonly record: RecordType;
  readonly row: Row;
}

/**
 * Returns the record of an item as the caller may read it: `gone` if it is deleted or not visible. A caller who may
 * not select its type gets the item without it, and a warning.
 */
export async function readSource(ctx: Context, item: WorkItem): Promise<TypedRow | 'gone' | 'withheld'> {
  const record = ctx.registry.record(item.SourceObject);
  if (!record || isClosed(ctx, record)) return 'withheld';
  const [row] = await ctx.db.query(
    `select ${selectListOf(record)} from ${fromOf(record)} where ${idOf(record)} = $1::bigint`,
    [item.SourceObjectID],
  );
  if (!row) return 'gone';
  const permission = ctx.registry.find(record.module, 'select')?.operation.permissionName ?? `${record.name}Select`;
  if (ctx.authority === 'granted' || ctx.user.permissions.has(permission)) return { record, row };
  ctx.alert({
    code: 'RECORD_WITHHELD',
    text: `You don't have the permission ${permission}: the work item's record is omitted.`,
    id: item.SmartWorklistMemberID,
  });
  return 'withheld';
}

/**
 * Fills each `{Field}` of the template's MemberUrl from the item, or else its record. Values are encoded, so that none
 * becomes another part of the address.
 */
function fillUrl(url: string, item: TypedRow, source: TypedRow | undefined): string {
  const valueOf = ({ record, row }: TypedRow, name: string): unknown => {
    const column = record.columns.get(name.toLowerCase());
    return column && column.read !== null ? row[column.name] : undefined;
  };
  return url.replace(/\{\s*(\w+)\s*\}/g, (_whole, name: string) => {
    const own: unknown = item.record.columns.has(name.toLowerCase())
      ? valueOf(item, name)
      : source && valueOf(source, name);
    return encodeURIComponent(columnText(own));
  });
}

/** Returns the filled address of an item. */
export async function memberUrl(
  ctx: Context,
  item: TypedRow,
  templateId: number | null,
  source: TypedRow | undefined,
): Promise<string | null> {
  const template = await templateOf(ctx, templateId);
  return template?.memberUrl ? fillUrl(template.memberUrl, item, source) : null;
}

type ItemWithUrl = WorkItem & { readonly MemberUrl: string | null };

/** Returns an item with the address to open. */
export async function itemWithUrl(
  ctx: Context,
  record: typeof smartWorklistMember,
  row: WorkItem,
): Promise<ItemAnswer<ItemWithUrl>> {
  const [worklist] = await ctx.db.query<{ templateId: number | null }>(
    'select smartworklisttemplateid as "templateId" from smartworklist where smartworklistid = $1::bigint',
    [row.SmartWorklistID],
  );
  const source = await readSource(ctx, row);
  const url = await memberUrl(
    ctx,
    { record, row },
    worklist?.templateId ?? null,
    typeof source === 'string' ? undefined : source,
  );
  return { ...recordItem(record, row), shape: shapeWithUrl(record), row: { ...row, MemberUrl: url } };
}

const shapes = new WeakMap<RecordType, ItemAnswer['shape']>();

function shapeWithUrl(record: RecordType): ItemAnswer['shape'] {
  let shape = shapes.get(record);
  if (!shape) shapes.set(record, (shape = [...shapeOf(record), { name: 'MemberUrl', field: memberUrlField }]));
  return shape;
}
