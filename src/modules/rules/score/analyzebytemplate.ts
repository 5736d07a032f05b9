import type { ListAnswer } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import { parameter } from '../../../kernel/parameters/parameters.ts';
import { byTemplateFields, namedDefinition, scoreRows, type ScoreRows, type ScoreRowsQuery } from './lib/score-rows.ts';
import { recordColumns, addRecordColumns, type ScoredRow } from './lib/scored-records.ts';

export const operation = defineOperation({
  module: 'score',
  name: 'AnalyzeByTemplate',
  method: 'GET',
  summary:
    'Returns one row per score of a template with columns of the scored record, and for each item a column ' +
    'with its value and one with its confidence, a page at a time.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    ...byTemplateFields,
    RecordColumns: f.textList({
      doc:
        'The columns of the scored record to return, comma-separated, each prefixed with its class as in ' +
        'Loan_Status. Empty: its label.',
    }),
  },
  free: 'filters',
  secretAnswer: 'Unmask',
  returns: 'list',
  readWhole: async (ctx, params, filters, take) => {
    const analysis = await analyze(ctx, params, filters);
    await analysis.rows.whole(async (piece) => take(await analysis.joined(piece)));
  },
  errors: ['BAD_PARAMETER', 'NO_PERMISSION'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params, filters) => {
  const analysis = await analyze(ctx, params, filters);
  return analysis.joined(await analysis.rows.page());
});

interface Analysis {
  readonly rows: ScoreRows;
  readonly joined: (page: ListAnswer<ScoredRow>) => Promise<ListAnswer>;
}

/** Returns the class of the records: the one that Object names, otherwise the one that the template applies to. */
async function analyze(
  ctx: Context,
  params: ScoreRowsQuery & { readonly RecordColumns?: readonly string[] | null },
  filters: Parameters,
): Promise<Analysis> {
  const { appliesTo, name } = await namedDefinition(ctx, params);
  const named = parameter(filters, 'Object') ?? appliesTo ?? ctx.parent?.record.name;
  if (typeof named !== 'string')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Object',
      message: `Object: ${name} applies to any record type; name the one whose records to join.`,
    });
  const columns = recordColumns(ctx, named, params.RecordColumns ?? []);
  const others = Object.fromEntries(Object.entries(filters).filter(([filter]) => filter.toLowerCase() !== 'object'));
  return {
    rows: await scoreRows(ctx, params, { ...others, Object: columns.record.name }),
    joined: (page) => addRecordColumns(ctx, page, columns),
  };
}
