import type { ListAnswer, Shape } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { forEachBatch } from '../../../../kernel/database/cursor.ts';
import { f } from '../../../../kernel/declare/field.ts';
import { SqlParameters } from '../../../../kernel/records/search/filter.ts';
import { assertPage } from '../../../../kernel/records/search/search.ts';
import { findTemplate } from '../../../../kernel/records/save/template.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { itemDefinition, type ItemDefinition } from './score-definition.ts';
import { recordColumns, addRecordColumns, type RecordColumns } from './scored-records.ts';
import { clearValue, shownValue, storedValueColumns, valueText, type StoredValue } from './sealed-value.ts';
import { unmaskedItems } from './unmask.ts';

/** Rows per piece when an analysis is read whole. */
const PIECE_ROWS = 500;

/** The columns of each value; the columns of the scored record follow ObjectID. */
export const itemRowFields = {
  Object: f.text({ doc: 'The class of the scored record.' }),
  ObjectID: f.id({ doc: 'The scored record.' }),
  ScoreID: f.id({ doc: 'The score.', to: 'Score' }),
  ScoreTemplate: f.text({ doc: 'The scorecard.' }),
  ScoreItemTemplate: f.text({ doc: 'The item.' }),
  Label: f.text({ doc: "The item's name as shown to users." }),
  ValueType: f.text({ doc: 'The type of the value.' }),
  Value: f.text({ doc: 'The value as text; masked if the item has a mask.' }),
  Confidence: f.decimal({ doc: 'The confidence in the value.' }),
  ScoreConfidence: f.decimal({ doc: 'The confidence in the score.' }),
  UpdatedDate: f.timestamp({ doc: 'When the value was last changed.' }),
};

const shape: Shape = Object.entries(itemRowFields).map(([name, field]) => ({ name, field }));

interface ItemRowsQuery {
  readonly Object?: string | null;
  readonly ObjectID?: readonly number[] | null;
  readonly Template?: string | null;
  readonly RecordColumns?: readonly string[] | null;
  readonly Unmask?: boolean | null;
  readonly RecordStart?: number | null;
  readonly DisplaySize?: number | null;
}

type ValueRow = StoredValue & {
  readonly Object: string | null;
  readonly ObjectID: number | null;
  readonly ScoreID: number;
  readonly ScoreTemplate: string | null;
  readonly ScoreItemTemplate: string | null;
  readonly Label: string | null;
  readonly ValueType: string;
  readonly Confidence: string | null;
  readonly ScoreConfidence: string | null;
  readonly UpdatedDate: string | null;
  /** The template's item. */
  readonly at: number;
};

/** Returns the values of the scores on records of a class: one page, or all in pieces. */
export async function itemRows(
  ctx: Context,
  query: ItemRowsQuery,
): Promise<{ page(): Promise<ListAnswer>; whole(take: (piece: ListAnswer) => Promise<void>): Promise<void> }> {
  const columns = recordColumns(ctx, String(query.Object), query.RecordColumns ?? []);
  const [start, size] = [query.RecordStart ?? 0, query.DisplaySize ?? 25];
  assertPage(start, size);
  const sql = new SqlParameters();
  const text = await queryText(ctx, columns, query, sql);
  const unmask = query.Unmask ?? false;
  return {
    page: async () =>
      toListAnswer(
        ctx,
        columns,
        await ctx.db.query<ValueRow>(
          `${text} limit ${sql.add(size, 'integer')} offset ${sql.add(start, 'integer')}`,
          sql.values,
        ),
        unmask,
      ),
    whole: (take) =>
      forEachBatch<ValueRow>(ctx.transaction(), { text, values: sql.values, size: PIECE_ROWS }, async (rows) =>
        take(await toListAnswer(ctx, columns, rows, unmask)),
      ),
  };
}

async function queryText(
  ctx: Context,
  { record }: RecordColumns,
  { ObjectID, Template }: ItemRowsQuery,
  sql: SqlParameters,
): Promise<string> {
  const conditions = [
    `score.object = any(${sql.add(arrayLiteral(ctx.registry.family(record).map(({ name }) => name)), 'text[]')})`,
    'scoreitem.scoreitemtemplateid is not null',
  ];
  if (ObjectID) conditions.push(`score.objectid = any(${sql.add(arrayLiteral(ObjectID), 'bigint[]')})`);
  if (typeof Template === 'string') {
    const scoreTemplate = ctx.registry.recordType('ScoreTemplate');
    const { id } = await findTemplate(ctx, scoreTemplate, {
      name: Template,
      parentClass: record.name,
      field: 'Template',
    });
    conditions.push(`score.scoretemplateid = ${sql.add(id, 'bigint')}`);
  }
  return `select score.object as "Object", score.objectid as "ObjectID", score.scoreid as "ScoreID",
    scoretemplate.scoretemplate as "ScoreTemplate", scoreitemtemplate.scoreitemtemplate as "ScoreItemTemplate",
      scoreitemtemplate.label as "Label", coalesce(scoreitemtemplate.valuetype, 'String') as "ValueType",
      scoreitem.confidence as "Confidence", score.confidence as "ScoreConfidence", scoreitem.updateddate as
      "UpdatedDate",
      scoreitem.scoreitemtemplateid as at, ${storedValueColumns}
    from scoreitem join score on score.scoreid = scoreitem.scoreid
    join scoreitemtemplate on scoreitemtemplate.scoreitemtemplateid = scoreitem.scoreitemtemplateid
      left join scoretemplate on scoretemplate.scoretemplateid = score.scoretemplateid
    where ${conditions.join(' and ')}
    order by score.objectid, score.scoreid, scoreitemtemplate.sequence nulls last, scoreitem.scoreitemid`;
}

async function toListAnswer(
  ctx: Context,
  columns: RecordColumns,
  rows: readonly ValueRow[],
  unmask: boolean,
): Promise<ListAnswer> {
  const items = new Map<number, ItemDefinition>();
  for (const { at } of rows) {
    const item = items.get(at) ?? (await itemDefinition(ctx, at));
    if (item) items.set(at, item);
  }
  const open = await unmaskedItems(ctx, [...items.values()], unmask, null);
  const valueRows = rows.map((row) => {
    const item = items.get(row.at);
    return {
      ...row,
      Value: item ? valueText(open.has(item.id) ? clearValue(ctx, item, row) : shownValue(item, row)) : null,
    };
  });
  return addRecordColumns(ctx, { kind: 'list', name: 'Score', shape, rows: valueRows }, columns);
}
