import type { ListAnswer } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { f } from '../../../../kernel/declare/field.ts';
import type { Parsed } from '../../../../kernel/declare/field-types.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { assertReachable } from '../../../../kernel/records/search/read.ts';
import { pagingFields, searchRecords, searchAllRows, type Paging } from '../../../../kernel/records/search/search.ts';
import { findTemplate } from '../../../../kernel/records/save/template.ts';
import { requireDefinition, type ScoreDefinition } from './score-definition.ts';
import { pivotPage, scoreColumns, type Pivot } from './pivot.ts';
import { unmaskedItems } from './unmask.ts';
import type { ScoredRow } from './scored-records.ts';

const { SqlColumns: _columns, ...paging } = pagingFields;

/** The parameters of operations that return one row per score of a template. */
export const byTemplateFields = {
  Template: f.text({ doc: 'The scorecard, by name.', max: 100 }),
  ScoreTemplateID: f.id({ doc: 'The scorecard.', to: 'ScoreTemplate' }),
  SafeName: f.boolean({
    doc: "Whether columns are named by the items' safe names. False: by the items' names.",
    default: true,
  }),
  Unmask: f.boolean({
    doc:
      "Whether masked values are returned in the clear. This requires the items' UnmaskPermission and is " +
      'written to the security log.',
    default: false,
  }),
  ...paging,
};

/** Which scores are read, and how their items are named and shown. */
export type ScoreRowsQuery = Partial<Parsed<typeof byTemplateFields>>;

/** Returns the template that parameters name. @throws MISSING_PARAMETER, BAD_PARAMETER */
export async function namedDefinition(
  ctx: Context,
  { Template, ScoreTemplateID }: ScoreRowsQuery,
): Promise<ScoreDefinition> {
  // A search reaches its parent only when it runs. One that the caller cannot see is reported first.
  if (ctx.parent) await assertReachable(ctx, ctx.parent.record, [ctx.parent.id]);
  if (typeof ScoreTemplateID === 'number') return requireDefinition(ctx, ScoreTemplateID);
  if (typeof Template !== 'string')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Template',
      message: 'Template: name the scorecard with Template or ScoreTemplateID.',
    });
  return requireDefinition(
    ctx,
    (
      await findTemplate(ctx, ctx.registry.recordType('ScoreTemplate'), {
        name: Template,
        parentClass: undefined,
        field: 'Template',
      })
    ).id,
  );
}

/** Scores of one template as rows, with the columns for their items. */
export interface ScoreRows {
  readonly definition: ScoreDefinition;
  /** Returns one page. */
  page(): Promise<ListAnswer<ScoredRow>>;
  /** Yields all rows in pieces. */
  whole(take: (piece: ListAnswer<ScoredRow>) => Promise<void>): Promise<void>;
}

/** Reads the scores of a template, filtered by the scores' columns. `Object` restricts them to records of a class. */
export async function scoreRows(ctx: Context, params: ScoreRowsQuery, filters: Parameters): Promise<ScoreRows> {
  const definition = await namedDefinition(ctx, params);
  const pivot: Pivot = {
    definition,
    safeNames: params.SafeName ?? true,
    unmasked: await unmaskedItems(ctx, definition.items, params.Unmask ?? false, definition.id),
  };
  const own: Parameters = { ...filters, ScoreTemplateID: definition.id };
  const sought: Paging = { ...params, SqlColumns: scoreColumns(definition) };
  const record = ctx.registry.recordType('Score');
  return {
    definition,
    page: async () => pivotPage(ctx, await searchRecords(ctx, record, own, sought), pivot),
    whole: (take) =>
      searchAllRows(ctx, record, { filters: own, paging: sought }, async (piece) =>
        take(await pivotPage(ctx, piece, pivot)),
      ),
  };
}
