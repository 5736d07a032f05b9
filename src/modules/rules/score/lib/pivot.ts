import type { ListAnswer, Shape } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { Field } from '../../../../kernel/declare/field-types.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { ItemDefinition, ScoreDefinition } from './score-definition.ts';
import { CONFIDENCE } from './item-names.ts';
import { clearValue, shownValue, storedValueColumns, type StoredValue } from './sealed-value.ts';
import { columnOf, valueFields } from './score-value.ts';
import type { Score } from '../score.record.ts';
import type { ScoredRow } from './scored-records.ts';

/** How the items of scores become columns. */
export interface Pivot {
  readonly definition: ScoreDefinition;
  /** Whether columns are named by safe names or by the names of the items. */
  readonly safeNames: boolean;
  /** The masked items that are returned in the clear. */
  readonly unmasked: ReadonlySet<number>;
}

const confidenceField: Field = {
  kind: 'decimal',
  classification: 'public',
  doc: 'The confidence in the value, from 0 to 1.',
};
const maskedField: Field = { kind: 'text', classification: 'public', doc: 'The value as its mask shows it.' };

/** The columns of a score, before those of its items. */
export function scoreColumns({ valueType }: ScoreDefinition): readonly string[] {
  return [
    'ScoreID',
    'Score',
    'Status',
    'Object',
    'ObjectID',
    ...(valueType === undefined ? [] : [columnOf[valueType]]),
    CONFIDENCE,
    'CreatedDate',
    'UpdatedDate',
  ];
}

/** Returns a page of scores with two columns per item of their template: value and confidence. */
export async function pivotPage(ctx: Context, page: ListAnswer<Score>, pivot: Pivot): Promise<ListAnswer<ScoredRow>> {
  const { definition, unmasked } = pivot;
  const values = await itemValues(
    ctx,
    definition,
    page.rows.map((row) => row.ScoreID),
    unmasked,
  );
  const rows = page.rows.map((row) => {
    const own: Score & Record<string, unknown> = { ...row };
    for (const item of definition.items) {
      const found = values.get(`${row.ScoreID} ${item.id}`);
      own[columnName(pivot, item)] = found?.value ?? null;
      own[`${columnName(pivot, item)}${CONFIDENCE}`] = found?.confidence ?? null;
    }
    return own;
  });
  return { kind: 'list', name: 'Score', shape: [...page.shape, ...itemShape(pivot)], rows };
}

function columnName({ safeNames }: Pivot, item: ItemDefinition): string {
  return safeNames ? item.safeName : item.name;
}

function itemShape(pivot: Pivot): Shape {
  return pivot.definition.items.flatMap((item) => {
    const name = columnName(pivot, item);
    const isShown = item.mask === null || pivot.unmasked.has(item.id);
    return [
      { name, field: isShown ? valueFields[item.valueType] : maskedField },
      { name: `${name}${CONFIDENCE}`, field: confidenceField },
    ];
  });
}

type ValueRow = StoredValue & { readonly score: number; readonly at: number; readonly confidence: string | null };

/** Returns the values of some scores' items, by score and item. */
async function itemValues(
  ctx: Context,
  definition: ScoreDefinition,
  scoreIds: readonly number[],
  unmasked: ReadonlySet<number>,
): Promise<ReadonlyMap<string, { value: unknown; confidence: string | null }>> {
  if (scoreIds.length === 0) return new Map();
  const rows = await ctx.db.query<ValueRow>(
    `select scoreid as score, scoreitemtemplateid as at, confidence, ${storedValueColumns}
     from scoreitem
     where scoreid = any($1::bigint[]) and scoreitemtemplateid is not null`,
    [arrayLiteral(scoreIds)],
  );
  const items = new Map(definition.items.map((item) => [item.id, item]));
  return new Map(
    rows.flatMap((row): [string, { value: unknown; confidence: string | null }][] => {
      const item = items.get(row.at);
      return item
        ? [
            [
              `${row.score} ${item.id}`,
              {
                value: unmasked.has(item.id) ? clearValue(ctx, item, row) : shownValue(item, row),
                confidence: row.confidence,
              },
            ],
          ]
        : [];
    }),
  );
}
