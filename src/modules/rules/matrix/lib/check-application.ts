import type { Context } from '../../../../kernel/door/context.ts';
import { didYouMean, PlatformError } from '../../../../kernel/door/errors.ts';
import { isConfiguration, type RecordType } from '../../../../kernel/declare/record.ts';
import { type Values, valueAfter } from '../../../../kernel/declare/values.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { isAnswerName } from '../../../../lib/answers/answer-document.ts';
import { readColumns } from '../../../../kernel/records/search/read.ts';
import { matrix } from '../matrix.record.ts';
import { CriteriaError, parseCriteria } from './criteria.ts';
import { wireName } from './table.ts';

const options = ['ApplyOn', 'ApplyCriteria', 'ApplySequence', 'ApplyUseSummary', 'ApplyThrowIfError'] as const;
const columns = ['AppliesTo', ...options] as const;

/**
 * Checks to which records a matrix applies itself, and stores their type in its declared spelling.
 * @throws MISSING_PARAMETER, BAD_PARAMETER
 */
export async function checkApplication(
  ctx: Context,
  values: Values<typeof matrix>,
  id: number | undefined,
): Promise<void> {
  if (columns.every((name) => values[name] === undefined)) return;
  const before = id === undefined ? undefined : await readColumns(ctx.db, matrix, id, columns);
  const appliesTo = (valueAfter(values, before, 'AppliesTo') ?? '').trim();
  if (appliesTo === '') {
    const option = options.find((name) => (values[name] ?? null) !== null);
    if (option === undefined) return;
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'AppliesTo',
      message: `AppliesTo is required with ${option}: the record type to which the matrix applies itself.`,
    });
  }
  const record = ctx.registry.requireRecord(appliesTo, 'AppliesTo');
  if (isConfiguration(record) || !ctx.registry.find(record.module, 'save'))
    throw bad('AppliesTo', `a type of records that rule sets may change; ${record.name} is not one`);
  if (values.AppliesTo !== undefined) values.AppliesTo = record.name;
  const criteria = valueAfter(values, before, 'ApplyCriteria');
  try {
    if (typeof criteria === 'string') parseCriteria(criteria, record);
  } catch (error) {
    if (error instanceof CriteriaError) throw bad('ApplyCriteria', error.expected);
    throw error;
  }
}

/**
 * Checks that the outputs of a matrix which applies itself are fields of its records: every change of such a record
 * would fail otherwise. With `ApplyThrowIfError=false` each change warns instead.
 * @throws BAD_PARAMETER
 */
export async function checkAppliedOutputs(ctx: Context, matrixId: number): Promise<void> {
  const outputs = await ctx.db.query<{ matrix: string; appliesTo: string; output: string }>(
    `select m.matrix, m.appliesto as "appliesTo", o.matrixmeasure as output
     from matrix m
     join matrixmeasure o using (matrixid)
     where m.matrixid = $1::bigint and m.appliesto <> '' and m.applythrowiferror is distinct from false
     order by o.matrixmeasureid`,
    [matrixId],
  );
  for (const { matrix: name, appliesTo, output } of outputs) {
    const record = ctx.registry.record(appliesTo);
    if (!record || ctx.registry.family(record).some((each) => isOutputOf(each, output))) continue;
    const known = record.shown.filter(({ field }) => !field.computed).map((column) => column.name);
    throw new PlatformError('BAD_PARAMETER', {
      field: 'AppliesTo',
      message:
        `Matrix "${name}", output ${output}: ${record.name} has no such field, so that every change of such a record ` +
        `would fail.${didYouMean(wireName(output), known)} ` +
        'Rename the output, or add a custom field with customfield/save.',
    });
  }
}

/** Whether rule sets may have this output for a record: a field, a reference, an answer or the name of a matrix. */
function isOutputOf({ columns, answers }: RecordType, output: string): boolean {
  const name = wireName(output);
  const lower = name.toLowerCase();
  if (columns.has(lower) || columns.has(`${lower}id`)) return true;
  return /matrix/i.test(name) || (answers !== undefined && isAnswerName(name));
}
